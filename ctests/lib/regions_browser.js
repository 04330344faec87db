// SPDX-License-Identifier: BSD-3-Clause
// regions_browser.js - opens pages of upc_regions in a browser, and compares what a reader finds there with
// the reports of the same files as JSON: regions_browser.js BROWSER PAGE JSON LONG-PAGE LONG-JSON. TAP's lines
// without numbers. Exits with 3 where the browser does not start.
"use strict";
const fs = require("fs");
const {start, end, find, open, check, complaints} = require("./browser.js");
const [browser, page, json, longPage, longJson] = process.argv.slice(2);
const report = JSON.parse(fs.readFileSync(json)), long = JSON.parse(fs.readFileSync(longJson));

/* Tables by their captions: rows, each of cells as a reader and a program see them. */
const tables = `Object.fromEntries([...document.querySelectorAll("section.table")].map(section => [
	section.querySelector("h3").textContent,
	[...section.querySelectorAll("tbody tr")].map(tr => [...tr.cells].map(cell => ({
		text: cell.firstChild && cell.firstChild.nodeType === 3 ? cell.firstChild.data : "",
		v: cell.dataset.v, level: Number(cell.className.replace(/^d/, "")) || 0,
		interval: cell.className === "i" ? cell.querySelector("small").textContent : undefined,
		flags: cell.querySelector("em") ? cell.querySelector("em").textContent : ""
	})))]))`;
/* JSON has 12 digits. */
const same = v => v === null || v === undefined || v === "" ? null : Number(Number(v).toPrecision(11));
const numbers = cells => cells.filter(cell => cell.v !== undefined).map(cell => same(cell.v));
const nameOf = region => region.region === null ? "(outside)" : region.region;
const pathOf = path => path.region === null ? "(whole)" : path.region;
const depths = new Map();
report.call_paths.forEach(p => depths.set(p.path, p.parent === null ? 0 : depths.get(p.parent) + 1));
const plain = text => Number(text.replace(/[\u202f\u2265 ]/g, "").replace("\u2212", "-").replace("\u221e", "Infinity"));
const close = (a, b, unit) => a === b || Math.abs(a - b) <= .011 * Math.max(Math.abs(a), Math.abs(b)) + unit;

/* What is wrong with how an estimate is shown; nothing if all is right. A number and its interval are two cells. */
function wrong(cells, value, name) {
	const [number, interval] = cells, flags = interval.flags.split(", ").filter(flag => flag);
	const got = JSON.stringify([number.text, number.v, interval.interval, interval.flags]);
	const say = what => [name + ": " + what + ": " + got + " of " + JSON.stringify(value)];
	const exact = value.exactness === "exact", bound = value.exactness === "at least";
	const reasons = (value.reasons || []).map(reason => reason.split(":")[0]);
	if (value.value === null) return number.v === "" && number.text === "\u2013" && flags.length ? [] : say("not absent");
	if (number.v === "" || Math.abs(number.v - value.value) > 1e-10 * Math.abs(value.value)) return say("another value");
	if (!close(plain(number.text), value.value, .51)) return say("another number");
	if (exact !== (!interval.interval && !bound)) return say("exact");
	if (number.text.startsWith("\u2265") !== bound) return say("a lower bound");
	if (JSON.stringify(flags) !== JSON.stringify(reasons)) return say("flags");
	if (exact || bound) return interval.interval ? say("an interval") : [];
	if (value.low === undefined || (value.low === null && value.high === null)) return interval.interval === "\u00b1 ?" ? [] : say("no interval");
	const ends = interval.interval.startsWith("\u00b1 ") ?
		[value.value - plain(interval.interval.slice(2)), value.value + plain(interval.interval.slice(2))] :
		interval.interval.split(" to ").map(plain);
	const wanted = [value.low === null ? -Infinity : value.low, value.high === null ? Infinity : value.high];
	const unit = .51 + .05 * (wanted[1] - wanted[0]);
	return close(ends[0], wanted[0], unit) && close(ends[1], wanted[1], unit) ? [] : say("another interval");
}
/* All of a table of estimates: of what, under which name, inclusive or exclusive. */
function compare(rows, list, nameOf, what, kind) {
	const bad = [];
	list.forEach((line, i) => {
		if (!rows[i] || rows[i][0].text !== nameOf(line)) bad.push("line " + i + " is not " + nameOf(line));
		else line[what].forEach((count, k) => bad.push(...wrong(rows[i].slice(1 + 2 * k, 3 + 2 * k), count[kind],
			nameOf(line) + " " + (count.event || count.metric))));
	});
	return rows.length === list.length ? bad.slice(0, 3) : ["lines: " + rows.length];
}
const whole = report.call_paths[0].seconds;
const times = line => [line.seconds, 100 * line.seconds / whole, line.exclusive_seconds, 100 * line.exclusive_seconds / whole].map(same);
/* Shares have fewer digits than what they are made of. */
const rounded = list => list.map(v => v === null ? null : Number(v.toPrecision(8)));

(async () => {
	await start(browser);
	await open(page, 1280, false);
	check("its title is the command, and no name is a script", [await find("document.title"), await find("window.broken === undefined")],
		[report.title, true]);
	check("what went wrong is in front", await find(`[...document.querySelector("main").children].filter(e => e.className === "note" && !e.closest("section")).map(e => e.textContent).slice(0, ${report.notes.length})`),
		report.notes.map(note => (note.name === null ? "" : note.name + ": ") + note.what + (note.times === 1 ? "" : ` (${note.times} times)`)));
	check("... before all else", await find(`document.querySelector("main").firstElementChild.className`), "note");
	check("the table of regions and the picture of call paths come next", await find(`[...document.querySelector("main").children].filter(e => e.className !== "note").slice(0, 3).map(e => e.tagName + " " + (e.querySelector("h3, figcaption") || e).firstChild.textContent.trim())`),
		["H2 Regions", "SECTION Counts, inclusive, by region", "FIGURE Time by call path"]);
	check("... and what was run is last", await find(`[...document.querySelectorAll("h2")].slice(-2).map(h => h.textContent)`), ["What was run", "Data"]);
	/* Where a text ends on the right, of the number alone and not of what is behind it. */
	const ragged = `[...document.querySelectorAll("section.table")].flatMap(section => {
		const right = node => { const r = document.createRange(); r.selectNodeContents(node); return r.getBoundingClientRect().right; };
		return [...section.querySelectorAll("thead th.n")].filter(th => [...section.querySelectorAll("tbody tr")].slice(0, 3).some(tr =>
			Math.abs(right(tr.cells[th.cellIndex].firstChild) - right(th.querySelector("span"))) > 1)).map(th => section.querySelector("h3").textContent + ": " + th.textContent);
	})`;
	check("numbers end below the ends of their heads", await find(ragged), []);
	check("... in digits of one width", await find(`getComputedStyle(document.querySelector("td.n")).fontVariantNumeric`), "tabular-nums");
	const facts = await find(`Object.fromEntries([...document.querySelectorAll("main > dl")].pop().querySelectorAll("div").entries().map(([i, div]) => [div.children[0].textContent, div.children[1].textContent]))`);
	check("facts", [facts.Processes, facts.Threads, facts.Host],
		[String(report.processes.length), String(report.threads.length), [...new Set(report.processes.map(p => p.host))].join(", ")]);

	const of = await find(tables);
	check("times by region", of["Time by region"].map(row => [row[0].text, ...rounded(numbers(row))]),
		report.regions.map(r => [nameOf(r), r.region === null ? null : r.calls, r.threads, r.processes,
			...rounded([...times(r), 100 * r.over_threads[0].imbalance])]));
	check("counts, inclusive", compare(of["Counts, inclusive, by region"].map(row => row.slice(0, 1).concat(row.slice(2))), report.regions, nameOf, "counts", "inclusive"), []);
	check("... and exclusive", compare(of["Counts, exclusive, by region"], report.regions, nameOf, "counts", "exclusive"), []);
	check("metrics, inclusive", compare(of["Metrics, inclusive, by region"], report.regions, nameOf, "metrics", "inclusive"), []);
	check("... and exclusive", compare(of["Metrics, exclusive, by region"], report.regions, nameOf, "metrics", "exclusive"), []);
	const missed = value => value.reasons && value.reasons[0] === "not counted" ? value.reasons.slice(1) : [];
	const missing = report.metrics.map((m, k) => [m.metric, report.regions.map(r => missed(r.metrics[k].inclusive))]).filter(([, lists]) => lists.every(list => list.length));
	check("what metrics miss", await find(`[...document.querySelectorAll("main > dl")].slice(0, -1).map(dl => [...dl.children].map(div => div.textContent)).flat()`),
		missing.map(([name, lists]) => name + "needs " + lists[0].join(", ")));
	check("... is known", missing.map(([name]) => name), ["LACKS", "NOT_HERE"]);
	check("... and what they are", of["What metrics are"].map(row => row.map(cell => cell.text)),
		report.metrics.map(m => [m.metric, m.unit || "", m.formula, m.description || ""]));

	check("call paths are a tree", of["Time by call path"].map(row => [row[0].text, row[0].level, ...rounded(numbers(row).slice(3, 7))]),
		report.call_paths.map(p => [pathOf(p), depths.get(p.path), ...rounded(times(p))]));
	check("... with counts", compare(of["Counts, inclusive, by call path"], report.call_paths, pathOf, "counts", "inclusive"), []);
	check("... of their own", compare(of["Counts, exclusive, by call path"], report.call_paths, pathOf, "counts", "exclusive"), []);
	check("... and metrics", compare(of["Metrics, exclusive, by call path"], report.call_paths, pathOf, "metrics", "exclusive"), []);
	check("exclusive times of call paths are the whole",
		Math.abs(of["Time by call path"].reduce((sum, row) => sum + Number(numbers(row)[5]), 0) / whole - 1) < 1e-9, true);
	check("the picture of call paths has their widths", await find(`[...document.querySelectorAll(".tree > svg")].map(svg => Math.round(parseFloat(svg.getAttribute("width")) * 100))`),
		report.call_paths.map(p => Math.round(1e4 * p.seconds / whole)));
	const bars = list => list.filter(r => r.region !== null).slice(0, 20);
	check("bars over threads, and processes", await find(`[...document.querySelectorAll("figure.bars tbody th")].map(th => th.textContent)`),
		[...bars(report.regions), ...bars(report.regions)].map(nameOf));
	check("... are as long as the mean", await find(`[...document.querySelectorAll("figure.bars")].map(figure => [...figure.querySelectorAll("rect")].map(rect => Math.round(parseFloat(rect.getAttribute("width")) * 10)))`),
		["over_threads", "over_processes"].map(over => {
			const most = Math.max(...bars(report.regions).map(r => r[over][0].max));
			return bars(report.regions).map(r => Math.round(1000 * r[over][0].mean / most));
		}));
	/* Ranks have one process each; a thread is "RANK.NUMBER". */
	const who = (s, end, whose) => whose === "processes" ? String(s[end + "_rank"]) : s[end + "_rank"] + "." + s[end + "_thread"];
	const spreads = (whose, list, kind, last) => report.regions.flatMap(r => r[list + whose].map(s => [nameOf(r), s]))
		.filter(([, s]) => s.n > 1 && kind(s)).map(([name, s]) => [name, s.event || s.metric || "", who(s, "min", whose), who(s, "max", whose),
			...rounded([s.min, s.max, s.mean, last(s)])]);
	const shown = (caption, named) => of[caption] && of[caption].map(row => [row[0].text, named ? row[1].text : "",
		...row.filter(cell => cell.v === undefined).slice(named ? 2 : 1, named ? 4 : 3).map(cell => cell.text), ...rounded(numbers(row))]);
	for (const whose of ["threads", "processes"]) {
		check("least and most time over " + whose + ", and who has them", shown(`Time over ${whose}, inclusive`, false),
			spreads(whose, "over_", s => s.event === null, s => 100 * s.imbalance));
		check("... of counts", shown(`Counts over ${whose}, inclusive`, true), spreads(whose, "over_", s => s.event !== null, s => 100 * s.imbalance));
		check("... of metrics", shown(`Metrics over ${whose}, inclusive`, true), spreads(whose, "metrics_over_", () => true, s => s.sum));
	}
	const parts = report.thread_regions;
	const rows = Object.entries(of).find(([caption]) => caption.startsWith("Regions of each thread"))[1];
	check("each region of each thread", rows.map(row => [row[1].text, ...numbers(row).slice(0, 3)]),
		parts.map(r => [nameOf(r), r.region === null ? null : r.calls, same(r.seconds), same(r.exclusive_seconds)]));
	check("... and its counts", compare(rows.map(row => row.slice(1, 2).concat(row.slice(5))), parts, nameOf, "counts", "inclusive"), []);
	check("... of which thread", [...new Set(rows.map(row => row[0].text))].length, report.threads.length);
	check("the page has the report as data", await find(`JSON.parse(document.getElementById("report").textContent)`), report);

	for (const width of [390, 800]) {
		await open(page, width, true, width === 800 ? "print" : "");
		check(width === 390 ? "a narrow page does not scroll sideways" : "... nor does a printed one",
			await find("document.documentElement.scrollWidth <= innerWidth || matchMedia('print').matches"), true);
		if (width === 390)
			check("... and has names and counts of regions in sight", await find(`[...document.querySelectorAll("section.table")][0].querySelectorAll("tbody tr").values().map(tr =>
				[tr.cells[0], tr.cells[2]]).toArray().flat().every(cell => (box => box.width > 0 && box.left >= 0 && box.right <= innerWidth)(cell.getBoundingClientRect())) &&
				document.querySelector("tbody").rows[0].cells[2].dataset.v === ${JSON.stringify(String(report.regions[0].counts[0].inclusive.value))}`), true);
	}

	await open(longPage, 1280, false);
	const first = await find(`document.querySelector("section.table").id`);
	check("of many regions a table has the first", await find(`document.querySelectorAll("#${first} tbody tr").length`), 1000);
	await find(`document.querySelectorAll("#${first} thead button")[1].click()`);
	const most = long.regions.filter(r => r.region !== null).map(r => r.calls).sort((a, b) => b - a).slice(0, 20);
	check("... and sorts all", await find(`[...document.querySelectorAll("#${first} tbody tr")].slice(0, 20).map(tr => Number(tr.cells[1].dataset.v))`), most);
	const last = long.regions.filter(r => r.region !== null).pop();
	await find(`{ const f = document.querySelector("#${first} input"); f.value = ${JSON.stringify(last.region)}; f.dispatchEvent(new Event("input")) }`);
	check("... and finds the last", await find(`[...document.querySelectorAll("#${first} tbody tr")].map(tr => [tr.cells[0].textContent, Number(tr.cells[1].dataset.v)])`),
		[[last.region, last.calls]]);
	check("no complaint of the browser's", complaints, []);
	end();
})();
