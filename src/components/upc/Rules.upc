# SPDX-License-Identifier: BSD-3-Clause
#
# Rules.upc - how PAPI's make builds the upc component. libupc is opened at run
# time, so that nothing of it is needed here but its header, upc.h, beside upc.c. The
# core of MPX, for multiplexed sets, is compiled in: its files are in mpx/.
#
# UPC_LIBDIR=DIR (on make's command line or in the environment) makes
# DIR/libupc.so.0 the place looked at last, after $UPC_LIBRARY and the dynamic
# loader's own search path.
#
# UPC_PRESETS=yes likewise is for a PAPI that programs have under upc_run: upc is its first
# component, and papi_events.csv is upc_presets.csv, or has it at its end (README.md).

UPC_DIR = components/upc
UPC_HEADERS = $(UPC_DIR)/upc.h $(UPC_DIR)/upc_caller.h $(UPC_DIR)/upc_library.h \
	$(UPC_DIR)/upc_mpx.h $(UPC_DIR)/upc_names.h $(UPC_DIR)/upc_open.h \
	$(UPC_DIR)/upc_overflow.h $(UPC_DIR)/upc_presets.h $(UPC_DIR)/upc_report.h \
	$(UPC_DIR)/upc_set.h $(UPC_DIR)/upc_share.h $(UPC_DIR)/upc_signal.h $(UPC_DIR)/upc_slices.h \
	$(UPC_DIR)/upc_tables.h $(UPC_DIR)/upc_turns.h $(wildcard $(UPC_DIR)/mpx/*/*.h)
# All that is there; estimate.c by way of upc_estimate.c.
UPC_MPX = $(filter-out %/estimate.c,$(wildcard $(UPC_DIR)/mpx/*/*.c))
UPC_DEFINES = $(if $(UPC_LIBDIR),-DUPC_LIBDIR='"$(UPC_LIBDIR)"') $(if $(UPC_PRESETS),-DUPC_PRESETS)

COMPSRCS += $(UPC_DIR)/upc.c $(UPC_DIR)/upc_caller.c $(UPC_DIR)/upc_estimate.c \
	$(UPC_DIR)/upc_library.c $(UPC_DIR)/upc_mpx.c $(UPC_DIR)/upc_names.c $(UPC_DIR)/upc_open.c \
	$(UPC_DIR)/upc_overflow.c $(UPC_DIR)/upc_report.c $(UPC_DIR)/upc_run.c \
	$(UPC_DIR)/upc_set.c $(UPC_DIR)/upc_share.c $(UPC_DIR)/upc_signal.c \
	$(UPC_DIR)/upc_slices.c $(UPC_DIR)/upc_tables.c $(UPC_DIR)/upc_turns.c \
	$(UPC_MPX)
COMPOBJS += upc.o upc_caller.o upc_estimate.o upc_library.o upc_mpx.o upc_names.o upc_open.o \
	upc_overflow.o upc_report.o upc_run.o upc_set.o upc_share.o upc_signal.o \
	upc_slices.o upc_tables.o upc_turns.o $(patsubst %.c,upc_mpxi_%.o,$(notdir $(UPC_MPX)))
ifneq ($(UPC_PRESETS),)
COMPSRCS += $(UPC_DIR)/upc_presets.c
COMPOBJS += upc_presets.o
endif

# The shared library is compiled from all sources in one command: a definition
# that only one object's rule had would be missing there. The unwind tables, of
# all of PAPI, are for upc_caller.c.
LIBCFLAGS += $(UPC_DEFINES) -funwind-tables -I$(UPC_DIR)/mpx
SHLIBDEPS += $(LDL) -lpthread
LDFLAGS += $(LDL) -lpthread

# Nor may PAPI's calls vanish into one another when a program is linked.
papi.o: override OPTFLAGS += -fno-lto

upc.o: $(UPC_DIR)/upc.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc.c -o $@

upc_caller.o: $(UPC_DIR)/upc_caller.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_caller.c -o $@

upc_estimate.o: $(UPC_DIR)/upc_estimate.c $(UPC_DIR)/mpx/stat/estimate.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_estimate.c -o $@

upc_library.o: $(UPC_DIR)/upc_library.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_library.c -o $@

upc_mpx.o: $(UPC_DIR)/upc_mpx.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_mpx.c -o $@

upc_names.o: $(UPC_DIR)/upc_names.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_names.c -o $@

upc_open.o: $(UPC_DIR)/upc_open.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_open.c -o $@

upc_overflow.o: $(UPC_DIR)/upc_overflow.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_overflow.c -o $@

upc_presets.o: $(UPC_DIR)/upc_presets.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_presets.c -o $@

upc_report.o: $(UPC_DIR)/upc_report.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_report.c -o $@

upc_run.o: $(UPC_DIR)/upc_run.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_run.c -o $@

upc_set.o: $(UPC_DIR)/upc_set.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_set.c -o $@

upc_share.o: $(UPC_DIR)/upc_share.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_share.c -o $@

upc_signal.o: $(UPC_DIR)/upc_signal.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_signal.c -o $@

upc_slices.o: $(UPC_DIR)/upc_slices.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_slices.c -o $@

upc_tables.o: $(UPC_DIR)/upc_tables.c $(UPC_HEADERS) $(HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_tables.c -o $@

upc_turns.o: $(UPC_DIR)/upc_turns.c $(UPC_HEADERS)
	$(CC) $(LIBCFLAGS) $(OPTFLAGS) -c $(UPC_DIR)/upc_turns.c -o $@

define UPC_MPX_RULE
upc_mpxi_$(basename $(notdir $(1))).o: $(1) $(UPC_HEADERS)
	$$(CC) $$(LIBCFLAGS) $$(OPTFLAGS) -c $$< -o $$@
endef
$(foreach file,$(UPC_MPX),$(eval $(call UPC_MPX_RULE,$(file))))
