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

	const told = `document.querySelector("figure.lines .told").textContent`;
	const there = `[...document.querySelectorAll("figure.lines")[0].querySelectorAll("tbody .there")].map(td => td.textContent).join("|")`;
	const plot = `document.querySelector(".plot")`;
	await find(plot + ".focus()");
	await press("ArrowRight");
	await press("ArrowRight");
	check("arrows tell values of lines", await find(told), "0:02:00 (2026-10-14T17:48:40Z); main 4.02 GB/s (15.7 %); " +
		"solve 3.85 GB/s (15.1 %); </script><script>document.title='broken'</script> 2.90 GB/s (11.3 %); exchange \"halo\" & 'edges' <b> 1.12 GB/s (4.4 %)");
	check("... and in the table", await find(there), "4.02|3.85|2.90|1.12");
	await press("ArrowDown");
	check("a line is chosen", await find(told), "0:02:00 (2026-10-14T17:48:40Z); main 4.02 GB/s (15.7 %)");
	check("... and others are faint", await find(`document.querySelectorAll("figure.lines")[0].querySelectorAll(".faint").length`), 3);
	await press("Escape");
	check("... and all are there again", [await find(`document.querySelectorAll(".faint").length`), await find(there)], [0, "|||"]);
	await find(`document.activeElement.blur(); ${plot}.scrollIntoView({block: "center"})`);
	const box = await find(`(b => [b.x, b.y, b.width, b.height])(${plot}.getBoundingClientRect())`);
	const point = async part => {
		const before = await find(there);
		await ask("Input.dispatchMouseEvent", {type: "mouseMoved", x: box[0] + box[2] * part, y: box[1] + box[3] / 2});
		for (let i = 0; i < 100 && await find(there) === before; i++) await new Promise(done => setTimeout(done, 20));
	};
	await point(0.229);
	check("in a gap there is no value, and why", await find(`${there} + ${told}.replace(/.*; /, "")`), "\u2013|\u2013|\u2013|\u2013taken by </title><script> (pid 1)");
	await point(0.999);
	check("the mouse tells values", await find(there), "3.72 to 3.73|2.04|1.23 to 1.24|1.13 to 1.14");
	check("lines are within their scales", await find(`[...document.querySelectorAll(".plot")].every(p => [...p.querySelectorAll("path")].every(l =>
		(a => (b => a.top >= b.top && a.bottom <= b.bottom && a.left >= b.left - 3 && a.right <= b.right + 3)(p.getBoundingClientRect()))(l.getBoundingClientRect())))`), true);

	await ask("Emulation.setScriptExecutionDisabled", {value: true});
	await open(file, 1200, false);
	check("without a script lines have their means", await find(`document.querySelector("figure.lines tbody tr").cells[1].textContent`), "4.20");
	await ask("Emulation.setScriptExecutionDisabled", {value: false});
	await open(file, 390, true);
	check("dark", await find(paper), "rgb(18, 23, 29)");
	check("a narrow page does not scroll sideways", await find("document.documentElement.scrollWidth <= innerWidth"), true);
	check("... its table does", await find(`(b => b.scrollWidth > b.clientWidth)(document.querySelector(".box"))`), true);
	check("... its lines have room", await find(plot + ".getBoundingClientRect().width > 200"), true);
	await open(file, 800, true, "print");
	check("print is light, and has no buttons", [await find(paper), await find(`getComputedStyle(document.querySelector(".tools")).display`)], ["rgb(255, 255, 255)", "none"]);

	await open(long, 1200, false);
	check("a long table has its first rows", await find(`document.querySelectorAll("tbody tr").length - document.querySelectorAll("figure tbody tr").length`), 1000);
	await find(head(1) + ".click()");
	check("... and sorts all", await find(column(1)),
		[...Array(20000).keys()].map(i => i * 7919 % 100003).sort((a, b) => b - a).slice(0, 4).join("|"));
	await find(`[...document.querySelectorAll(".tools button")].pop().click()`);
	check("... and shows more", await find(`document.querySelectorAll("section.table tbody tr").length`), 2000);
	check("many points of a line are few", await find(`document.querySelectorAll(".plot")[1].querySelector("path").getAttribute("d").length < 30000`), true);
	check("no complaint of the browser's", complaints, []);
	end();
})();
