// Random requests to the matrix of a page, answered by WebAssembly, the page's own and that of files, and natively:
// wasm.mjs PAGE PROGRAM REQUESTS FILE.wasm ...
//
// The requests are the same in every run. Exits 1 where an answer differs, and prints the first three.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import vm from "node:vm";
import { gunzipSync } from "node:zlib";

const [page, program, requests, ...files] = process.argv.slice(2);
const packed = /<pre id="packed" hidden>([^<]*)/.exec(readFileSync(page, "utf8"))[1];
const bytes = gunzipSync(Buffer.from(packed, "base64"));
const end = bytes.indexOf(0);
const { matrix } = JSON.parse(bytes.subarray(0, end).toString());

// A linear congruential generator: its upper bits are random enough to vary requests.
let seed = 1;
const random = n => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return Math.floor(seed / 2 ** 32 * n);
};
const pick = list => list[random(list.length)];

// Bounds that say nothing, too, and those whose digits are rounded.
const BOUNDS = ["0", "1", "3", "64", "143", "1232", "65535", "0.01", "0.5", "1e6", "12345.678", "99999.5", "1.5", "1e-9", "-1", "x", "", "0x10", "1e400"];
function value(study, property, at) {
  if (random(6) === 0) return "any";
  if (property.unit === null) {
    const words = [...property.listed, "anyone", "nobody"];
    return Array.from({ length: 1 + random(3) }, () => pick([word => word, word => word.toUpperCase(), word => word.split(" ")[0]])(pick(words))).join(",");
  }
  const held = study.algorithms.map(it => it.has[at]?.number).filter(it => it != null);
  return held.length && random(3) ? String(pick(held) * pick([1, 1, 0.5, 0.99, 1.07, 2])) : pick(BOUNDS);
}
function request() {
  const study = pick(matrix.studies);
  // Few constraints leave many to be ranked, many leave nobody.
  const some = 1 + random(6);
  const typed = study.properties.map((it, at) => [it.id, value(study, it, at)]).filter(() => random(6) < some);
  return {
    study: study.study,
    request: {
      typed: [...random(2) ? study.usual.map(([id]) => [id, "any"]) : [], ...typed].reverse(),
      replaces: pick(["", "", pick(study.algorithms).name, "nobody"]),
      by: pick(["", pick(study.properties).id]),
    },
  };
}

const asked = Array.from({ length: Number(requests) }, request);
const input = [matrix, ...asked].map(it => JSON.stringify(it) + "\n").join("");
const native = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
if (native.status !== 0) throw new Error(native.stderr);
const answers = native.stdout.split("\n").slice(0, -1).map(it => JSON.parse(it));
const none = answers.filter(it => !it.accepted.length).length;
const shared = answers.filter(it => it.accepted.some(({ place }) => !/^\d+$/.test(place))).length;
// Where all answers are alike, nothing is compared.
const isVaried = asked.length && none && none < asked.length && shared;

const script = new URL("../crates/report/templates/script/engine.js", import.meta.url);
const engine = vm.runInThisContext(readFileSync(script, "utf8") + ";engine");
let differences = 0;
for (const file of [page, ...files]) {
  const decide = await engine(file === page ? bytes.subarray(end) : readFileSync(file), matrix);
  for (const [at, it] of asked.entries()) {
    const [here, there] = [JSON.stringify(decide(it)), JSON.stringify(answers[at])];
    if (here !== there && ++differences <= 3) console.error(`${JSON.stringify(it)}\n  ${file}: ${here}\n  natively: ${there}`);
  }
  console.log(`${file}: ${asked.length} requests, ${none} that nobody meets, ${shared} with shared ranks; ${differences} differences`);
}
process.exit(differences || !isVaried ? 1 : 0);
