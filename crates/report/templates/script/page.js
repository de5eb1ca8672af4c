// All of it: what happens when something is typed, and once the page is there.
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
// On a narrow screen, what explains the results stands behind them.
if (innerWidth <= 700) all("details.long").forEach(it => { it.open = false; });
load();
