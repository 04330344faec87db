// SPDX-License-Identifier: BSD-3-Clause
// browser.js - pages in a browser, for tests: it is asked through a pipe of its own. The process exits with
// 3 where it does not start, and with 1 where it ends too early.
"use strict";
const {spawn} = require("child_process");
const waiting = {}, complaints = [];
let child, id = 0, read = "", session;

function answered(bytes) {
	const messages = (read + bytes).split("\0");
	read = messages.pop();
	messages.map(text => JSON.parse(text)).forEach(message => {
		if (waiting[message.id]) waiting[message.id](message.result || {});
		if (message.method === "Log.entryAdded") complaints.push(message.params.entry.text);
		if (message.method === "Runtime.exceptionThrown") complaints.push(message.params.exceptionDetails.text);
	});
}
const ask = (method, params = {}) => new Promise(done => {
	waiting[++id] = done;
	child.stdio[3].write(JSON.stringify({id, method, params, sessionId: session}) + "\0");
});
async function start(browser) {
	child = spawn(browser, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--remote-debugging-pipe", "--user-data-dir=" + process.cwd() + "/browser", "about:blank"],
		{stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
	child.on("exit", () => process.exit(session ? 1 : 3));
	child.on("error", () => process.exit(3));
	child.stdio[3].on("error", () => {});
	child.stdio[4].on("data", answered);
	const target = await ask("Target.createTarget", {url: "about:blank"});
	session = (await ask("Target.attachToTarget", {targetId: target.targetId, flatten: true})).sessionId;
	await Promise.all([ask("Log.enable"), ask("Page.enable"), ask("Runtime.enable")]);
}
function end() {
	child.removeAllListeners("exit");
	child.kill();
	child.on("exit", () => process.exit(0));
}
/* What an expression is there; of one that throws, its complaint. */
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
module.exports = {start, end, ask, find, open, press, check, complaints};
