// Filtering, sorting, copying.
const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
function filter() {
  // By the beginnings of words, so that `lea` finds LEA and nothing that is released.
  const tests = query.value.toLowerCase().split(/\s+/).filter(Boolean).map(it => new RegExp("(^|[^a-z0-9])" + escaped(it)));
  const off = new Set(buttons.filter(b => b.getAttribute("aria-pressed") === "false").map(b => b.dataset.status));
  const kept = new Set([...known].filter(key => !off.has(status(key)) && tests.every(it => it.test(words.get(key) ?? key))));
  const isOff = item => item.dataset.k !== undefined && !kept.has(item.dataset.k);
  for (const item of all("[data-k]")) item.classList.toggle("off", isOff(item));
  // What has nothing left goes, and what has nothing at all stays.
  for (const block of all(".block, figure, article")) {
    const items = all("[data-k]", block);
    block.classList.toggle("gone", items.length > 0 && items.every(isOff));
  }
  for (const section of all("main section")) {
    const parts = all(".block, figure", section);
    section.classList.toggle("bare", parts.length > 0 && parts.every(it => it.classList.contains("gone")));
  }
  count.value = kept.size === known.size ? ""
    : kept.size ? `${kept.size} of ${known.size}` : "Nothing found: no name, family or status matches.";
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

function csv(table) {
  const quote = text => /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  const heads = [...table.tHead.rows[0].cells].map(head => {
    const name = head.querySelector(".name").textContent;
    return head.dataset.unit ? name + " [" + head.dataset.unit + "]" : name;
  });
  const rows = [...table.tBodies[0].rows].filter(row => !row.classList.contains("off"));
  const lines = rows.map(row => [...row.cells].map(cell => {
    if (isFigure(cell)) return figure(cell);
    const mark = cell.querySelector(MARK);
    return own(cell) || (mark ? label(mark) : "");
  }));
  return [heads, ...lines].map(line => line.map(quote).join(",")).join("\n") + "\n";
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

const meanings = new Map(all(".meanings").map(list =>
  [list.closest("section").id, new Map(all("dt", list).map(it => [it.textContent, it.nextElementSibling.textContent]))]));

// Gives a table all that the script does for it.
function equip(table) {
  original.set(table, [...table.tBodies[0].rows]);
  tooltips(table);
  const ids = new Map();
  for (const row of table.tBodies[0].rows) {
    const id = `${table.id.slice(2)}.${row.dataset.k}`;
    const times = (ids.get(id) ?? 0) + 1;
    ids.set(id, times);
    row.id = times > 1 ? `${id}.${times}` : id;
  }
  const section = table.closest("section").id;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const name = head.querySelector(".name").textContent;
    const sorter = button({ class: "sort" }, "", () => {
      const now = head.getAttribute("aria-sort");
      // Once up, once down, then as it was.
      if (now === "descending") sort(table, -1, "a");
      else sort(table, column, now === "ascending" ? "d" : "a");
      save();
    });
    sorter.append(...head.childNodes);
    head.append(sorter);
    const meaning = meanings.get(section)?.get(name);
    if (meaning) {
      const why = button({ class: "why", "aria-label": `What '${name}' is` }, "?", () =>
        opener === why ? hush() : say(`${name}: ${meaning}`, why));
      head.append(why);
    }
  });
  const copying = button({}, "Copy as CSV", async () => {
    await copy(csv(table));
    copying.textContent = "Copied";
    setTimeout(() => { copying.textContent = "Copy as CSV"; }, 1500);
  });
  const scroll = table.closest(".scroll");
  scroll.previousElementSibling.append(copying);
  scroll.addEventListener("keydown", walk);
  table.tBodies[0].addEventListener("click", event => {
    const cell = event.target.closest("th, td");
    if (cell?.title && !String(getSelection())) sayOf(cell);
  });
}
