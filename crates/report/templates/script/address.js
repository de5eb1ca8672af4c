// The state and the address. All state stands in the address, as the command's options: `#dnssec.max-answer=1452&q=lattice`.
const studies = new Map(decide ? matrix.studies.map(it => [it.study, it]) : []);
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
  for (const name of studies.keys()) {
    const own = [...state].filter(([key]) => key.startsWith(name + ".")).map(([key, value]) => [key.slice(name.length + 1), value]);
    const { replaces = "", by = "", ...typed } = Object.fromEntries(own);
    const now = { typed, replaces, by };
    if (JSON.stringify(asked.get(name)) !== JSON.stringify(now)) {
      asked.set(name, now);
      show(name);
    }
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
  // A section that decides nothing is its tables.
  if (!byId(id + "-verdict")) target.querySelector(":scope > details")?.setAttribute("open", "");
  target.scrollIntoView();
  if (target.tabIndex < 0) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  all(".aim").forEach(it => it.classList.remove("aim"));
  if (target.tagName === "TR") target.classList.add("aim");
}
