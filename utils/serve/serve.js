/* The live page of a node. Names are any bytes: they become text, never markup. A rate is what was counted
 * divided by how long it was counted, between two samples of one life of the service; where either has no
 * value, the line is interrupted: what was not counted is never 0. */
"use strict";
(() => {
	const KEPT = 300000, POINTS = 1200;
	const STATES = ["opening", "counting", "halted", "taken", "yielded", "failed", "offline"];
	const OF = {cpu: "each CPU", node: "the node", cgroup: "each control group"};
	const $ = id => document.getElementById(id);
	const make = (name, text, look) => {
		const element = document.createElement(name);
		if (text !== undefined) element.textContent = text;
		if (look) element.className = look;
		return element;
	};
	const draw = (name, attributes, text) => {
		const element = document.createElementNS("http://www.w3.org/2000/svg", name);
		Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
		if (text !== undefined) element.textContent = text;
		return element;
	};
	const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };
	const grouped = digits => String(digits).replace(/\B(?=(\d{3})+$)/g, "\u202f");
	const NONE = "\u2013";

	let span = KEPT, context, metrics = {}, labels = {}, generation, started, last, numa = false, chosen, wanted = "", about = {};
	const counters = new Map(); /* of a number: what it is, its lines, and its row */

	/* ---- asking ------------------------------------------------------------------------- */

	async function ask(path) {
		const answer = await fetch(path, {cache: "no-store", credentials: "omit"});
		const text = await answer.text();
		if (!answer.ok) throw new Error(text.slice(0, 200));
		/* Counts have more digits than numbers of a script do. */
		return JSON.parse(text.replace(/"value":(-?\d{16,})(?=[,}])/g, '"value":"$1"'));
	}
	async function open() {
		context = (await ask("/pmapi/context")).context;
		generation = undefined;
	}
	async function names() {
		metrics = {};
		(await ask(`/pmapi/${context}/metric?prefix=upc`)).metrics.forEach(metric => { metrics[metric.name] = metric; });
		labels = {};
		const group = Object.keys(metrics).find(name => name.startsWith("upc.state.cgroup."));
		if (group)
			(await ask(`/pmapi/${context}/indom?name=${group}`)).instances.forEach(i => { labels[i.instance] = i.name; });
	}
	async function values() {
		const all = {}, pmids = Object.values(metrics).map(metric => metric.pmid);
		for (let i = 0; i < pmids.length; i += 1000)
			(await ask(`/pmapi/${context}/fetch?pmids=${pmids.slice(i, i + 1000).join(",")}`)).values.forEach(value => {
				all[value.name] = new Map(value.instances.map(i => [i.instance === undefined ? null : i.instance, i.value]));
			});
		return all;
	}
	const one = (all, name) => all[name] && all[name].size ? all[name].values().next().value : undefined;

	/* ---- values ------------------------------------------------------------------------- */

	const minus = (a, b) => Number(BigInt(a) - BigInt(b));

	/* Rates of a metric's places between two samples, or levels. */
	function rates(name, running, level, before, now) {
		const out = new Map();
		if (level) {
			if (now[name]) now[name].forEach((value, place) => out.set(place, Number(value)));
			return out;
		}
		if (!before || !now[name] || !before[name] || !now[running] || !before[running]) return out;
		now[name].forEach((value, place) => {
			const then = before[name].get(place), to = now[running].get(place), from = before[running].get(place);
			if (then === undefined || to === undefined || from === undefined) return;
			const time = minus(to, from), count = minus(value, then);
			if (time > 0 && count >= 0) out.set(place, count * 1e9 / time);
		});
		return out;
	}
	/* Times in time are shares of it. */
	const PARTS = {ns: 1e9, us: 1e6, ms: 1e3};
	function shown(counter, rate) {
		if (rate === undefined || rate === null) return NONE;
		if (!counter.level && PARTS[counter.unit]) return (rate / PARTS[counter.unit] * 100).toFixed(1) + " %";
		if (counter.level && counter.unit === "KiB") return short(rate * 1024) + "B";
		const unit = counter.unit === "bytes" ? "B" : "";
		return short(rate) + unit + (counter.level ? unit || counter.unit.length > 12 ? "" : " " + counter.unit : "/s");
	}
	function short(value) {
		const steps = ["", "k", "M", "G", "T", "P", "E"];
		let size = Math.abs(value), k = 0;
		while (size >= 999.5 && k < 6) { size /= 1000; value /= 1000; k++; }
		const digits = size >= 99.95 || (k === 0 && Number.isInteger(value)) ? 0 : size >= 9.995 ? 1 : 2;
		return value.toFixed(digits) + "\u202f" + steps[k];
	}
	const sum = rates => rates.size ? [...rates.values()].reduce((a, b) => a + b, 0) : undefined;
	/* Shares of CPUs are told as their mean, as each has one. */
	const together = (counter, rates) => {
		const total = sum(rates);
		return total !== undefined && !counter.level && PARTS[counter.unit] && rates.size ? total / rates.size : total;
	};

	/* A sentence without the name of whom it tells. */
	const bare = (counter, text) => [counter.event, counter.name].reduce((t, name) => name && t.startsWith(name + ":") ? t.slice(name.length + 1).trim() : t, text);

	function take(all, time) {
		const text = what => all["upc.counter." + what] || new Map();
		const seen = new Set();
		text("name").forEach((name, id) => {
			const metric = text("metric").get(id) || "", key = id + " " + metric;
			let counter = counters.get(key);
			seen.add(key);
			if (!counter) {
				counter = {key, id, metric, lines: [], groups: []};
				counters.set(key, counter);
			}
			counter.name = name;
			counter.event = text("event").get(id) || "";
			counter.scope = text("scope").get(id) || "";
			counter.unit = text("unit").get(id) || "";
			counter.state = text("state").get(id) || "";
			counter.status = text("status").get(id) || "";
			const tail = metric.replace(/^upc\.[a-z]+\./, ""), known = metrics[metric] || {};
			counter.tail = tail;
			counter.level = known.sem === "instant" || known.sem === "discrete";
			counter.help = bare(counter, known["text-oneline"] || "");
			counter.status = bare(counter, counter.status);
			const point = prefix => ({time, of: rates(prefix + tail, prefix.replace("upc.", "upc.running.") + tail, counter.level, last, all)});
			counter.lines.push(point("upc." + counter.scope + "."));
			if (counter.scope === "cpu") counter.groups.push(point("upc.numa."));
			[counter.lines, counter.groups].forEach(list => {
				while (list.length > POINTS || (list.length && list[0].time < time - KEPT)) list.shift();
			});
		});
		[...counters.keys()].filter(key => !seen.has(key)).forEach(key => {
			const gone = counters.get(key);
			if (gone.row) gone.row.remove();
			counters.delete(key);
		});
	}

	/* ---- pictures ----------------------------------------------------------------------- */

	const placeName = (scope, place) => scope === "cpu" ? "cpu" + place : scope === "numa" ? "node" + place :
		scope === "cgroup" ? labels[place] || String(place) : "node";

	/* A path of each place, in a box of that width and height, from a time on. */
	function paths(list, places, box, from, to, most) {
		return places.map((place, k) => {
			let d = "", pen = "M";
			list.forEach(point => {
				const rate = point.of.get(place);
				if (rate === undefined) { pen = "M"; return; }
				const x = box.x + box.width * (point.time - from) / (to - from);
				d += pen + x.toFixed(1) + " " + (box.y + box.height * (1 - rate / most)).toFixed(1);
				/* One alone is a short line. */
				if (pen === "M") d += "h.01";
				pen = "L";
			});
			return draw("path", {class: "s" + (k % 8 + 1), d, "stroke-linecap": "round"});
		});
	}
	const placesOf = list => [...new Set(list.flatMap(point => [...point.of.keys()]))].sort((a, b) => a - b);
	const mostOf = list => Math.max(0, ...list.flatMap(point => [...point.of.values()]));

	function spark(counter, to) {
		const svg = counter.spark, list = counter.lines, width = 208, height = 28;
		svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
		svg.setAttribute("preserveAspectRatio", "none");
		svg.replaceChildren(...paths(list, placesOf(list).slice(0, 64), {x: 0, y: 2, width, height: height - 4}, to - span, to, mostOf(list) || 1));
	}
	/* 1, 2 or 5 times a power of ten. */
	function step(most) {
		const power = Math.pow(10, Math.floor(Math.log10(most)));
		return [1, 2, 5, 10].map(k => k * power / 2).find(s => most / s <= 5) || power;
	}
	const tick = value => short(value).replace(/\.?0+(?=\u202f)/, m => m.startsWith(".") ? "" : m);
	function chart(counter, to) {
		const svg = $("chart").firstElementChild, byNuma = numa && counter.scope === "cpu";
		const list = byNuma ? counter.groups : counter.lines, places = placesOf(list);
		const part = !counter.level && PARTS[counter.unit], scale = part ? part / 100 : 1;
		const width = $("chart").clientWidth || 600, box = {x: 64, y: 10, width: width - 76, height: 200};
		const most = mostOf(list) / scale || 1, by = step(most), top = Math.ceil(most / by - 1e-9) * by, parts = [];
		for (let k = 0; k * by <= top * 1.0001; k++) {
			const y = box.y + box.height * (1 - k * by / top);
			parts.push(draw("line", {class: "grid", x1: box.x, x2: box.x + box.width, y1: y, y2: y}));
			parts.push(draw("text", {x: box.x - 6, y: y + 4, "text-anchor": "end"}, part ? Number((k * by).toPrecision(3)) + " %" : tick(k * by)));
		}
		for (let k = 5; k >= 0; k--) {
			const x = box.x + box.width * (1 - k / 5), seconds = span / 5000 * k;
			parts.push(draw("text", {x, y: box.y + box.height + 18, "text-anchor": k === 5 ? "start" : k ? "middle" : "end"},
				!k ? "now" : "\u2212" + (span < 120000 ? seconds + " s" : Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0"))));
		}
		svg.setAttribute("viewBox", `0 0 ${width} 240`);
		svg.replaceChildren(...parts, ...paths(list, places, box, to - span, to, top * scale));
		return places;
	}

	/* ---- the page ----------------------------------------------------------------------- */

	function cellsOf(row, n) {
		while (row.cells.length < n) row.append(make("td"));
		return [...row.cells];
	}
	function row(counter) {
		const tr = make("tr"), cells = cellsOf(tr, 5), name = make("button"), state = make("span"), why = make("small");
		name.type = "button";
		name.addEventListener("click", () => { choose(counter.key); $("chosen").scrollIntoView({block: "nearest"}); });
		counter.row = tr;
		counter.words = {name, event: make("small"), state, why};
		cells[0].append(name, counter.words.event);
		cells[2].append(state, why);
		cells[3].className = "n";
		counter.spark = draw("svg", {"aria-hidden": "true"});
		cells[4].append(counter.spark);
		$("counters").tBodies[0].append(tr);
	}
	/* What counts first; otherwise as the configuration has it. */
	function order() {
		const body = $("counters").tBodies[0], rank = counter => counter.state === "counting" || counter.state === "halted" ? 0 : 1;
		const wanted = [...counters.values()].sort((a, b) => rank(a) - rank(b) || a.id - b.id).map(counter => counter.row);
		wanted.forEach((tr, i) => { if (body.rows[i] !== tr) body.insertBefore(tr, body.rows[i] || null); });
	}
	function choose(key) {
		chosen = key;
		show();
	}
	function places(counter) {
		const all = last || {}, byNuma = numa && counter.scope === "cpu", scope = byNuma ? "numa" : counter.scope;
		const list = byNuma ? counter.groups : counter.lines, now = list.length ? list[list.length - 1].of : new Map();
		const counts = all[`upc.${scope}.${counter.tail}`] || new Map(), times = all[`upc.running.${scope}.${counter.tail}`] || new Map();
		const states = all[`upc.state.${scope}.${counter.tail}`] || new Map(), body = $("places").tBodies[0];
		const known = placesOf(list), every = [...new Set([...states.keys(), ...counts.keys()])].sort((a, b) => a - b);
		every.forEach((place, k) => {
			const tr = body.rows[k] || body.insertRow(), cells = cellsOf(tr, 5), line = known.indexOf(place);
			const state = states.has(place) ? STATES[states.get(place)] || "?" : counts.has(place) ? "counting" : NONE;
			if (!tr.key) {
				tr.key = draw("svg", {class: "key", viewBox: "0 0 20 10", "aria-hidden": "true"});
				tr.name = make("span");
				cells[0].append(tr.key, tr.name);
				[2, 3, 4].forEach(i => { cells[i].className = "n"; });
			}
			tr.key.replaceChildren(...line < 0 ? [] : [draw("line", {class: "s" + (line % 8 + 1), x1: 0, x2: 20, y1: 5, y2: 5})]);
			set(tr.name, placeName(scope, place));
			set(cells[1], state);
			cells[1].className = "state " + state;
			set(cells[2], shown(counter, now.get(place)));
			set(cells[3], counts.has(place) ? grouped(counts.get(place)) : NONE);
			set(cells[4], times.has(place) ? (Number(times.get(place)) / 1e9).toFixed(1) + " s" : NONE);
		});
		while (body.rows.length > every.length) body.deleteRow(-1);
	}
	function show() {
		const to = last ? last.when : Date.now();
		const first = Math.min(...[...counters.values()].map(counter => counter.lines.length ? counter.lines[0].time : to));
		span = Math.min(KEPT, Math.max(30000, Math.ceil((to - first) / 30000) * 30000));
		let n = 0, counting = 0;
		counters.forEach(counter => {
			if (!counter.row) row(counter);
			const words = counter.words, list = counter.lines, cells = counter.row.cells;
			const found = (counter.name + " " + counter.event + " " + counter.state).toLowerCase().includes(wanted);
			counter.row.hidden = !found;
			counter.row.classList.toggle("chosen", counter.key === chosen);
			n += found;
			counting += counter.state === "counting";
			set(words.name, counter.name);
			set(words.event, counter.event === counter.name ? counter.help : counter.event);
			set(cells[1], OF[counter.scope] || counter.scope);
			set(words.state, counter.state);
			words.state.className = "state " + counter.state;
			set(words.why, counter.status);
			set(cells[3], list.length ? shown(counter, together(counter, list[list.length - 1].of)) : NONE);
			if (found) spark(counter, to);
		});
		order();
		set($("found"), wanted ? n + " of " + counters.size : `${counting} of ${counters.size} are counting`);
		if (!counters.has(chosen)) chosen = ([...counters.values()].find(c => c.state === "counting" && c.scope === "cpu") || [...counters.values()][0] || {}).key;
		const counter = counters.get(chosen);
		$("chosen").hidden = !counter;
		if (!counter) return;
		set($("chosen-name"), counter.name);
		set($("chosen-what"), counter.help || counter.event);
		$("chosen-why").hidden = counter.state === "counting";
		set($("chosen-why"), counter.state + (counter.status ? ": " + counter.status : ""));
		set($("unit"), counter.level ? counter.unit : PARTS[counter.unit] ? "share of time, %" : counter.unit + " per second counted");
		$("by-cpu").parentElement.hidden = counter.scope !== "cpu";
		$("by-cpu").setAttribute("aria-pressed", !numa);
		$("by-numa").setAttribute("aria-pressed", numa);
		chart(counter, to);
		places(counter);
	}
	function users(all) {
		const pid = all["upc.user.pid"] || new Map(), body = $("users").tBodies[0];
		$("users").hidden = pid.size === 0;
		$("nobody").hidden = pid.size !== 0;
		body.replaceChildren(...[...pid.keys()].map(id => {
			const tr = make("tr");
			["command", "pid", "uid", "descriptors"].forEach((what, k) => {
				const value = (all["upc.user." + what] || new Map()).get(id);
				tr.append(make("td", value === undefined ? NONE : String(value), k ? "n" : ""));
			});
			return tr;
		}));
	}
	function facts(pairs) {
		$("facts").replaceChildren(...pairs.filter(pair => pair[1]).map(([name, text]) => {
			const div = make("div");
			div.append(make("dt", name), make("dd", text));
			return div;
		}));
	}
	function notes(texts) {
		const key = JSON.stringify(texts);
		if ($("notes").dataset.key === key) return;
		$("notes").dataset.key = key;
		$("notes").replaceChildren(...texts.map(text => make("p", text, "note")));
	}
	const ms = ns => (Number(ns) / 1e6).toFixed(1) + " ms";

	async function look() {
		if (context === undefined) await open();
		if (generation === undefined) await names();
		const all = await values(), now = one(all, "upc.control.generation");
		if (now === undefined) throw new Error("the agent does not answer");
		/* Other counters: their names first, and no rate across the change that is not theirs. */
		if (now !== generation) {
			const first = generation === undefined;
			generation = now;
			if (!first) { await names(); return 0; }
		}
		const epoch = String(one(all, "upc.control.started"));
		if (started !== epoch) {
			counters.forEach(counter => { counter.lines = []; counter.groups = []; });
			last = undefined;
			started = epoch;
		}
		const count = one(all, "upc.sample.count"), time = Number(one(all, "upc.sample.time")) / 1e6, interval = Number(one(all, "upc.sample.interval")) / 1e6;
		if (!last || last.count !== count) {
			all.count = count;
			all.when = time;
			take(all, time);
			last = all;
			users(all);
		}
		const late = Date.now() - time;
		const stale = interval > 0 && late > 3 * interval + 2000;
		$("live").className = stale ? "stale" : "";
		set($("live"), (stale ? `No new sample for ${Math.round(late / 1000)} s; the last was at ` : "Live: sample of ") + new Date(time).toLocaleTimeString() +
			`, ${ms(one(all, "upc.sample.skew"))} late, read in ${ms(one(all, "upc.sample.took"))}` +
			(interval ? `; one each ${interval / 1000} s` : ""));
		notes([one(all, "upc.control.message")].filter(text => text).concat((about.missing || []).map(text => "Not here: " + text)));
		facts([["Counted by", about.user && about.user + (about.root ? "" : ", an ordinary user")], ["Configuration", about.configuration], ["Archive", about.archive],
			["Commands", one(all, "upc.control.socket") && "upcctl -S " + one(all, "upc.control.socket") + " ls"], ["For Prometheus", location.origin + "/metrics"], ["Release", about.release]]);
		show();
		return Math.max(500, interval || 1000);
	}
	async function run() {
		let wait = 1000;
		try {
			wait = await look();
		} catch (error) {
			context = undefined;
			$("live").className = "stale";
			set($("live"), "The node does not answer; asking again. " + (error instanceof TypeError ? "" : error.message));
		}
		setTimeout(run, wait);
	}
	$("find").addEventListener("input", () => { wanted = $("find").value.toLowerCase(); show(); });
	$("by-cpu").addEventListener("click", () => { numa = false; show(); });
	$("by-numa").addEventListener("click", () => { numa = true; show(); });
	addEventListener("resize", () => { if (counters.size) show(); });
	fetch("/about.json").then(answer => answer.json()).then(what => {
		about = what;
		document.title = what.host + ": counters";
		set($("title"), what.host);
	}).catch(() => {}).then(run);
})();
