// SPDX-License-Identifier: BSD-3-Clause
// jobstat_browser.js - opens pages of jobs in a browser, and says as TAP's lines without numbers what a reader
// finds: jobstat_browser.js BROWSER ONE-JOB SEVEN-JOBS. Exits with 3 where the browser does not start.
"use strict";
const {start, end, ask, find, open, press, check, complaints} = require("./browser.js");
const [browser, one, seven] = process.argv.slice(2);

const captions = `[...document.querySelectorAll("figcaption")].map(f => f.textContent)`;
const figure = text => `[...document.querySelectorAll("figure.lines")].find(f => f.textContent.includes(${JSON.stringify(text)}))`;
const table = text => `[...document.querySelectorAll("section.table")].find(s => s.querySelector("h3").textContent.includes(${JSON.stringify(text)}))`;
const cells = (text, row) => `[...${table(text)}.querySelectorAll("tbody tr")[${row}].cells].map(td => td.textContent.replace(/\\u202f/g, "").trim())`;
const names = text => `[...${table(text)}.querySelectorAll("tbody tr")].map(tr => tr.cells[0].textContent.trim())`;

(async () => {
	await start(browser);

	await open(one, 1200, false);
	check("figures of a job", await find(captions), ["FLOP rate of the job", "FLOP rate of a node",
		"Spread over nodes: standard deviation of the FLOP rate", "Memory bandwidth of nid001", "Spread over nodes: standard deviation of a node's memory bandwidth"]);
	check("which node stands for the job, and why", await find(`document.body.textContent.includes("nid001 stands for the job: its mean is the nearest to the median of 20 nodes")`), true);
	check("lines of four NUMA nodes", await find(`[...${figure("Memory bandwidth of")}.querySelectorAll("tbody th")].map(th => th.textContent)`),
		["NUMA node 0", "NUMA node 1", "NUMA node 2", "NUMA node 3"]);
	check("... with percents of the peak", await find(`${figure("Memory bandwidth of")}.querySelectorAll(".percent text").length > 2`), true);
	check("table III's form", await find(cells("Memory bandwidth of each NUMA node", 0)), ["0", "\u2264 12.20", "1.81", "\u2265 3580.00", "107.00", "1342.00", "45.70", "5.24", "20", "99.0"]);
	check("what was not counted is a band", await find(`[...${figure("FLOP rate of the job")}.querySelectorAll(".band title")].map(t => t.textContent)`), ["1 of 20 nodes without a value"]);
	await find(`${figure("FLOP rate of the job")}.querySelector(".plot").focus()`);
	for (let i = 0; i < 43; i++) await press("ArrowRight");
	check("... in which there is no sum", await find(`${figure("FLOP rate of the job")}.querySelector(".told").textContent.replace(/^.*UTC?Z?\\); /, "").replace(/.*\\); /, "")`),
		"whole job, 20 nodes \u2013; 1 of 20 nodes without a value");
	check("... and what is left of it is there", await find(`${figure("FLOP rate of a node")}.querySelectorAll("path").length > 2`), true);
	check("a finding", (await find(cells("What was found", 0))).slice(0, 3), ["nid003", "uncounted", "counters were taken by pid 4711 (perf) for 8.9 % of the time"]);
	check("a node with what was not counted", (await find(cells("Each node", 3))).slice(4, 6), ["91.1", "taken 8.89 %"]);

	await open(seven, 1200, false);
	check("one line a run", await find(`[...document.querySelector("figure.lines").querySelectorAll("tbody th")].map(th => th.textContent)`),
		["good-1", "bad-1", "good-2", "good-3", "bad-2", "bad-3 <i>", "good-4"]);
	await find(`[...${table("Each run")}.querySelectorAll("thead button")].find(b => b.textContent.startsWith("Spread, mean")).click()`);
	check("bad runs are on top by their spread", (await find(names("Each run"))).slice(0, 3).sort(), ["bad-1", "bad-2", "bad-3 <i>"]);
	check("what is bad is said before all else of a job", await find(`document.querySelectorAll(".note")[0].textContent`), "nid007: its FLOP rate is 0.51 of the other nodes' for 66 % of the time <b>");

	for (const [what, width, dark, media] of [["narrow", 390, true, ""], ["on paper", 800, false, "print"]]) {
		await open(seven, width, dark, media);
		check(what + ": it does not scroll sideways", await find("document.documentElement.scrollWidth <= innerWidth"), true);
		check("... and all pictures are there", await find(`[...document.querySelectorAll(".plot")].every(p => p.getBoundingClientRect().width > 200)`), true);
	}
	check("no complaint of the browser's", complaints, []);
	end();
})();
