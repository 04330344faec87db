// SPDX-License-Identifier: BSD-3-Clause
// page_browser.js - opens a page in a browser, and says as TAP's lines without numbers what a reader
// finds: page_browser.js BROWSER PAGE LONG-PAGE. Exits with 3 where the browser does not start.
"use strict";
const {start, end, ask, find, open, press, check, complaints} = require("./browser.js");
const [browser, file, long] = process.argv.slice(2);

const column = k => `[...document.querySelectorAll("section.table tbody tr")].slice(0, 4).map(tr => tr.cells[${k}].textContent).join("|").replace(/\\u202f/g, "")`;
const head = k => `document.querySelectorAll("section.table thead button")[${k}]`;
const sorted = `[...document.querySelectorAll("section.table thead th")].map(th => th.getAttribute("aria-sort") || "-").join(" ")`;
const shown = `[...document.querySelectorAll(".tree > svg")].filter(svg => svg.style.display !== "none").length`;
const paper = `getComputedStyle(document.documentElement).backgroundColor`;

(async () => {
	await start(browser);

	await open(file, 1200, false);
	check("light, with our style", await find(paper), "rgb(255, 255, 255)");
	check("no name is a script", await find("document.title"), "Regions of ./lulesh2.0 -s 30 </title>");
	check("data is there", await find(`JSON.parse(document.getElementById("data").textContent).numbers.join()`), "1,2.5");

	const before = await find(column(0));
	await find(head(2) + ".focus()");
	await press("Enter");
	check("a key sorts numbers, the most first", await find(column(2)), "12.500000|6.250000|4.166667|3.125000");
	check("... and says so", await find(sorted), "- - descending - -");
	await press("Enter");
	check("again, the least first", await find(column(2)), "0.312500|0.320513|0.328947|0.337838");
	await press("Enter");
	check("again, as it was", [await find(column(0)), await find(sorted)], [before, "- - - - -"]);
	await find(head(1) + ".click(); " + head(1) + ".click()");
	check("no value is last whichever way", await find(`document.querySelector("section.table tbody").lastChild.cells[1].textContent`), "\u2013");
	const names = await find(`[...document.querySelectorAll("section.table tbody tr")].map(tr => tr.cells[0].textContent)`);
	await find(head(0) + ".click()");
	check("texts from A", await find(column(0)), names.sort((a, b) => a.localeCompare(b, "en", {numeric: true})).slice(0, 4).join("|"));
	await find(`{ const f = document.querySelector("input"); f.value = "HALO"; f.dispatchEvent(new Event("input")) }`);
	check("rows are found by a text", await find(`document.querySelector(".tools [role=status]").textContent + document.querySelectorAll("section.table tbody tr").length`), "4 rows4");

	const all = await find(shown);
	await find(`document.querySelector(".tree > svg").focus()`);
	await press("ArrowDown");
	await press("ArrowRight");
	await press("Enter");
	check("a call path is chosen by keys", await find(`document.querySelector(".told").textContent`), "solve: 3.125000 s, 25.0 %");
	check("... and is the whole width", await find(`document.activeElement.getAttribute("width")`), "100%");
	await press("ArrowUp");
	await press("Escape");
	check("... and all are there again", await find(shown), all);

	await open(file, 390, true);
	check("dark", await find(paper), "rgb(18, 23, 29)");
	check("a narrow page does not scroll sideways", await find("document.documentElement.scrollWidth <= innerWidth"), true);
	check("... its table does", await find(`(b => b.scrollWidth > b.clientWidth)(document.querySelector(".box"))`), true);
	await open(file, 800, true, "print");
	check("print is light, and has no buttons", [await find(paper), await find(`getComputedStyle(document.querySelector(".tools")).display`)], ["rgb(255, 255, 255)", "none"]);

	await open(long, 1200, false);
	check("a long table has its first rows", await find(`document.querySelectorAll("tbody tr").length - document.querySelectorAll("figure tbody tr").length`), 1000);
	await find(head(1) + ".click()");
	check("... and sorts all", await find(column(1)),
		[...Array(20000).keys()].map(i => i * 7919 % 100003).sort((a, b) => b - a).slice(0, 4).join("|"));
	await find(`[...document.querySelectorAll(".tools button")].pop().click()`);
	check("... and shows more", await find(`document.querySelectorAll("section.table tbody tr").length`), 2000);
	check("no complaint of the browser's", complaints, []);
	end();
})();
