
"use strict";
/* Tables: headers are buttons that sort, long ones can be searched, and rows that are data become rows
 * when they are shown. Trees of calls: what is chosen becomes the whole width. */
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
	function rowOf(cells, numbers, wide) {
		const tr = document.createElement("tr");
		cells.forEach((cell, i) => {
			const head = !i && !numbers[i];
			let td = make(head ? "th" : "td", cell[1]);
			if (head) td.scope = "row";
			if (numbers[i]) {
				td.className = "n";
				td.dataset.v = cell[0] === null ? "" : cell[0];
			} else if (cell[4]) td.className = "d" + cell[4];
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
		const wide = heads.map(th => th.colSpan > 1), place = [];
		heads.forEach((th, k) => { place[k] = k ? place[k - 1] + heads[k - 1].colSpan : 0; });
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
			body.replaceChildren(...list.slice(0, limit).map(row => row.tr || (row.tr = rowOf(row.data, numbers, wide))));
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

	document.querySelectorAll("section.table").forEach(table);
	document.querySelectorAll("figure.icicle").forEach(tree);
})();
