"use strict";
// The verdict of `fieldtest advise` by the same rules (src/advice of the crate report), for constraints that change. What it
// reads is what src/advice/carried.rs writes.
const judge = (() => {
  const UNTHINKABLE = ["broken", "withdrawn", "superseded"];
  const NAMES = 3, WAYS_OUT = 3;

  // Figures as src/number.rs writes them.
  function fixed(value, digits) {
    const text = value.toFixed(digits);
    // `toFixed` takes the larger of two that are equally near, Rust the even one.
    const tie = /^50*$/.test(value.toFixed(60).split(".")[1]?.slice(digits));
    return tie && "13579".includes(text.at(-1)) ? (Number(text) - 10 ** -digits).toFixed(digits) : text;
  }
  function grouped(text) {
    const [whole, rest] = text.split(".");
    const groups = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
    return rest === undefined ? groups : groups + "." + rest;
  }
  function significant(value) {
    if (value === 0) return "0";
    const magnitude = Math.floor(Math.log10(value));
    const decimals = (magnitude >= 3 ? 4 : 3) - 1 - magnitude;
    if (decimals < 0) return grouped(fixed(Math.round(value / 10 ** -decimals) * 10 ** -decimals, 0));
    if (decimals > 6) return value.toExponential(2);
    const text = fixed(value, decimals);
    const carried = Number(text) >= 10 ** (magnitude + 1) && decimals > 0;
    return grouped(carried ? fixed(value, decimals - 1) : text);
  }
  const POWERS = { s: 0, ms: -3, ns: -9 };
  function written(unit, value) {
    const scaled = (steps) => {
      const [factor, label] = steps.findLast(([factor]) => value > 0 && value / factor >= 1) ?? steps[0];
      return significant(value / factor) + " " + label;
    };
    if (unit in POWERS) {
      const second = 10 ** -POWERS[unit];
      return scaled([[1e-9 * second, "ns"], [1e-6 * second, "µs"], [1e-3 * second, "ms"], [second, "s"]]);
    }
    if (["cycles", "per-day", "per-second"].includes(unit)) {
      return scaled([[1, ""], [1e3, "k "], [1e6, "M "], [1e9, "G "]].map(([factor, prefix]) =>
        [factor, prefix + unit.replace("-", " ")]));
    }
    if (unit === "share") return significant(value / 0.01) + "%";
    if (unit.endsWith("/byte")) {
      const magnitude = value === 0 ? 0 : Math.floor(Math.log10(value));
      return grouped(fixed(value, Math.min(Math.max(1 - magnitude, 2), 6))) + " " + unit;
    }
    const exact = Number.isInteger(value) ? grouped(fixed(value, 0)) : significant(value);
    return unit === "count" || unit === "category" ? exact : exact + " " + unit.replaceAll("-", " ");
  }

  // `a, b and c`, or how many more there are.
  function listed(names, last) {
    if (names.length < 2) return names.join("");
    if (names.length > NAMES) return `${names[0]} and ${names.length - 1} others`;
    return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1)}`;
  }

  const is = (word, wanted) => word.toLowerCase() === wanted.toLowerCase()
    || word.toLowerCase().startsWith(wanted.toLowerCase() + " ");

  // What was typed of a property: nothing for no constraint, and undefined where it says nothing.
  function read(property, typed) {
    if (typed === "any") return null;
    if (property.unit !== undefined) {
      const bound = typed.trim() === "" ? NaN : Number(typed);
      const most = property.unit === "share" ? 1 : Number.MAX_VALUE;
      return bound >= 0 && bound <= most ? { property, bound } : undefined;
    }
    const words = typed.split(",").map(word => word.trim()).filter(Boolean);
    const isKnown = wanted => wanted === "anyone" || (property.listed ?? property.words).some(word => is(word, wanted));
    return words.length && words.every(isKnown) ? { property, words } : undefined;
  }

  function suffices({ property, bound, words }, held) {
    if (held?.n !== undefined) return property.least ? held.n >= bound : held.n <= bound;
    if (held?.w) return property.all ? words.every(it => isAmong(held.w, it)) : words.some(it => isAmong(held.w, it));
    return false;
  }
  const isAmong = (words, wanted) => (wanted === "anyone" && words.length > 0) || words.some(word => is(word, wanted));

  const inWords = ({ property, bound, words }) => {
    if (words?.join() === "yes") return property.title;
    if (words?.join() === "no") return `not ${property.title}`;
    if (words) return `${property.title} ${words.join(property.all ? " and " : " or ")}`;
    if (property.least) return `${property.title} at least ${written(property.unit, bound)}`;
    return bound === 0 && property.unit === "count" ? `no ${property.title}` : `${property.title} up to ${written(property.unit, bound)}`;
  };

  // The verdict on one carrier. `asked` has what was typed of properties, whom another is to replace, and what survivors are put
  // in order by, as the command takes them.
  function decide(data, study, asked) {
    const at = id => study.properties.findIndex(property => property.id === id);
    const held = (algorithm, index) => data.values[algorithm.has[index]];
    const text = (property, it) => {
      if (!it) return "not known";
      if (it.t !== undefined) return data.texts[it.t];
      if (it.n !== undefined) return written(property.unit, it.n);
      return it.w ? it.w.join(", ") || "none" : data.texts[it.r];
    };
    const evidence = it => it ? data.texts[it.e] : "no record contains it";
    const ofId = (algorithm, id) => held(algorithm, at(id));

    // What is asked: the usual, what a replacement needs, and what was typed in the place of either.
    const replaced = study.algorithms.find(it => it.name === asked.replaces);
    let wanted = [...study.usual];
    if (replaced && !("strength" in asked.typed)) {
      const strength = ofId(replaced, "strength")?.n;
      if (strength !== undefined) wanted.push(["strength", String(strength)]);
    }
    // What takes its place is not weaker in kind: what is said to be so with yes stays so.
    for (const { id } of replaced ? study.properties.filter(it => it.listed?.join() === "yes,no") : []) {
      if (ofId(replaced, id)?.w?.join() === "yes") wanted = [...wanted.filter(([known]) => known !== id), [id, "yes"]];
    }
    for (const [id, typed] of Object.entries(asked.typed)) {
      wanted = [...wanted.filter(([known]) => known !== id), [id, typed]];
    }
    const all = wanted.map(([id, typed]) => ({ at: at(id), ...read(study.properties[at(id)], typed) }))
      .filter(it => it.property);
    const constraints = all.filter(it => it.property.known);
    const unjudged = all.filter(it => !it.property.known).map(inWords);

    const by = [...new Set([asked.by, ...study.by])].map(at).filter(index => study.properties[index]?.ranks);

    // Of two timed figures how many times the other is the better one, from and to; nothing without intervals.
    const ratio = (better, other) => {
      if (typeof better.i !== "number" || typeof other.i !== "number") return undefined;
      const ratio = (other.v ?? other.n) / (better.v ?? better.n), width = Math.hypot(better.i, other.i);
      return [ratio * Math.exp(-width), ratio * Math.exp(width)];
    };
    const isAhead = (better, other) => {
      if (!better.d && !other.d) return better.n !== other.n;
      return ratio(better, other)?.[0] > 1 + Math.max(data.layout, other.s ?? 0);
    };
    const leads = (algorithm, index) => held(algorithm, index)?.n !== undefined && !held(algorithm, index).x;
    function grouped(algorithms, order) {
      if (!algorithms.length) return [];
      if (!order.length) return [algorithms];
      const [index, ...others] = order;
      const sign = study.properties[index].least ? -1 : 1;
      const known = algorithms.filter(it => leads(it, index)).sort((a, b) => sign * (held(a, index).n - held(b, index).n));
      const groups = [];
      for (const it of known) {
        const group = groups.at(-1);
        if (group && !isAhead(held(group[0], index), held(it, index))) group.push(it);
        else groups.push([it]);
      }
      return [...groups, algorithms.filter(it => !leads(it, index))].flatMap(group => grouped(group, others));
    }
    // Why the better of two is not tied with the other.
    function unlike(better, other) {
      if (!better.d && !other.d) return undefined;
      const [low, high] = ratio(better, other) ?? [0, 0];
      if (!(low > 1 + data.layout) && low >= 1 - data.level && high <= 1 + data.level) return undefined;
      if (other.s !== undefined) return data.why.contended;
      return low === 0 ? data.why.interval : data.why.close;
    }
    // Why these share a rank without being tied.
    function notRanked(group, order) {
      if (!order.length) {
        const isTimed = study.by.map(at).some(index => index >= 0 && group.some(it => held(it, index)?.d));
        return data.unfit ? data.why.unfit : isTimed ? data.why.interval : data.why.unmeasured;
      }
      for (const index of order) {
        if (!leads(group[0], index)) return data.why.interval;
        for (const it of group.slice(1)) {
          const why = leads(it, index) ? unlike(held(group[0], index), held(it, index)) : data.why.interval;
          if (why) return why;
        }
      }
      return undefined;
    }
    function ranked(algorithms, order) {
      const out = [];
      for (const group of grouped(algorithms, order)) {
        const rank = out.length + 1, last = out.length + group.length;
        const why = group.length > 1 ? notRanked(group, order) : undefined;
        const place = group.length < 2 ? `${rank}` : why ? `${rank}–${last}` : `${rank} =`;
        out.push(...group.map(algorithm => ({ rank, place, why, algorithm })));
      }
      return out;
    }

    // What the carrier cannot hold stays outside where nobody asks for the property, too.
    const must = study.must.map(at).filter(index => !constraints.some(it => it.at === index))
      .map(index => ({ at: index, property: study.properties[index], bound: Number.MAX_VALUE }));
    const lacks = algorithm => [...constraints.filter(it => !suffices(it, held(algorithm, it.at))),
      ...must.filter(it => held(algorithm, it.at)?.r !== undefined)];
    const others = study.algorithms.filter(it => it !== replaced).map(algorithm => ({ algorithm, lacks: lacks(algorithm) }));
    const unfit = others.filter(it => it.lacks.length);
    const shown = [...new Set([...by, at("status"), at("warnings"), ...constraints.map(it => it.at)])];
    const survivors = ranked(others.filter(it => !it.lacks.length).map(it => it.algorithm), by);

    function missed(constraint, it) {
      const { property, bound, words } = constraint;
      const title = property.title;
      if (!it) return `${title} not known`;
      const has = text(property, it);
      if (it.r !== undefined) return has;
      if (bound === 0 && property.unit === "count" && !property.least) return `${title}: ${evidence(it)}`;
      if (!words && property.least) return `${title} ${has}, under ${written(property.unit, bound)}`;
      const off = property.unit === "bytes" && it.n !== undefined ? written(property.unit, it.n - bound) + " " : "";
      if (!words) return `${title} ${has}, ${off}over ${written(property.unit, bound)}`;
      if (it.w && !it.w.length) return `${title} ${evidence(it)}`;
      if (words.join() === "yes") return `${title}: ${has}`;
      if (property.all) return `${title} ${has}, not ${words.filter(word => !isAmong(it.w, word)).join(" and ")}`;
      return `${title} ${has}, not ${words.join(" or ")}`;
    }

    // Whom giving up as little as possible would let in. Nobody gives up safety, and no wish changes what a carrier cannot hold.
    function alternatives() {
      const isThinkable = ({ algorithm, lacks }) => lacks.every(({ at: index, property }) => {
        const it = held(algorithm, index);
        if (!it || it.r !== undefined) return false;
        if (it.w) return !it.w.some(word => UNTHINKABLE.includes(word));
        return property.id !== "warnings" && !(replaced && property.id === "strength");
      });
      const sets = new Map();
      for (const it of unfit.filter(isThinkable)) {
        const key = it.lacks.map(lack => lack.property.id).join();
        if (!sets.has(key)) sets.set(key, { lacks: it.lacks, members: [] });
        sets.get(key).members.push(it.algorithm);
      }
      const all = [...sets.values()];
      const isLeast = set => !all.some(other => other.lacks.length < set.lacks.length
        && other.lacks.every(lack => set.lacks.includes(lack)));
      return all.filter(isLeast).map(({ lacks, members }) => {
        const order = ranked(members, by);
        return {
          without: lacks.map(inWords),
          first: order.filter(it => it.rank === 1).map(it => it.algorithm),
          told: data.texts[order[0].algorithm.told],
          ...lacks.length === 1 && lacks[0].property.unit === "bytes" ? nearest(lacks[0], members, order.filter(it => it.rank === 1)) : { nearest: "" },
        };
      }).sort((a, b) => a.without.length - b.without.length);
    }

    // Who comes nearest to a size.
    function nearest({ at: index, property, bound }, members, first) {
      const off = it => Math.abs(held(it, index).n - bound);
      const best = members.reduce((a, b) => off(b) < off(a) ? b : a);
      const many = property.least ? "few" : "many";
      const much = `, ${written(property.unit, off(best))} too ${many}`;
      const isFirst = first.length === 1 && first[0].algorithm === best;
      return { near: best.title + much, nearest: isFirst ? much : `; closest: ${best.title} with ${text(property, held(best, index))}${much}` };
    }

    const isQuantum = it => it.property.id === "post-quantum";
    const yes = constraints.some(it => isQuantum(it) && it.words.join() === "yes");
    const what = (yes ? "post-quantum " : "") + study.wanted + (replaced ? ` in place of ${replaced.title}` : "");
    function ofSurvivors() {
      const { algorithm: first } = survivors[0];
      const titles = keep => survivors.filter(it => keep(it.rank)).map(it => it.algorithm.title);
      const best = titles(rank => rank === 1), after = titles(rank => rank > 1);
      const told = data.texts[first.told] && ": " + data.texts[first.told];
      const { why } = survivors[0];
      let said = best.length === 1 && !by.length ? `As ${what}, use ${first.title}, the only one of ${others.length} that meets all constraints${told}.`
        : best.length === 1 ? `As ${what}, use ${first.title}${told}.`
        : !why ? `As ${what}, ${listed(best, "and")} are tied in ${study.properties[by[0]].title}; ${first.title}${told}.`
        : `${best.length} meet all constraints as ${what}: ${listed(best, "and")}. Not ranked${by.length ? ` by ${study.properties[by[0]].title}` : ""}: ${why}.`
          + (by.length ? ` ${first.title}${told}.` : "");
      if (after.length) said += ` After ${best.length === 1 ? "it" : "them"}: ${listed(after, "then")}.`;
      const warned = ofId(first, "warnings"), status = ofId(first, "status");
      if (warned?.n > 0) said += ` Caveat for ${first.title}: ${evidence(warned)}`;
      if (status && UNTHINKABLE.includes(text(null, status))) said += ` ${first.title} is ${text(null, status)}.`;
      return said;
    }
    function ofNone(ways) {
      const asked = constraints.filter(it => !isQuantum(it)).map(inWords);
      return `No ${what} meets all constraints (${others.length} checked): ${asked.join(", ")}.` + ways.slice(0, WAYS_OUT).map(way => {
        const told = way.told && ` (${way.told})`;
        return ` Without '${way.without.join("' and '")}': ${listed(way.first.map(it => it.title), "or")}${told}${way.nearest}.`;
      }).join("");
    }

    // Whose figures are marked.
    function experiments() {
      const held = survivors.flatMap(({ algorithm }) => shown.map(index => evidence(data.values[algorithm.has[index]])));
      const words = new Set(held.flatMap(it => it.split(", ")));
      const used = Object.entries(data.experiments).filter(([name]) => words.has("by " + name)).map(([name, why]) => `${name} (${why})`);
      if (used.length) return [`${data.experiment}: ${used.join("; ")}.`];
      return sentence.includes(data.experiment[0]) ? [`${data.experiment}.`] : [];
    }

    const ways = survivors.length ? [] : alternatives();
    const sentence = survivors.length ? ofSurvivors() : ofNone(ways);
    const first = survivors.filter(it => it.rank === 1).map(it => it.algorithm.title);
    // In a few words: who is first, or who comes nearest and what it misses.
    function headline() {
      if (first.length > 1 && !by.length) return `${first.length} qualify, not ranked`;
      if (first.length) return listed(first, "or") + (survivors[0].why ? ", not ranked" : "");
      if (!ways.length) return "no algorithm meets all constraints";
      const [way] = ways;
      return way.near ? `nearest: ${way.near}` : `nearest: ${listed(way.first.map(it => it.title), "or")}, without ${way.without.join(" and ")}`;
    }
    const asks = constraints.map(inWords).join("; ");
    return {
      sentence,
      headline: headline(),
      asked: asks + (unjudged.length ? `. Not checked, since the records lack it: ${unjudged.join("; ")}` : ""),
      experiments: experiments(),
      heads: shown.map(index => study.properties[index].title),
      survivors: survivors.map(({ place, algorithm }) => ({
        rank: place,
        algorithm,
        has: shown.map(index => {
          const it = held(algorithm, index);
          return { text: text(study.properties[index], it), evidence: evidence(it) };
        }),
      })),
      excluded: unfit.map(({ algorithm, lacks }) => ({
        algorithm,
        why: lacks.map(it => missed(it, held(algorithm, it.at))),
        evidence: lacks.map(it => evidence(held(algorithm, it.at))).join("; "),
      })),
    };
  }

  return { decide, read };
})();
