"use strict";
// Sorting, filtering, copying, and the tooltips of figures. The page is complete without this but for the tooltips; all
// state stands in the address.
(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const tables = all("main table");
  const items = all("[data-k]");
  const buttons = all(".status");
  const query = document.getElementById("query");
  const count = document.getElementById("count");
  const sorts = new Map();
  const original = new Map(tables.map(table => [table, [...table.tBodies[0].rows]]));

  const known = new Set(items.map(item => item.dataset.k));
  const algorithms = new Map(all("#algorithms li").map(it => [it.dataset.a, it]));
  const words = item => algorithms.get(item.dataset.k)?.textContent ?? item.dataset.k;
  const word = item => algorithms.get(item.dataset.k)?.dataset.s || "unknown";

  const label = mark => mark.getAttribute("aria-label")
    || document.getElementById(mark.getAttribute("aria-labelledby")).textContent;

  // A cell's own words, without its mark and what fills it up.
  const own = cell => [...cell.childNodes].filter(it => !it.matches || it.matches(".t"))
    .map(it => it.textContent).join("").trim();

  // A figure to six digits, or nothing; the cell has it where its text is not the same.
  function figure(cell) {
    const text = own(cell).replace(/\s/g, "");
    return cell.dataset.v ?? (text && isFinite(text) ? text : "");
  }

  function tooltips() {
    const phrases = document.getElementById("phrases").textContent.split("\n");
    const details = cell => (cell.dataset.t || "").split(/(#\w+)/).filter(Boolean)
      .map(it => it[0] === "#" ? phrases[parseInt(it.slice(1), 36)] : it.replace(/^, /, ""));
    for (const table of tables) {
      const units = [...table.tHead.rows[0].cells].map(head => head.dataset.unit);
      for (const row of table.tBodies[0].rows) for (const cell of row.cells) {
        const value = cell.classList.contains("n") ? figure(cell) : "";
        if (cell.title) continue;
        const mark = value && cell.querySelector(".m");
        const said = [value && value + " " + units[cell.cellIndex], mark && label(mark), ...details(cell)];
        // Of an algorithm, the name that is typed.
        const text = said.filter(Boolean).join(", ") || (cell.cellIndex ? "" : row.dataset.k);
        if (text) cell.title = text;
      }
    }
  }

  function filter() {
    const asked = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const off = new Set(buttons.filter(b => b.getAttribute("aria-pressed") === "false").map(b => b.dataset.status));
    const shown = new Set();
    for (const item of items) {
      const text = item.tagName === "TR" ? words(item) + " " + item.textContent.toLowerCase() : words(item);
      const keep = !off.has(word(item)) && asked.every(w => text.includes(w));
      item.classList.toggle("off", !keep);
      if (keep) shown.add(item.dataset.k);
    }
    count.value = shown.size === known.size ? "" : shown.size + " of " + known.size;
  }

  function sort(table, column, direction) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach(head => head.removeAttribute("aria-sort"));
    sorts.delete(table.id);
    let rows = [...original.get(table)];
    if (column >= 0 && column < heads.length) {
      const numeric = heads[column].classList.contains("n");
      const key = row => numeric ? parseFloat(figure(row.cells[column])) : row.cells[column].textContent.trim();
      const sign = direction === "d" ? -1 : 1;
      rows.sort((a, b) => {
        const x = key(a), y = key(b);
        // What is missing comes last in either direction.
        if (numeric) return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
        return sign * x.localeCompare(y, "en", { numeric: true });
      });
      heads[column].setAttribute("aria-sort", direction === "d" ? "descending" : "ascending");
      sorts.set(table.id, column + direction);
    }
    body.append(...rows);
  }

  function save() {
    const state = new URLSearchParams();
    if (query.value) state.set("q", query.value);
    const off = buttons.filter(b => b.getAttribute("aria-pressed") === "false").map(b => b.dataset.status);
    if (off.length) state.set("hide", off.join(","));
    for (const [id, value] of sorts) state.set(id, value);
    const text = state.toString();
    history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
  }

  function load() {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) return;
    const state = new URLSearchParams(hash);
    query.value = state.get("q") || "";
    const off = (state.get("hide") || "").split(",");
    buttons.forEach(b => b.setAttribute("aria-pressed", String(!off.includes(b.dataset.status))));
    for (const table of tables) {
      const match = /^(\d+)([ad])$/.exec(state.get(table.id) || "");
      sort(table, match ? Number(match[1]) : -1, match ? match[2] : "a");
    }
    filter();
  }

  function csv(table) {
    const quote = text => /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    const heads = [...table.tHead.rows[0].cells].map(head => {
      const name = head.querySelector(".name").textContent;
      return head.dataset.unit ? name + " [" + head.dataset.unit + "]" : name;
    });
    const rows = [...table.tBodies[0].rows].filter(row => !row.classList.contains("off"));
    const lines = rows.map(row => [...row.cells].map(cell => {
      if (cell.classList.contains("n")) return figure(cell);
      const mark = cell.querySelector(".m");
      return own(cell) || (mark ? label(mark) : "");
    }));
    return [heads, ...lines].map(line => line.map(quote).join(",")).join("\n") + "\n";
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  for (const table of tables) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        // Once up, once down, then as it was.
        if (now === "descending") sort(table, -1, "a");
        else sort(table, column, now === "ascending" ? "d" : "a");
        save();
      });
    });
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy as CSV";
    button.addEventListener("click", async () => {
      await copy(csv(table));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy as CSV"; }, 1500);
    });
    table.closest(".scroll").previousElementSibling.append(button);
  }
  buttons.forEach(button => button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    filter();
    save();
  }));
  query.addEventListener("input", () => { filter(); save(); });
  const form = document.getElementById("filter");
  form.addEventListener("submit", event => event.preventDefault());
  // A link within the page moves the view and leaves the state in the address alone.
  all('a[href^="#"]').forEach(link => link.addEventListener("click", event => {
    const target = document.getElementById(link.getAttribute("href").slice(1));
    if (!target) return;
    event.preventDefault();
    target.scrollIntoView();
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
  }));
  addEventListener("hashchange", load);
  form.hidden = known.size < 2;
  tooltips();
  load();
})();
