/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat_net.c - events from /proc/net: interfaces, and the protocols of TCP/IP.
 *
 * /proc/net shows the network namespace of the process that opens it; in a container, the container's.
 *
 * Terms: base/event.h.
 */
#include <stdio.h>
#include <string.h>

#include "catalogue/cat_files.h"
#include "procfs/files.h"

#define COUNT(number, column, unit, what) UPCI_COLUMN(COUNT, number, column, unit, 0, what)

static const struct upci_words dev_columns[] = {
	COUNT(1, "rx_bytes", "bytes",
	      "Bytes received (without link-layer headers on the loopback, with them on most) on"),
	COUNT(2, "rx_packets", "packets", "Packets received on"),
	COUNT(3, "rx_errs", "packets", "Packets received with an error on"),
	COUNT(4, "rx_drop", "packets",
	      "Packets received and dropped, for want of buffers or of anybody who wants them, on"),
	COUNT(5, "rx_fifo", "errors", "Overruns of the receive buffer of"),
	COUNT(6, "rx_frame", "errors", "Received frames with a wrong length, checksum or alignment on"),
	COUNT(7, "rx_compressed", "packets", "Compressed packets received on"),
	COUNT(8, "rx_multicast", "packets", "Multicast packets received on"),
	COUNT(9, "tx_bytes", "bytes",
	      "Bytes sent (without link-layer headers on the loopback, with them on most) on"),
	COUNT(10, "tx_packets", "packets", "Packets sent on"),
	COUNT(11, "tx_errs", "packets", "Packets that could not be sent because of an error on"),
	COUNT(12, "tx_drop", "packets", "Packets to be sent that were dropped on"),
	COUNT(13, "tx_fifo", "errors", "Underruns of the send buffer of"),
	COUNT(14, "tx_colls", "collisions", "Collisions while sending on"),
	COUNT(15, "tx_carrier", "errors", "Losses of the carrier, and the like, while sending on"),
	COUNT(16, "tx_compressed", "packets", "Compressed packets sent on"),
};

/* Add the events of /proc/net/dev: two lines of headings, then "name: number ...". A name cannot contain ':'
 * but may contain '=', which upci_field_find takes for the end of a token. */
int upci_cat_net_dev(const struct upci_cat_file *file, const char *text, size_t length)
{
	char name[64], prefix[80], of[96];
	bool left_out = false;
	int error = 0;

	UPCI_LINES(scan, text, length)
	{
		const char *line = text + scan.start, *end = text + scan.end, *p = line, *token;
		size_t n = upci_token(&p, end, &token);

		if (!n || n >= sizeof(name) || p == end || memchr(line, '|', scan.end - scan.start))
			continue;
		if (*p != ':' || *token == '(') {
			left_out = true;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)n, token);
		snprintf(prefix, sizeof(prefix), "net::%s:", name);
		snprintf(of, sizeof(of), "network interface %s", name);
		error = upci_cat_columns(file, UPCI_TABLE_OF(dev_columns), prefix, of, name, 0, line, end);
		if (error)
			return error;
	}
	if (left_out)
		error = upci_catalogue_add_missing(file->c, "net: an interface whose name has '=' or "
							    "begins with '(' is left out; rename it");
	return error < 0 ? error : 0;
}

/* Guess the unit of a column from the kernel's naming. */
static const char *guess_unit(const char *key)
{
	size_t n = strlen(key);

	if (strstr(key, "Octets"))
		return "bytes";
	if (n > 4 && !strcmp(key + n - 4, "Pkts"))
		return "packets";
	if (n > 4 && !strcmp(key + n - 4, "Segs"))
		return "segments";
	return "events";
}

/* True if a column is a setting of the protocol and not a count. */
static bool is_setting(const char *key)
{
	static const char *const settings[] = {
		"Ip:Forwarding", "Ip:DefaultTTL", "Tcp:RtoAlgorithm",
		"Tcp:RtoMin",    "Tcp:RtoMax",    "Tcp:MaxConn",
	};

	for (unsigned i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (!strcmp(settings[i], key))
			return true;
	return false;
}

/* Add one column of a pair of lines. */
static int add_pair_column(const struct upci_cat_file *file, const char *protocol, const char *column,
			   unsigned token, const char *line, const char *end)
{
	char key[160], name[UPC_NAME_MAX], composed[320];
	struct upci_draft draft = {
		.name = name,
		.text = composed,
		.key = protocol,
		.occurrence = 2,
		.first = token,
	};
	const struct upci_words *words;

	snprintf(key, sizeof(key), "%s:%s", protocol, column);
	if (is_setting(key))
		return 0;
	snprintf(name, sizeof(name), "%s::%s", strrchr(file->path, '/') + 1, key);
	words = upci_words_find(&upci_snmp_words, key);
	draft.unit = words ? words->unit : guess_unit(column);
	draft.kind = words ? words->kind : UPC_KIND_COUNT;
	if (words)
		draft.text = words->text;
	else
		snprintf(composed, sizeof(composed),
			 "What the protocol code %s of this network namespace "
			 "counts under %s",
			 protocol, column);
	return upci_cat_put(file, &draft, line, end);
}

/*
 * Add the events of /proc/net/snmp and netstat: for each protocol a line of names and a line of values, both
 * beginning with the protocol. IcmpMsg is left out: its columns depend on the types of messages seen, so a
 * position does not keep its meaning.
 */
int upci_cat_net_pairs(const struct upci_cat_file *file, const char *text, size_t length)
{
	char protocol[64], second[64], column[80];
	struct upci_line_scan names = {0}, values;
	int error = 0;

	while (!error && upci_line_next(text, length, true, &names)) {
		const char *line = text + names.start, *end = text + names.end, *token;

		values = names;
		if (!upci_cat_token(line, end, 0, protocol, sizeof(protocol)) ||
		    !upci_line_next(text, length, true, &values) ||
		    !upci_cat_token(text + values.start, text + values.end, 0, second, sizeof(second)) ||
		    strcmp(protocol, second))
			continue;
		names = values;
		if (!strcmp(protocol, "IcmpMsg"))
			continue;
		upci_token(&line, end, &token);
		for (unsigned i = 1; !error; i++) {
			size_t n = upci_token(&line, end, &token);

			if (!n)
				break;
			snprintf(column, sizeof(column), "%.*s", (int)(n < 79 ? n : 79), token);
			error = add_pair_column(file, protocol, column, i, text + values.start,
						text + values.end);
		}
	}
	return error;
}

/* Return the words of the IPv4 counter for an IPv6 key: "Ip6InReceives" is to IPv6 as "Ip:InReceives" is to
 * IPv4. */
static const struct upci_words *words_of_version_4(const char *key)
{
	char same[160];
	const char *six = strchr(key, '6');
	const struct upci_words *words;

	if (!six)
		return NULL;
	snprintf(same, sizeof(same), "%.*s:%s", (int)(six - key), key, six + 1);
	words = upci_words_find(&upci_snmp_words, same);
	if (words || strncmp(same, "Ip:", 3))
		return words;
	snprintf(same, sizeof(same), "IpExt:%s", six + 1);
	return upci_words_find(&upci_snmp_words, same);
}

int upci_cat_net_snmp6(const struct upci_cat_file *file, const char *key, const char *line, const char *end)
{
	const struct upci_words *words = words_of_version_4(key);
	char name[UPC_NAME_MAX], composed[512];
	struct upci_draft draft = {
		.name = name,
		.text = composed,
		.unit = words ? words->unit : guess_unit(key),
		.key = key,
		.first = 1,
	};

	snprintf(name, sizeof(name), "snmp6::%s", key);
	if (words)
		snprintf(composed, sizeof(composed), "Over IPv6: %s", words->text);
	else
		snprintf(composed, sizeof(composed),
			 "What the IPv6 code of this network namespace counts under %s", key);
	return upci_cat_put(file, &draft, line, end);
}

#define LEVEL(key, unit, what) UPCI_KEY(LEVEL, key, unit, 0, what)

static const struct upci_words socket_words[] = {
	LEVEL("used", "sockets", "Sockets in use, of every family"),
	LEVEL("inuse", "sockets", "Sockets in use"),
	LEVEL("orphan", "sockets", "Connections that no program holds any more"),
	LEVEL("tw", "sockets", "Connections that wait in the state TIME_WAIT"),
	LEVEL("alloc", "sockets", "Sockets allocated, in whatever state"),
	LEVEL("mem", "pages", "Memory in the buffers of sockets"),
	LEVEL("memory", "bytes", "Memory that waits for missing fragments"),
};

/* Add the events of a line such as "TCP: inuse 1 orphan 0", in which names and levels alternate. */
int upci_cat_net_sockets(const struct upci_cat_file *file, const char *protocol, const char *line,
			 const char *end)
{
	char column[32], name[UPC_NAME_MAX], of[144], composed[128];
	int error = 0;

	snprintf(of, sizeof(of), "(%s)", protocol);
	for (unsigned i = 1; !error && upci_cat_token(line, end, i, column, sizeof(column)); i += 2) {
		const struct upci_words *words = upci_words_find(UPCI_TABLE_OF(socket_words), column);
		struct upci_draft draft = {
			.name = name,
			.text = words ? words->text : composed,
			.of = of,
			.unit = words ? words->unit : "sockets",
			.kind = UPC_KIND_LEVEL,
			.key = protocol,
			.first = i + 1,
		};

		snprintf(name, sizeof(name), "sock::%s:%s", protocol, column);
		snprintf(composed, sizeof(composed), "The level %s of sockets", column);
		error = upci_cat_put(file, &draft, line, end);
	}
	return error;
}
