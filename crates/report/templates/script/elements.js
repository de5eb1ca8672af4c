// What all parts of the script use: elements of the page, and the words on it. The page is complete without the script but
// for tooltips.
const all = (query, within = document) => [...within.querySelectorAll(query)];
const byId = id => document.getElementById(id);
// What the page carries for the script: compressed, as Rust's `packed` writes it. A browser that cannot read it shows the
// page without controls, as one without scripts does; one that may not compile WebAssembly, without those of constraints.
if (!window.DecompressionStream) return;
const bytes = Uint8Array.from(atob(byId("packed").textContent), it => it.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const packed = new Uint8Array(await new Response(stream).arrayBuffer());
const wasm = packed.indexOf(0);
const { tooltips: details, matrix } = JSON.parse(new TextDecoder().decode(wasm < 0 ? packed : packed.subarray(0, wasm)));
const decide = wasm < 0 ? null : await engine(packed.subarray(wasm), matrix).catch(error => console.warn(error));
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
const words = new Map([...algorithms].map(([name, it]) =>
  [name, [name.toLowerCase(), it.dataset.s, it.textContent, name.toLowerCase().replaceAll("-", "")].join(" ")]));
const status = key => algorithms.get(key)?.dataset.s || "unknown";
const known = new Set(all("[data-k]").map(item => item.dataset.k));
