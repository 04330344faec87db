
"use strict";
/* Tables: headers are buttons that sort, long ones can be searched, and rows that are data become rows
 * when they are shown. Trees of calls: what is chosen becomes the whole width. Lines: values are told. */
(function () {
	const STEP = 1000, LONG = 20;
	const make = (name, words, className) => {
		const element = document.createElement(name);
		if (words !== undefined) element.textContent = words;
		if (className) element.className = className;
		return element;
	};
	const grouped = n => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");

	/* A row of data as the element that it would be, had page_table.c written it. */
	function rowOf(cells, numbers, wide, words) {
		const tr = document.createElement("tr");
		cells.forEach((cell, i) => {
			const head = !i && !numbers[i];
			let td = make(head ? "th" : "td", cell[1]);
			if (head) td.scope = "row";
			if (numbers[i]) {
				td.className = "n";
				td.dataset.v = cell[0] === null ? "" : cell[0];
			} else if (words[i]) td.className = "w";
			else if (cell[4]) td.className = "d" + cell[4];
			if (wide[i]) {
				tr.append(td);
				td = make("td", undefined, "i");
				td.append(make("small", cell[2] || ""));
			}
			if (cell[3]) td.append(" ", make("em", cell[3]));
			tr.append(td);
		});
		return tr;
	}

	/* What has no number is last, whichever way. */
	function compare(a, b, down) {
		if (a === null || b === null) return (a === null) - (b === null);
		if (typeof a === "string") return down ? b.localeCompare(a, "en", {numeric: true}) : a.localeCompare(b, "en", {numeric: true});
		return down ? b - a : a - b;
	}

	function table(section) {
		const body = section.querySelector("tbody"), heads = [...section.querySelectorAll("thead th")];
		const numbers = heads.map(th => th.classList.contains("n"));
		const short = heads.map(th => th.classList.contains("w"));
		const wide = heads.map(th => th.classList.contains("e")), place = heads.map(th => th.cellIndex);
		const more = document.getElementById(section.id + "-more"), cut = section.querySelector(".cut");
		let rows = null, sorted = -1, down = false, wanted = "", limit = STEP;

		/* Read when it is first wanted: a long table opens at once. */
		function read() {
			if (rows) return;
			rows = [...body.rows].map((tr, i) => ({tr, i}));
			if (more) JSON.parse(more.textContent).forEach(data => rows.push({data, i: rows.length}));
		}
		function key(row, k) {
			if (row.data) return numbers[k] ? row.data[k][0] : row.data[k][1];
			const cell = row.tr.cells[place[k]];
			if (!numbers[k]) return cell.firstChild ? cell.firstChild.textContent : "";
			return cell.dataset.v ? Number(cell.dataset.v) : null;
		}
		function words(row) {
			return row.data ? row.data.map((cell, k) => numbers[k] ? "" : cell[1]).join("\n") :
				heads.map((th, k) => numbers[k] ? "" : row.tr.cells[place[k]].textContent).join("\n");
		}
		function show() {
			read();
			let list = wanted ? rows.filter(row => words(row).toLowerCase().includes(wanted)) : rows.slice();
			if (sorted >= 0) {
				const keys = new Map(list.map(row => [row, key(row, sorted)]));
				list.sort((a, b) => compare(keys.get(a), keys.get(b), down) || a.i - b.i);
			}
			body.replaceChildren(...list.slice(0, limit).map(row => row.tr || (row.tr = rowOf(row.data, numbers, wide, short))));
			body.parentNode.classList.toggle("flat", sorted >= 0);
			heads.forEach((th, k) => k === sorted ? th.setAttribute("aria-sort", down ? "descending" : "ascending") : th.removeAttribute("aria-sort"));
			const shown = Math.min(limit, list.length);
			if (told) told.textContent = (shown < list.length ? grouped(shown) + " of " : "") + grouped(list.length) + (list.length === 1 ? " row" : " rows");
			if (button) button.hidden = shown >= list.length;
		}
		/* Numbers from the top first, texts from A; then the other way; then as they were. */
		function sort(k) {
			const first = numbers[k];
			if (sorted !== k) sorted = k, down = first;
			else if (down === first) down = !first;
			else sorted = -1;
			show();
		}
		heads.forEach((th, k) => {
			const head = make("button");
			head.type = "button";
			head.append(...th.childNodes);
			head.addEventListener("click", () => sort(k));
			th.append(head);
		});

		let told, button;
		if (body.rows.length <= LONG) return;
		section.classList.add("long");
		const tools = make("div", undefined, "tools"), find = make("input");
		find.type = "search";
		find.placeholder = "Find";
		find.setAttribute("aria-label", "Find in this table");
		find.addEventListener("input", () => { wanted = find.value.toLowerCase(); limit = STEP; show(); });
		told = make("span");
		told.setAttribute("role", "status");
		tools.append(find, told);
		if (more) {
			cut.remove();
			button = make("button", grouped(STEP) + " more");
			button.type = "button";
			button.addEventListener("click", () => { limit += STEP; show(); });
			const below = make("div", undefined, "tools");
			below.append(button);
			section.append(below);
			told.textContent = cut.dataset.told;
		} else told.textContent = grouped(body.rows.length) + " rows";
		section.querySelector(".box").before(tools);
	}

	function tree(figure) {
		const told = make("p", "", "told"), nodes = [...figure.querySelectorAll(".tree > svg")].map(svg => ({
			svg, x: parseFloat(svg.getAttribute("x")), width: parseFloat(svg.getAttribute("width")),
			y: parseFloat(svg.getAttribute("y")), name: svg.querySelector("title").textContent
		}));
		if (!nodes.length) return;
		told.setAttribute("role", "status");
		told.textContent = "Choose a part to see it larger, with the mouse or with arrows and Enter; Escape shows the whole.";
		figure.append(told);
		const within = (a, b) => a.x >= b.x - 1e-3 && a.x + a.width <= b.x + b.width + 1e-3;
		function zoom(to) {
			nodes.forEach(node => {
				const from = to ? to.x : 0, size = to ? to.width : 100;
				const left = Math.max(0, (node.x - from) / size * 100);
				const right = Math.min(100, (node.x + node.width - from) / size * 100);
				node.svg.setAttribute("x", left + "%");
				node.svg.setAttribute("width", Math.max(0, right - left) + "%");
				node.svg.style.display = right - left > 1e-6 ? "" : "none";
				const words = node.svg.querySelector("text");
				if (!words && right - left > 0.8) {
					const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
					text.setAttribute("x", 5);
					text.setAttribute("y", 15);
					text.textContent = node.name.replace(/: [^:]*$/, "");
					node.svg.append(text);
				}
			});
		}
		const seen = node => node.svg.style.display !== "none";
		function go(node) {
			if (!node) return;
			nodes.forEach(other => other.svg.setAttribute("tabindex", other === node ? 0 : -1));
			node.svg.focus();
		}
		nodes.forEach((node, i) => {
			node.svg.setAttribute("tabindex", i ? -1 : 0);
			node.svg.setAttribute("role", "button");
			node.svg.setAttribute("aria-label", node.name);
			const tell = () => { told.textContent = node.name; };
			node.svg.addEventListener("mouseenter", tell);
			node.svg.addEventListener("focus", tell);
			node.svg.addEventListener("click", () => { go(node); zoom(node); });
			node.svg.addEventListener("keydown", event => {
				const level = nodes.filter(other => other.y === node.y && seen(other)), at = level.indexOf(node);
				const moves = {
					ArrowLeft: () => go(level[at - 1]),
					ArrowRight: () => go(level[at + 1]),
					ArrowUp: () => go(nodes.find(other => other.y < node.y && node.y - other.y < 23 && within(node, other))),
					ArrowDown: () => go(nodes.find(other => other.y > node.y && other.y - node.y < 23 && within(other, node) && seen(other))),
					Enter: () => zoom(node),
					" ": () => zoom(node),
					Escape: () => zoom(null)
				};
				if (!moves[event.key]) return;
				event.preventDefault();
				moves[event.key]();
			});
		});
	}

	/* Values where the mouse is, or where arrows have gone; one line can be chosen, and others are faint. */
	function lines(figure) {
		const data = JSON.parse(document.getElementById(figure.id + "-data").textContent);
		const plot = figure.querySelector(".plot"), inside = plot.querySelector("svg");
		const paths = [...inside.querySelectorAll("path")], rows = [...figure.querySelectorAll("tbody tr")];
		const bands = [...inside.querySelectorAll(".band")], told = make("p", "", "told");
		const draw = (name, attributes) => {
			const element = document.createElementNS("http://www.w3.org/2000/svg", name);
			Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
			return element;
		};
		const two = n => String(Math.floor(n)).padStart(2, "0");
		const number = n => Math.abs(n) >= 1e15 ? n.toExponential(5) :
			n !== 0 && Math.abs(n) < 0.5 * Math.pow(10, -data.decimals) ? n.toPrecision(2) :
			n.toFixed(data.decimals).replace(/^-?\d+/, grouped).replace("-", "\u2212");
		const clock = t => (data.step < 1 ? t.toPrecision(6) + " s" : Math.floor(t / 3600) + ":" + two(t / 60 % 60) + ":" + two(t % 60)) +
			(data.started ? " (" + new Date((data.started + t) * 1000).toISOString().replace(/\.\d+/, "") + ")" : "");
		/* Of a column with many points: from the least to the most. */
		const value = (k, at) => {
			const low = data.lines[k].low[at], high = data.lines[k].high[at];
			return low === null ? "\u2013" : number(low) === number(high) ? number(low) : number(low) + " to " + number(high);
		};
		const unit = figure.querySelector(".axes span").textContent;
		const y = n => data.top + data.height * (1 - (n - data.low) / (data.high - data.low));
		const n = data.x.length, hint = figure !== document.querySelector("figure.lines") ? "" : "Values are shown where the mouse is, or by arrows: left and right for time, up and down for one of the lines; Escape ends it.";
		const cursor = draw("line", {class: "cursor", y1: data.top, y2: data.top + data.height, visibility: "hidden"});
		const dots = paths.map((path, k) => draw("circle", {class: "s" + (k % 8 + 1), r: 4, visibility: "hidden"}));
		let at = -1, chosen = -1;

		if (!n || !paths.length) return;
		plot.append(cursor, ...dots);
		const head = make("th", "There", "n there");
		head.scope = "col";
		figure.querySelector("thead tr").append(head);
		const cells = rows.map(tr => {
			const td = make("td", "", "n there");
			tr.append(td);
			return td;
		});
		told.setAttribute("role", "status");
		told.textContent = hint;
		figure.querySelector(".time").after(told);

		function tell() {
			const seen = at >= 0;
			cursor.setAttribute("visibility", seen ? "visible" : "hidden");
			paths.forEach((path, k) => {
				const there = seen ? data.lines[k].high[at] : null, other = chosen >= 0 && chosen !== k;
				path.classList.toggle("faint", other);
				rows[k].classList.toggle("chosen", chosen === k);
				cells[k].textContent = seen ? value(k, at) : "";
				dots[k].setAttribute("visibility", there === null || other ? "hidden" : "visible");
				if (there === null) return;
				dots[k].setAttribute("cx", data.x[at] * 100 + "%");
				dots[k].setAttribute("cy", y(there));
			});
			if (!seen) return void (told.textContent = hint);
			cursor.setAttribute("x1", data.x[at] * 100 + "%");
			cursor.setAttribute("x2", data.x[at] * 100 + "%");
			const words = [clock(data.time[at])], x = data.x[at] * 1000;
			paths.forEach((path, k) => {
				if (chosen !== k && (chosen >= 0 || paths.length > 6)) return;
				const low = data.lines[k].low[at];
				words.push(rows[k].cells[0].textContent + " " + value(k, at) + (low === null ? "" : " " + unit +
					(data.peak ? " (" + (100 * data.lines[k].high[at] / data.peak).toFixed(1) + " %)" : "")));
			});
			bands.filter(band => Number(band.getAttribute("x")) <= x && x <= Number(band.getAttribute("x")) + Number(band.getAttribute("width")))
				.slice(0, 3).forEach(band => words.push(band.querySelector("title").textContent));
			told.textContent = words.join("; ");
		}
		function nearest(x) {
			let low = 0, high = n - 1;
			while (low < high) {
				const middle = low + high >> 1;
				if (data.x[middle] < x) low = middle + 1;
				else high = middle;
			}
			return low && x - data.x[low - 1] < data.x[low] - x ? low - 1 : low;
		}
		const go = place => { at = Math.max(0, Math.min(n - 1, place)); tell(); };
		const choose = k => { chosen = k < 0 || k >= paths.length ? -1 : k; tell(); };
		plot.setAttribute("tabindex", 0);
		plot.addEventListener("pointermove", event => {
			const box = plot.getBoundingClientRect();
			go(nearest((event.clientX - box.left) / box.width));
		});
		plot.addEventListener("pointerleave", () => { if (document.activeElement !== plot) { at = -1; tell(); } });
		plot.addEventListener("blur", () => { at = -1; tell(); });
		rows.forEach((tr, k) => tr.addEventListener("click", () => choose(chosen === k ? -1 : k)));
		plot.addEventListener("keydown", event => {
			const step = event.shiftKey ? Math.max(1, Math.round(n / 20)) : 1;
			const moves = {
				ArrowLeft: () => go(at < 0 ? n - 1 : at - step),
				ArrowRight: () => go(at < 0 ? 0 : at + step),
				Home: () => go(0),
				End: () => go(n - 1),
				ArrowDown: () => choose(chosen + 1),
				ArrowUp: () => choose(chosen < 0 ? paths.length - 1 : chosen - 1),
				Escape: () => { at = -1; choose(-1); }
			};
			if (!moves[event.key]) return;
			event.preventDefault();
			moves[event.key]();
		});
	}

	document.querySelectorAll("section.table").forEach(table);
	document.querySelectorAll("figure.lines").forEach(lines);
	document.querySelectorAll("figure.icicle").forEach(tree);
})();
