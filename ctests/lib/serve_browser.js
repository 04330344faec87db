// SPDX-License-Identifier: BSD-3-Clause
// serve_browser.js - reads upc_serve's live page in a browser: serve_browser.js BROWSER ADDRESS UPCCTL SOCKET.
// TAP's lines without numbers. Exits with 3 where the browser does not start.
"use strict";
const {execFileSync} = require("child_process");
const {start, end, ask, find, check, complaints} = require("./browser.js");
const [browser, address, upcctl, socket] = process.argv.slice(2);

const later = ms => new Promise(done => setTimeout(done, ms));
/* For long, but not for ever. */
async function until(expression) {
	for (let i = 0; i < 600; i++) {
		if (await find(expression) === true) return true;
		await later(200);
	}
	return await find(expression);
}
async function go(width, dark) {
	await ask("Emulation.setDeviceMetricsOverride", {width, height: 900, deviceScaleFactor: 1, mobile: false});
	await ask("Emulation.setEmulatedMedia", {media: "", features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
	await ask("Page.navigate", {url: address});
	return until(`location.href === "${address}" && document.readyState === "complete" && document.querySelectorAll("#counters tbody tr").length > 0`);
}
const command = (...words) => execFileSync(upcctl, ["-S", socket, ...words]);
const row = name => `[...document.querySelectorAll("#counters tbody tr")].find(tr => tr.querySelector("button").textContent === ${JSON.stringify(name)})`;
const state = name => `(${row(name)} || {cells: [0, 0, {firstChild: {}}]}).cells[2].firstChild.textContent`;
const now = name => `${row(name)}.cells[3].textContent`;
const paper = `getComputedStyle(document.documentElement).backgroundColor`;
const evil = "<img src=x onerror=document.title=1>";

(async () => {
	await start(browser);
	check("the page has counters", await go(1200, false), true);
	check("... and is live", await until(`document.getElementById("live").textContent.startsWith("Live")`), true);
	check("it is light", await find(paper), "rgb(255, 255, 255)");
	check("a counter counts", await until(`${state("user")} === "counting"`), true);
	check("... and has a rate of each CPU", await until(`/%$/.test(${now("user")}) && ${row("user")}.querySelectorAll("svg path").length === ${require("os").cpus().length}`), true);
	await find(`${row("user")}.querySelector("button").click()`);
	check("... and lines", await until(`document.querySelectorAll("#chart path").length >= 1 && /L/.test(document.querySelector("#chart path").getAttribute("d"))`), true);
	check("... within their picture", await find(`[...document.querySelectorAll("#chart path")].every(p => (a => (b => a.top >= b.top - 1 && a.bottom <= b.bottom + 1 && a.left >= b.left - 1 && a.right <= b.right + 1)(document.querySelector("#chart svg").getBoundingClientRect()))(p.getBoundingClientRect()))`), true);
	check("... and counts of all places", await find(`[...document.querySelectorAll("#places tbody tr")].every(tr => /^[0-9\\u202f]+$/.test(tr.cells[3].textContent) && tr.cells[1].textContent === "counting")`), true);
	await find(`document.getElementById("by-numa").click()`);
	check("... by NUMA node, too", await until(`document.querySelector("#places tbody tr td span").textContent === "node0"`), true);
	await find(`document.getElementById("by-cpu").click()`);
	check("what is missing has its reason", await until(`${state("broken")} === "failed" && ${row("broken")}.cells[2].lastChild.textContent.length > 10`), true);
	check("... and no value", await find(now("broken")), "\u2013");

	command("halt", "user");
	check("a halted counter says so", await until(`${state("user")} === "halted"`), true);
	check("... and its value is absent, not 0", [await find(now("user")), await find(`[...document.querySelectorAll("#places tbody tr")].map(tr => tr.cells[2].textContent).join("")`)],
		["\u2013", "\u2013".repeat(require("os").cpus().length)]);
	command("continue", "user");
	check("... and goes on", await until(`${state("user")} === "counting"`), true);
	check("... with a line that was interrupted", await until(`document.querySelector("#chart path").getAttribute("d").split("M").length > 2`), true);
	command("add", "cpu::ctxt", "as=" + "switches_of_all");
	check("a counter that is added comes", await until(`${state("switches_of_all")} === "counting"`), true);
	command("remove", "switches_of_all");
	check("... and one that is removed goes", await until(`!${row("switches_of_all")}`), true);

	await find(`{ const f = document.getElementById("find"); f.value = "BROKEN"; f.dispatchEvent(new Event("input")) }`);
	check("counters are found by a text", await find(`[...document.querySelectorAll("#counters tbody tr")].filter(tr => !tr.hidden).map(tr => tr.querySelector("button").textContent).join()`), "broken");
	await find(`{ const f = document.getElementById("find"); f.value = ""; f.dispatchEvent(new Event("input")) }`);

	/* Answers that are any bytes: nothing of them is markup. */
	await find(`{ const real = window.fetch; window.fetch = async (path, how) => { const a = await real(path, how); const t = await a.text(); return {ok: a.ok, text: async () => t.replace(/"value":"failed"/g, '"value":' + JSON.stringify(${JSON.stringify(evil)})).replace(/"value":"user"/g, '"value":' + JSON.stringify(${JSON.stringify(evil)}))}; }; }`);
	check("a name that is markup is text", await until(`!!${row(evil)} && [...document.querySelectorAll("#counters .state")].some(e => e.textContent === ${JSON.stringify(evil)})`), true);
	check("... and makes no element", [await find(`document.querySelectorAll("img").length`), await find(`document.title === "1"`)], [0, false]);

	check("dark, and narrow", [await go(390, true), await find(paper)], [true, "rgb(18, 23, 29)"]);
	check("... without scrolling sideways", await until("document.documentElement.scrollWidth <= innerWidth"), true);
	check("no complaint of the browser's", complaints, []);

	/* Another page, here a file, asks what this one may. */
	await ask("Page.navigate", {url: "about:blank"});
	await until(`location.href === "about:blank"`);
	await find(`fetch("${address}metrics").then(a => a.text()).then(t => { window.got = "read " + t.length; }, () => { window.got = "refused"; })`);
	check("another page reads nothing", await until(`window.got !== undefined`) && await find("window.got"), "refused");
	await find(`fetch("${address}pmapi/store?name=upc.control.generation&value=1", {mode: "no-cors"}).then(a => { window.got = a.type; }, () => { window.got = "refused"; })`);
	await later(500);
	check("... and the node is as it was", JSON.parse(command("status", "-f", "json")).ok, true);
	end();
})();
