// What moves on the page: constraints, sorting, filtering, copying, and what is said of a figure. The page is complete without
// this but for tooltips. All state stands in the address, as the command's options: `#dnssec.max-answer=1452&q=lattice`.
(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];
  const byId = id => document.getElementById(id);
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name in element && typeof value !== "string") element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  };
  const button = (attributes, text, act) => {
    const it = make("button", { type: "button", ...attributes }, text);
    it.addEventListener("click", act);
    return it;
  };
  const buttons = all(".status");
  const query = byId("query");
  const count = byId("count");
  const sorts = new Map();
  const original = new Map();

  const algorithms = new Map(all("#algorithms li").map(it => [it.dataset.a, it]));
  // Names without their hyphens are found as well.
  const words = new Map([...algorithms].map(([name, it]) => [name, it.textContent + " " + name.replaceAll("-", "")]));
  const status = key => algorithms.get(key)?.dataset.s || "unknown";
  const known = new Set(all("[data-k]").map(item => item.dataset.k));

  // --- Marks and tooltips -------------------------------------------------------------------------------------------

  const label = mark => mark.getAttribute("aria-label");
  for (const mark of all("table b")) {
    if (mark.dataset.m) {
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", byId("m" + mark.dataset.m).textContent);
    } else mark.setAttribute("aria-hidden", "true");
  }
  for (const item of all("svg [data-t]")) {
    const name = item.parentElement.closest("[data-k]")?.querySelector(".name")?.textContent ?? "";
    const text = item.dataset.t;
    const title = document.createElementNS(item.namespaceURI, "title");
    title.textContent = /^[\n,:]/.test(text) ? name + text : text;
    item.prepend(title);
  }

  const isFigure = cell => cell.tagName === "TD" && !cell.classList.contains("w");

  // A cell's own words, without its mark and what fills it up.
  const own = cell => [...cell.childNodes].filter(it => !it.matches || it.matches(".t"))
    .map(it => it.textContent).join("").trim();

  // A figure to six digits, or nothing; the cell has it where its text is not the same.
  function figure(cell) {
    const text = own(cell).replace(/\s/g, "");
    return cell.dataset.v ?? (text && isFinite(text) ? text : "");
  }

  const phrases = byId("phrases").textContent.split("\n");
  // The phrase of `#3f~12~13`, its gaps filled with those figures.
  function phrase(reference) {
    const [number, ...figures] = reference.slice(1).split("~");
    const line = phrases[parseInt(number, 36)];
    return figures.length ? line.replace(/~/g, () => figures.shift()) : line;
  }
  const details = cell => (cell.dataset.t || "").split(/(#\w+(?:~[\d.]+)*)/).filter(Boolean)
    .map(it => it[0] === "#" ? phrase(it) : it.replace(/^, /, ""));
  function tooltips(table) {
    const units = [...table.tHead.rows[0].cells].map(head => head.dataset.unit);
    for (const row of table.tBodies[0].rows) for (const cell of row.cells) {
      const value = isFigure(cell) ? figure(cell) : "";
      if (cell.title) continue;
      const mark = value && cell.querySelector("[data-m]");
      const said = [value && value + " " + units[cell.cellIndex], mark && label(mark), ...details(cell)];
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

  // --- The state and the address ------------------------------------------------------------------------------------

  const data = JSON.parse(byId("advice").textContent);
  const studies = new Map(data.studies.map(it => [it.study, it]));
  const asked = new Map();
  const isUsual = ({ typed, replaces, by }) => !Object.keys(typed).length && !replaces && !by;

  // What stands in the address; `at` is the place on the page.
  function address(at) {
    const state = new URLSearchParams();
    for (const [study, { typed, replaces, by }] of asked) {
      for (const [id, value] of Object.entries(typed)) state.set(study + "." + id, value);
      if (replaces) state.set(study + ".replaces", replaces);
      if (by) state.set(study + ".by", by);
    }
    if (query.value) state.set("q", query.value);
    const off = buttons.filter(b => b.getAttribute("aria-pressed") === "false").map(b => b.dataset.status);
    if (off.length) state.set("hide", off.join(","));
    for (const [id, value] of sorts) state.set(id, value);
    if (!state.size) return at ? "#" + at : location.pathname + location.search;
    if (at) state.set("at", at);
    // Commas and slashes mean nothing in a fragment, and are read more easily as they are.
    return "#" + state.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  }
  let place = "";
  const save = () => history.replaceState(null, "", address(place));
  // A step that the back button takes back.
  const push = () => { if (address(place) !== location.hash) history.pushState(null, "", address(place)); };

  function load() {
    const hash = location.hash.slice(1);
    const state = new URLSearchParams(hash.includes("=") ? location.hash.slice(1) : "");
    for (const [name, study] of studies) {
      const typed = {};
      for (const property of study.properties) {
        const value = state.get(name + "." + property.id);
        // What says nothing of it asks for nothing.
        if (property.known && value !== null && judge.read(property, value) !== undefined) typed[property.id] = value;
      }
      const replaces = state.get(name + ".replaces"), by = state.get(name + ".by");
      const now = {
        typed,
        replaces: study.algorithms.some(it => it.name === replaces) ? replaces : "",
        by: study.properties.some(it => it.id === by && it.ranks) ? by : "",
      };
      const isNew = JSON.stringify(asked.get(name)) !== JSON.stringify(now);
      asked.set(name, now);
      if (isNew) show(name);
      controls(name);
    }
    query.value = state.get("q") || "";
    const off = (state.get("hide") || "").split(",");
    buttons.forEach(b => b.setAttribute("aria-pressed", String(!off.includes(b.dataset.status))));
    for (const table of original.keys()) {
      const match = /^(\d+)([ad])$/.exec(state.get(table.id) || "");
      sort(table, match ? Number(match[1]) : -1, match ? match[2] : "a");
    }
    filter();
    place = hash.includes("=") ? state.get("at") || "" : hash;
    if (place) go(place);
  }

  // Shows a place of the page, whatever it is folded into.
  function go(id) {
    const target = byId(id);
    if (!target) return;
    for (let it = target; it; it = it.parentElement) if (it.tagName === "DETAILS") it.open = true;
    target.querySelector(":scope > details")?.setAttribute("open", "");
    target.scrollIntoView();
    if (target.tabIndex < 0) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    all(".aim").forEach(it => it.classList.remove("aim"));
    if (target.tagName === "TR") target.classList.add("aim");
  }

  // --- Constraints --------------------------------------------------------------------------------------------------

  const usual = (study, id) => study.usual.find(([known]) => known === id)?.[1] ?? "any";
  const typedOf = (study, id) => asked.get(study.study).typed[id] ?? usual(study, id);

  function ask(study, id, value) {
    const { typed } = asked.get(study.study);
    delete typed[id];
    if (value !== usual(study, id)) typed[id] = value;
    // In the order of the properties, however they were typed.
    asked.get(study.study).typed = Object.fromEntries(study.properties.map(it => [it.id, typed[it.id]])
      .filter(([, value]) => value !== undefined));
    changed(study.study);
  }
  function changed(name) {
    push();
    controls(name);
    show(name);
    filter();
  }

  // The controls of a carrier, made once: one for each property that the records know of.
  function build(study) {
    const form = byId(study.study + "-asked");
    const fields = study.properties.filter(it => it.known).map(property => {
      const name = `${study.study}.${property.id}`;
      if (property.unit === undefined) return choice(study, property, name);
      const input = make("input", { type: "number", min: "0", step: "any", name, placeholder: "any", inputmode: "decimal" });
      input.addEventListener("change", () => {
        const value = input.value.trim() || "any";
        if (judge.read(property, value) !== undefined) ask(study, property.id, value);
        else input.reportValidity();
      });
      if (property.unit === "share") input.max = "1";
      return make("label", {}, make("span", {}, `${property.title} ${property.least ? "≥" : "≤"}`), input,
        make("small", {}, property.unit === "count" ? "" : property.unit.replace("-", " ")));
    });
    const select = (key, text, options) => {
      const it = make("select", { name: `${study.study}.${key}` }, ...options.map(([value, text]) => make("option", { value }, text)));
      it.addEventListener("change", () => {
        asked.get(study.study)[key] = it.value;
        changed(study.study);
      });
      return make("label", {}, make("span", {}, text), it);
    };
    const ranks = study.properties.filter(it => it.ranks);
    const strength = study.properties.findIndex(it => it.id === "strength");
    const strong = study.algorithms.filter(it => it.has[strength] !== null);
    if (ranks.length > 1) fields.push(select("by", "in order of", [["", "the usual"], ...ranks.map(it => [it.id, it.title])]));
    fields.push(select("replaces", "in place of", [["", "nothing"], ...strong.map(it => [it.name, it.title])]));
    const reset = button({ class: "reset" }, "The usual", () => {
      asked.set(study.study, { typed: {}, replaces: "", by: "" });
      changed(study.study);
    });
    form.append(make("fieldset", {}, make("legend", {}, "What is asked"), ...fields, reset));
    form.hidden = false;
  }

  // Words to choose among: none is no constraint.
  function choice(study, property, name) {
    const words = [...property.words];
    const of = typedOf(study, property.id);
    const extra = of === "any" ? [] : of.split(",").filter(word => !words.includes(word));
    const isNames = property.id === "implemented-by";
    const boxes = [...new Set([...isNames ? ["anyone"] : [], ...extra, ...words])].map(word => {
      const box = make("input", { type: "checkbox", name, value: word });
      box.addEventListener("change", () => {
        const chosen = all("input:checked", list).map(it => it.value);
        ask(study, property.id, chosen.join(",") || "any");
      });
      return make("label", {}, box, word);
    });
    const list = make("details", { class: "words" }, make("summary", {}, make("span", {}, property.title), " ", make("b")), ...boxes);
    return list;
  }

  // Puts what is asked into the controls.
  function controls(name) {
    const study = studies.get(name);
    const form = byId(name + "-asked");
    const { replaces, by } = asked.get(name);
    for (const property of study.properties.filter(it => it.known)) {
      const value = typedOf(study, property.id);
      const inputs = all(`[name="${name}.${property.id}"]`, form);
      if (property.unit !== undefined) inputs[0].value = value === "any" ? "" : value;
      else {
        const words = value === "any" ? [] : value.split(",").map(it => it.trim());
        inputs.forEach(it => { it.checked = words.includes(it.value); });
        inputs[0].closest("details").querySelector("b").textContent = words.join(" or ") || "any";
      }
    }
    for (const [key, value] of [["by", by], ["replaces", replaces]]) {
      const it = form.querySelector(`[name="${name}.${key}"]`);
      if (it) it.value = value;
    }
    form.querySelector(".reset").disabled = isUsual(asked.get(name));
  }

  // Writes the verdict by what is asked.
  function show(name) {
    const study = studies.get(name);
    const verdict = judge.decide(data, study, asked.get(name));
    byId(name + "-verdict").textContent = verdict.sentence;
    const card = document.querySelector(`[data-card="${name}"]`);
    card.querySelector("b").textContent = verdict.headline;
    card.querySelector("dd span").textContent = verdict.sentence;
    card.classList.toggle("own", !isUsual(asked.get(name)));
    const cell = ({ text, evidence }) => make("td", { class: "w", title: evidence }, text.length > 24 ? make("span", { class: "t" }, text) : text);
    const named = (algorithm, ...cells) => make("tr", { "data-k": algorithm.name },
      make("th", { scope: "row", title: algorithm.name }, algorithm.title), ...cells);
    const tables = [];
    if (verdict.survivors.length) {
      tables.push(table(name, "Who qualifies", ["algorithm", "rank", ...verdict.heads],
        verdict.survivors.map(({ algorithm, rank, has }) => named(algorithm, make("td", { class: "w" }, rank), ...has.map(cell))),
        `Asked for: ${verdict.asked}.`, ...verdict.experiments));
    }
    if (verdict.excluded.length) {
      tables.push(table(name, "Who does not", ["algorithm", "why"],
        verdict.excluded.map(({ algorithm, why, evidence }) => named(algorithm, cell({ text: why.join("; "), evidence })))));
    }
    for (const it of original.keys()) {
      if (it.closest(".decided")?.id === name + "-judged") { original.delete(it); sorts.delete(it.id); }
    }
    byId(name + "-judged").replaceChildren(...tables);
    all("table", byId(name + "-judged")).forEach(equip);
  }
  function table(name, title, heads, rows, ...notes) {
    const id = `${name}-${title.toLowerCase().replaceAll(" ", "-")}`;
    return make("div", { class: "block" },
      make("div", { class: "tablehead" }, make("h3", { id: "h-" + id }, title)),
      make("div", { class: "card scroll", tabindex: "0", role: "group", "aria-labelledby": "h-" + id },
        make("table", { id: "t-" + id, "aria-labelledby": "h-" + id },
          make("thead", {}, make("tr", {}, ...heads.map(text => make("th", { scope: "col" }, make("span", { class: "name" }, text))))),
          make("tbody", {}, ...rows))),
      ...notes.length ? [make("ul", { class: "foot" }, ...notes.map(note => make("li", {}, note)))] : []);
  }

  // --- Filtering, sorting, copying ----------------------------------------------------------------------------------

  const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  function filter() {
    // By the beginnings of words, so that `lea` finds LEA and nothing that is released.
    const tests = query.value.toLowerCase().split(/\s+/).filter(Boolean).map(it => new RegExp("(^|[^a-z0-9])" + escaped(it)));
    const off = new Set(buttons.filter(b => b.getAttribute("aria-pressed") === "false").map(b => b.dataset.status));
    const kept = new Set([...known].filter(key => !off.has(status(key)) && tests.every(it => it.test(words.get(key) ?? key))));
    const isOff = item => item.dataset.k !== undefined && !kept.has(item.dataset.k);
    for (const item of all("[data-k]")) item.classList.toggle("off", isOff(item));
    // What has nothing left goes, and what has nothing at all stays.
    for (const block of all(".block, figure")) {
      const items = all("[data-k]", block);
      block.classList.toggle("gone", items.length > 0 && items.every(isOff));
    }
    for (const section of all("main section")) {
      const parts = all(".block, figure", section);
      section.classList.toggle("bare", parts.length > 0 && parts.every(it => it.classList.contains("gone")));
    }
    count.value = kept.size === known.size ? ""
      : kept.size ? `${kept.size} of ${known.size}` : "Nothing found: no name, family or status is like that.";
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
      const mark = cell.querySelector("[data-m]");
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
        const why = button({ class: "why", "aria-label": `What “${name}” is` }, "?", () =>
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

  // --- All of it ----------------------------------------------------------------------------------------------------

  all("main table").forEach(equip);
  all("figure").forEach(figure => {
    figure.addEventListener("click", event => {
      const text = event.target.closest("[data-t]")?.querySelector("title").textContent;
      if (text) say(text, null);
    });
    // On a narrow screen a picture fits, and is read when it is enlarged.
    const plot = figure.querySelector(".plot");
    const enlarge = button({ class: "enlarge", "aria-pressed": "false" }, "Enlarge", () => {
      const large = plot.classList.toggle("large");
      enlarge.setAttribute("aria-pressed", String(large));
    });
    figure.insertBefore(enlarge, plot);
  });
  buttons.forEach(button => button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    filter();
    save();
  }));
  query.addEventListener("input", () => { filter(); save(); });
  const form = byId("filter");
  form.addEventListener("submit", event => event.preventDefault());
  // A link within the page keeps the state in the address.
  document.addEventListener("click", event => {
    const link = event.target.closest?.('a[href^="#"]');
    const id = link?.getAttribute("href").slice(1);
    if (!id || !byId(id)) return;
    event.preventDefault();
    place = id;
    push();
    go(id);
  });
  addEventListener("popstate", load);
  form.hidden = known.size < 2;
  for (const [name, study] of studies) {
    asked.set(name, { typed: {}, replaces: "", by: "" });
    build(study);
    show(name);
  }
  load();
})();
