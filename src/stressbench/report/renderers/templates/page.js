"use strict";
/* Rows in another order, rows by value, values of figures, another report beside this one. The page is complete without
   this script, which fetches nothing. */
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const DRAWN = new Set(["svg", "g", "defs", "path", "use", "rect", "circle", "text", "tspan", "clipPath", "pattern", "title", "desc", "image"]);

  const element = (tag, text, attributes = {}) => {
    const made = document.createElement(tag);
    made.textContent = text;
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };
  const words = (node) => node.textContent.trim().replace(/\s+/g, " ");
  const rowsOf = (table) => [...table.tBodies[0].rows];
  const headsOf = (table) => [...table.tHead.rows[0].cells];
  const labelOf = (head) => head.dataset.label ?? words(head);
  const numberOf = (cell) => parseFloat((cell.dataset.sort ?? words(cell)).replace(/^\[/, "").replaceAll(",", ""));

  /* Sorting: ascending, descending, the order of the page. Unknown values stay last. */
  const comparison = (column, numeric, sign) => (left, right) => {
    const [a, b] = [left.cells[column], right.cells[column]];
    if (!numeric) return sign * words(a).localeCompare(words(b), "en", {numeric: true});
    const [x, y] = [numberOf(a), numberOf(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
    return sign * (x - y);
  };

  const makeSortable = (table) => {
    const original = rowsOf(table);
    headsOf(table).forEach((head, column) => {
      const label = words(head);
      if (!label) return;
      head.dataset.label = label;
      const button = element("button", "", {type: "button", class: "sort", "aria-label": `Sort by ${label}`});
      button.addEventListener("click", () => {
        const next = {ascending: "descending", descending: null}[head.getAttribute("aria-sort")];
        const order = next === undefined ? "ascending" : next;
        headsOf(table).forEach((other) => other.removeAttribute("aria-sort"));
        if (order) head.setAttribute("aria-sort", order);
        const sign = order === "descending" ? -1 : 1;
        const sorted = order ? [...original].sort(comparison(column, head.classList.contains("number"), sign)) : original;
        table.tBodies[0].append(...sorted);
      });
      head.append("\u202f", button);
    });
  };

  /* Filters: a list of values for each column that the table names. */
  const makeFilters = (table) => {
    const rows = rowsOf(table);
    const group = element("div", "", {class: "filters", role: "group", "aria-label": "Rows shown"});
    const state = element("output", "");
    const choices = [];
    const apply = () => {
      let shown = 0;
      for (const row of rows) {
        row.hidden = choices.some(({column, list}) => list.value !== "" && words(row.cells[column]) !== list.value);
        shown += row.hidden ? 0 : 1;
      }
      state.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
    };
    for (const column of table.dataset.filters.split(" ").map(Number)) {
      const values = [...new Set(rows.map((row) => words(row.cells[column])))];
      if (values.length < 2) continue;
      const label = element("label", `${labelOf(headsOf(table)[column])} `);
      const list = element("select", "");
      list.append(element("option", "all", {value: ""}), ...values.map((value) => element("option", value, {value})));
      list.addEventListener("change", apply);
      label.append(list);
      group.append(label);
      choices.push({column, list});
    }
    if (!choices.length) return;
    group.append(state);
    table.closest(".scroll").before(group);
    apply();
  };

  /* Values of figures: without this script a title that the browser shows after a while. */
  const makeValues = () => {
    const tip = element("div", "", {class: "tip", "aria-hidden": "true"});
    tip.hidden = true;
    document.body.append(tip);
    const valueOf = (mark) => {
      const title = mark.querySelector("title");
      if (title) {
        mark.dataset.value = title.textContent;
        title.remove();
      }
      return mark.dataset.value;
    };
    document.addEventListener("pointerover", (event) => {
      const mark = event.target.closest?.(".value");
      tip.hidden = !mark;
      if (!mark) return;
      tip.textContent = valueOf(mark);
      const box = mark.getBoundingClientRect();
      const left = box.left + box.width / 2 - tip.offsetWidth / 2;
      tip.style.left = `${Math.max(4, Math.min(left, innerWidth - tip.offsetWidth - 4))}px`;
      tip.style.top = `${box.top >= tip.offsetHeight + 8 ? box.top - tip.offsetHeight - 6 : box.bottom + 6}px`;
    });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
    document.addEventListener("scroll", () => { tip.hidden = true; }, {passive: true, capture: true});
  };

  /* Another report: only texts and shapes of the file are taken over, nothing that could run or fetch. */
  const copyOfDrawing = (node, prefix) => {
    const made = document.createElementNS(SVG, node.localName);
    for (const {name, value} of node.attributes) {
      const own = name.replace(/^xlink:/, "");
      if (own === "id") made.id = prefix + value;
      else if (own === "href" && value.startsWith("#")) made.setAttribute("href", `#${prefix}${value.slice(1)}`);
      else if (own === "href" && node.localName === "image" && value.startsWith("data:image/png;")) made.setAttribute("href", value);
      else if (own === "aria-labelledby") made.setAttribute(own, value.split(" ").map((id) => prefix + id).join(" "));
      else if (!/^on|href$|^xmlns/i.test(own)) made.setAttribute(own, value.replaceAll("url(#", `url(#${prefix}`));
    }
    for (const child of node.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) made.append(child.textContent);
      else if (DRAWN.has(child.localName)) made.append(copyOfDrawing(child, prefix));
    }
    return made;
  };
  const besideEachOther = (left, right) => {
    const pair = element("div", "", {class: "pair"});
    pair.append(left, right);
    return pair;
  };
  const drawingOf = (figure, name, prefix) => {
    const made = element("figure", "");
    made.append(element("h4", `${name}: ${words(figure.querySelector("h3"))}`));
    const drawing = element("div", "", {class: "drawing", tabindex: "0", role: "group", "aria-label": `${name}: figure`});
    drawing.append(copyOfDrawing(figure.querySelector("svg"), prefix));
    made.append(drawing);
    return made;
  };

  /* Rows of two tables by the texts before their first number; rows without a head belong to the row above. */
  const keyedRows = (table) => {
    const heads = headsOf(table);
    const first = Math.max(1, heads.findIndex((head) => head.classList.contains("number")));
    const found = new Map();
    let above = "";
    for (const row of rowsOf(table)) {
      above = words(row.cells[0]) || above;
      const texts = [above, ...[...row.cells].slice(1, first).map(words)];
      let key = texts.join(" / ");
      for (let again = 2; found.has(key); again++) key = `${texts.join(" / ")} (${again})`;
      found.set(key, {texts, row});
    }
    return {first, rows: found};
  };
  const sameUnit = (a, b) => /[^\d.,\s-]*$/.exec(words(a))[0] === /[^\d.,\s-]*$/.exec(words(b))[0];
  const comparedCell = (a, b, kind) => {
    const made = element("td", "", {class: kind});
    made.append(element("span", a ? words(a) : "–", {class: "a"}), element("span", b ? words(b) : "–", {class: "b"}));
    const numbers = a && b && [a, b].every((cell) => /^-?\d/.test(words(cell)));
    const ratio = numbers && ((a.dataset.sort && b.dataset.sort) || sameUnit(a, b)) ? numberOf(b) / numberOf(a) : NaN;
    if (Number.isFinite(ratio) && ratio > 0) made.append(element("span", `× ${ratio.toFixed(2)}`, {class: "ratio"}));
    return made;
  };
  const comparedTable = (a, b) => {
    const [own, other] = [keyedRows(a), keyedRows(b)];
    const theirs = headsOf(b).map(labelOf);
    const made = element("table", "");
    const head = made.createTHead().insertRow();
    headsOf(a).forEach((one) => head.append(element("th", labelOf(one), {scope: "col", class: one.className})));
    const body = made.createTBody();
    for (const key of new Set([...own.rows.keys(), ...other.rows.keys()])) {
      const [left, right] = [own.rows.get(key), other.rows.get(key)];
      const line = body.insertRow();
      headsOf(a).forEach((one, column) => {
        if (column < own.first) {
          const text = (left ?? right).texts[column] ?? "";
          line.append(column ? element("td", text) : element("th", text, {scope: "row"}));
          return;
        }
        const at = theirs.indexOf(labelOf(one));
        line.append(comparedCell(left?.row.cells[column], at < 0 ? undefined : right?.row.cells[at], one.className));
      });
    }
    return made;
  };
  const sentencesOf = (page, name) => {
    const made = element("div", "");
    made.append(element("h4", name));
    const list = element("ul", "");
    page.querySelectorAll(".answers dd, .findings li").forEach((one) => list.append(element("li", words(one))));
    made.append(list);
    return made;
  };

  const compared = (other, name) => {
    const made = element("section", "", {id: "comparison", "aria-label": "Comparison"});
    made.append(element("h2", "Beside another report", {class: "first", tabindex: "-1"}));
    made.append(element("p", `A: this report. B: ${name}. In tables, A is above B, and × is B / A.`));
    const main = document.querySelector("main");
    made.append(besideEachOther(sentencesOf(main, "A"), sentencesOf(other, "B")));
    let matches = 0;
    for (const own of main.querySelectorAll("figure[id], table[id]:not(.heat)")) {
      const match = other.querySelector(`${own.localName}[id="${CSS.escape(own.id)}"]`);
      if (!match) continue;
      if (own.localName === "figure") {
        if (!own.querySelector("svg") || !match.querySelector("svg")) continue;
        made.append(besideEachOther(drawingOf(own, "A", "a-"), drawingOf(match, "B", "b-")));
      } else if (own.tHead && match.tHead && own.tBodies.length && match.tBodies.length) {
        const caption = own.caption ? words(own.caption).replace(/[.:] .*/, "") : own.id;
        made.append(element("h3", caption));
        const scroll = element("div", "", {class: "scroll", tabindex: "0", role: "region", "aria-label": `Comparison: ${caption}`});
        scroll.append(comparedTable(own, match));
        made.append(scroll);
      } else continue;
      matches += 1;
    }
    if (!matches) made.append(element("p", "The two reports have no figure and no table in common.", {class: "banner"}));
    return made;
  };

  const makeComparison = () => {
    const control = element("p", "", {class: "compare"});
    const label = element("label", "Compare with another report: ");
    const file = element("input", "", {type: "file", accept: ".html,text/html"});
    const state = element("output", "");
    label.append(file);
    control.append(label, " ", state);
    document.querySelector("header").append(control);
    file.addEventListener("change", async () => {
      document.querySelector("#comparison")?.remove();
      state.textContent = "";
      const chosen = file.files[0];
      if (!chosen) return;
      const other = new DOMParser().parseFromString(await chosen.text(), "text/html");
      const generator = other.querySelector('meta[name="generator"]')?.content ?? "";
      if (!generator.startsWith("stressbench ") || !other.querySelector("main")) {
        state.textContent = `${chosen.name} is no report of stressbench`;
        return;
      }
      const section = compared(other.querySelector("main"), chosen.name);
      document.querySelector("main").prepend(section);
      section.querySelector("h2").focus();
    });
  };

  document.querySelectorAll("table[data-filters]").forEach(makeFilters);
  document.querySelectorAll("table[data-sortable]").forEach(makeSortable);
  makeValues();
  makeComparison();
})();
