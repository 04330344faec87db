// SPDX-License-Identifier: BSD-3-Clause
// page_browser.js - opens a page in a browser, and says as TAP's lines without numbers what a reader
// finds: page_browser.js BROWSER PAGE LONG-PAGE. The browser is asked through a pipe of its own. Exits with
// 3 where it does not start.
"use strict";
const {spawn} = require("child_process");
const [browser, file, long] = process.argv.slice(2);
const child = spawn(browser, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
	"--remote-debugging-pipe", "--user-data-dir=" + process.cwd() + "/browser", "about:blank"],
	{stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
const waiting = {}, complaints = [];
let id = 0, read = "", session;

child.on("exit", () => process.exit(session ? 1 : 3));
child.on("error", () => process.exit(3));
child.stdio[3].on("error", () => {});
child.stdio[4].on("data", bytes => {
	const messages = (read + bytes).split("\0");
	read = messages.pop();
	messages.map(text => JSON.parse(text)).forEach(message => {
		if (waiting[message.id]) waiting[message.id](message.result || {});
		if (message.method === "Log.entryAdded") complaints.push(message.params.entry.text);
		if (message.method === "Runtime.exceptionThrown") complaints.push(message.params.exceptionDetails.text);
	});
});
const ask = (method, params = {}) => new Promise(done => {
	waiting[++id] = done;
	child.stdio[3].write(JSON.stringify({id, method, params, sessionId: session}) + "\0");
});
const find = async expression => {
	const answer = await ask("Runtime.evaluate", {expression, returnByValue: true});
	return answer.exceptionDetails ? answer.exceptionDetails.exception.description : answer.result.value;
};
async function open(page, width, dark, media = "") {
	await ask("Emulation.setDeviceMetricsOverride", {width, height: 844, deviceScaleFactor: 1, mobile: false});
	await ask("Emulation.setEmulatedMedia", {media, features: [{name: "prefers-color-scheme", value: dark ? "dark" : "light"}]});
	await ask("Page.navigate", {url: "file://" + page});
	while (await find("document.readyState") !== "complete" || await find("location.pathname") !== page)
		await new Promise(done => setTimeout(done, 20));
}
const press = async key => {
	const code = {Enter: 13, Escape: 27, Tab: 9, ArrowUp: 38, ArrowDown: 40, ArrowLeft: 37, ArrowRight: 39}[key];
	const text = key === "Enter" ? "\r" : undefined;
	await ask("Input.dispatchKeyEvent", {type: "keyDown", key, code: key, windowsVirtualKeyCode: code, text});
	await ask("Input.dispatchKeyEvent", {type: "keyUp", key, code: key, windowsVirtualKeyCode: code});
};
function check(name, got, wanted) {
	got = JSON.stringify(got);
	wanted = JSON.stringify(wanted);
	if (got === wanted) console.log("ok - " + name);
	else console.log("not ok - " + name + "\n# got " + got + "\n# wanted " + wanted);
}
const column = k => `[...document.querySelectorAll("section.table tbody tr")].slice(0, 4).map(tr => tr.cells[${k}].textContent).join("|").replace(/\\u202f/g, "")`;
const head = k => `document.querySelectorAll("section.table thead button")[${k}]`;
const sorted = `[...document.querySelectorAll("section.table thead th")].map(th => th.getAttribute("aria-sort") || "-").join(" ")`;
const shown = `[...document.querySelectorAll(".tree > svg")].filter(svg => svg.style.display !== "none").length`;
const paper = `getComputedStyle(document.documentElement).backgroundColor`;

(async () => {
	const target = await ask("Target.createTarget", {url: "about:blank"});
	session = (await ask("Target.attachToTarget", {targetId: target.targetId, flatten: true})).sessionId;
	await Promise.all([ask("Log.enable"), ask("Page.enable"), ask("Runtime.enable")]);

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
	child.removeAllListeners("exit");
	child.kill();
	child.on("exit", () => process.exit(0));
})();
