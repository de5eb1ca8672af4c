// Constraints: their controls, and the verdict by what is asked, which the engine gives.
const usual = (study, id) => study.usual.find(([known]) => known === id)?.[1] ?? "any";
const typedOf = (study, id) => asked.get(study.study).typed[id] ?? usual(study, id);

function ask(study, id, value) {
  const { typed } = asked.get(study.study);
  delete typed[id];
  if (value !== usual(study, id)) typed[id] = value;
  changed(study.study);
}
function changed(name) {
  show(name);
  push();
  controls(name);
  filter();
}

// The controls of a carrier, made once: one for each property that the records know of.
function build(study) {
  const form = byId(study.study + "-asked");
  const fields = study.properties.filter(it => it.known).map(property => {
    const name = `${study.study}.${property.id}`;
    if (property.unit === null) return choice(study, property, name);
    const input = make("input", { type: "number", min: "0", step: "any", name, placeholder: "any", inputmode: "decimal" });
    input.addEventListener("change", () => {
      if (input.reportValidity()) ask(study, property.id, input.value.trim() || "any");
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
  if (ranks.length > 1) fields.push(select("by", "rank by", [["", "default"], ...ranks.map(it => [it.id, it.title])]));
  fields.push(select("replaces", "replaces", [["", "nothing"], ...strong.map(it => [it.name, it.title])]));
  const reset = button({ class: "reset" }, "Defaults", () => {
    asked.set(study.study, { typed: {}, replaces: "", by: "" });
    changed(study.study);
  });
  form.append(make("fieldset", {}, make("legend", {}, "Constraints"), ...fields, reset));
  form.hidden = false;
  form.open = innerWidth > 700;
}

// Words to choose among: none is no constraint.
function choice(study, property, name) {
  const words = [...property.words];
  const of = typedOf(study, property.id);
  const extra = of === "any" ? [] : of.split(",").filter(word => !words.includes(word));
  const boxes = [...new Set([...property.all ? ["anyone"] : [], ...extra, ...words])].map(word => {
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
    if (property.unit !== null) inputs[0].value = value === "any" ? "" : value;
    else {
      const words = value === "any" ? [] : value.split(",").map(it => it.trim());
      inputs.forEach(it => { it.checked = words.includes(it.value); });
      inputs[0].closest("details").querySelector("b").textContent = words.join(property.all ? " and " : " or ") || "any";
    }
  }
  for (const [key, value] of [["by", by], ["replaces", replaces]]) {
    const it = form.querySelector(`[name="${name}.${key}"]`);
    if (it) it.value = value;
  }
  form.querySelector(".reset").disabled = isUsual(asked.get(name));
}

// Writes the verdict by what is asked, and keeps of that what makes sense.
function show(name) {
  const study = studies.get(name);
  const { typed, replaces, by } = asked.get(name);
  const verdict = decide({ study: name, request: { typed: Object.entries(typed), replaces, by } });
  const { understood } = verdict;
  asked.set(name, { typed: Object.fromEntries(understood.typed), replaces: understood.replaces ?? "", by: understood.by ?? "" });
  byId(name + "-verdict").textContent = verdict.sentence;
  const caveats = verdict.caveats.map(it => `Caveat: ${it}`);
  const kept = { ...asked.get(name).typed, ...understood };
  const left = Object.entries({ ...typed, replaces, by }).filter(([id, value]) => value && !kept[id]).map(it => it.join(" "));
  const said = [...left.map(it => `Left out, since it is not understood: ${it}`), ...verdict.facts, ...verdict.relaxed, ...caveats, ...verdict.next ? [`Next: ${verdict.next}`] : []];
  byId(name + "-said").replaceChildren(...said.map(it => make("li", {}, it)));
  const card = document.querySelector(`[data-card="${name}"]`);
  card.querySelector("b").textContent = verdict.headline;
  all("dd span", card).forEach(it => it.remove());
  card.querySelector("dd").append(...[...verdict.facts, ...caveats.slice(0, 1)].map(it => make("span", {}, it)));
  card.classList.toggle("own", !isUsual(asked.get(name)));
  const cell = ({ text, evidence }) => make("td", { title: evidence }, text.length > 24 ? make("span", { class: "t" }, text) : text);
  const of = (algorithm, at) => study.algorithms[algorithm].has[at] ?? { text: "not known", evidence: "no record contains it" };
  const named = (algorithm, ...cells) => {
    const { name, title } = study.algorithms[algorithm];
    return make("tr", { "data-k": name }, make("th", { scope: "row", title: name }, title), ...cells);
  };
  const remark = verdict.remark ? [verdict.remark] : [];
  const tables = [];
  if (verdict.accepted.length) {
    const places = verdict.accepted.map(it => it.place).join();
    const ofRanks = [["=", "= tied within 2%"], ["–", "1–2 not ranked among each other"]]
      .filter(([mark]) => places.includes(mark)).map(([, note]) => note);
    tables.push(table(name, "Accepted", ["algorithm", "rank", ...verdict.shown.map(at => study.properties[at].title)],
      verdict.accepted.map(({ algorithm, place }) =>
        named(algorithm, make("td", {}, place), ...verdict.shown.map(at => cell(of(algorithm, at))))),
      `Constraints: ${verdict.asked}.`, ...ofRanks, ...remark));
  }
  if (verdict.rejected.length) {
    tables.push(make("details", {}, make("summary", {}, `Rejected: ${verdict.rejected.length}`), table(name, "Rejected", ["algorithm", "reason"],
      verdict.rejected.map(({ algorithm, why, lacks }) =>
        named(algorithm, cell({ text: why.join("; "), evidence: lacks.map(at => of(algorithm, at).evidence).join("; ") }))),
      ...verdict.accepted.length ? [] : remark)));
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
