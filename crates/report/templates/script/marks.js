// Marks and tooltips.
const MARK = "[class^=m]";  // what is no word's, but has one of its own
const label = mark => mark.getAttribute("aria-label");
for (const mark of all("table b")) {
  if (mark.matches(MARK)) {
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", byId(mark.className).textContent);
  } else mark.setAttribute("aria-hidden", "true");
}
const isFigure = cell => cell.matches("td[data-v],td.n");

// A cell's own words, without its mark and what fills it up.
const own = cell => [...cell.childNodes].filter(it => !it.matches || it.matches(".t"))
  .map(it => it.textContent).join("").trim();

// A figure to six digits, or nothing; the cell has it where its text is not the same.
function figure(cell) {
  const text = own(cell).replace(/\s/g, "");
  return cell.dataset.v ?? (text && isFinite(text) ? text : "");
}

for (const [at, item] of all("svg [data-t]").entries()) {
  const title = document.createElementNS(item.namespaceURI, "title");
  title.textContent = details.plots[at];
  item.prepend(title);
}
function tooltips(table) {
  const heads = table.tHead.rows[0].cells;
  const found = details.tables[table.id.slice(2)] ?? [];
  for (const [at, row] of [...table.tBodies[0].rows].entries()) for (const cell of row.cells) {
    const value = isFigure(cell) ? figure(cell) : "";
    if (cell.title) continue;
    const mark = value && cell.querySelector(MARK);
    const { unit } = heads[cell.cellIndex].dataset;
    const said = [value && value + " " + unit, mark && label(mark), found[at]?.[cell.cellIndex]];
    // Of an algorithm, the name that is typed.
    const text = said.filter(Boolean).join(", ") || (cell.cellIndex ? "" : row.dataset.k);
    if (text) cell.title = text;
  }
}

// What is said of a cell, a point or a column, for who has no pointer to rest on it; Escape closes it.
const said = make("aside", { id: "said", hidden: true, role: "status" });
document.body.append(said);
let opener = null;
function say(text, from, id) {
  said.replaceChildren(make("p", {}, text), ...id ? [make("a", { href: "#" + id }, "link to this row")] : [],
    button({ class: "close" }, "Close", hush));
  said.hidden = false;
  opener?.removeAttribute("aria-expanded");
  opener = from;
  if (opener?.matches(".why")) opener.setAttribute("aria-expanded", "true");
}
function hush() {
  said.hidden = true;
  const from = opener;
  opener?.removeAttribute("aria-expanded");
  opener = null;
  if (!document.activeElement || document.activeElement === document.body || said.contains(document.activeElement)) from?.focus();
}
const sayOf = cell => {
  const row = cell.closest("tr");
  const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex].querySelector(".name").textContent;
  say(`${own(row.cells[0])}, ${head}: ${[own(cell), cell.title].filter(Boolean).join("; ")}`, cell, row.id);
};
document.addEventListener("keydown", event => {
  if (event.key === "Escape" && !said.hidden) hush();
});

// Enter goes from a table into its cells, arrows from one to the next, Escape out again.
function walk(event) {
  const scroll = event.currentTarget;
  const cell = event.target.closest("tbody th, tbody td");
  const rows = all("tbody tr:not(.off)", scroll);
  if (event.target === scroll && event.key === "Enter") step(rows[0]?.cells[0]);
  else if (!cell) return;
  else if (event.key === "Escape") { hush(); scroll.focus(); }
  else {
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
    if (!x && !y) return;
    step(rows[rows.indexOf(cell.parentElement) + y]?.cells[cell.cellIndex + x]);
  }
  event.preventDefault();
  event.stopPropagation();
}
function step(cell) {
  if (!cell) return;
  cell.tabIndex = -1;
  cell.focus();
  sayOf(cell);
}
