#!/usr/bin/env python3
"""Compute the results of a run again, from its windows alone and by other code: is METHODOLOGY what was done?

usage: lab/recompute.py DIRECTORY             check the records.jsonl and windows.csv.gz that a study left there
       lab/recompute.py RECORDS WINDOWS       check the same two files by name
       lab/recompute.py --broken DIRECTORY    check them, then break copies of them, each of which must be refused

Printed are how many results were computed again and each one that differs. The exit code is 1 if one does. Compared are
value, unit, estimator, interval, number of processes and windows, whose core it was, the cost beside a neighbour, the
ratios of results, which there are, and of what, and whether leads are over the fastest. What no window tells is not: the
verdict on the machine, whole jobs in seconds, whether a calibration was made. Needs Python alone.
"""

import bisect
import csv
import functools
import gzip
import itertools
import json
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

CHAIN = 8192          # additions of the chain
NARROW, WIDE = 0.015, 0.04  # the tolerance below a peak of the rulers' quotients, in logarithms
LEAST = 3.5           # no peak below is one of an uncontended core
HELD_UP = 1.02        # times as long as its rulers say: a chain that was held up
UNUSUAL = 1.1         # times the median chain: its quotients say nothing
MOST_ADDERS = 6.0     # of a processor
MOST_TAKEN = 2.0      # times as long as on an uncontended core
ENOUGH = 10           # undisturbed windows of a process that counts
DRIFT = 0.002         # of the machine between runs, in quadrature
IN_COMMON = 0.25      # of the spread of processes, what those of one run have in common, in quadrature
FEWEST = 6            # processes that carry an interval
RESAMPLES = 400
WIDENING = 1.3        # of intervals without a calibration
OWN = "fieldtest"     # the implementation that leads are of
SYSTEM_CALL = "with system call"
ROUNDING = 1e-9       # of a value
STUDENTS = 5e-4       # of half an interval: the program's Student's t is a series, exact to 0.1 %
SHARED = "contended: another thread used the core in too many windows"
LOST = "contended: the thread lost its core in every window"


def quantile(values, share):
    values = sorted(values)
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def quarter_around(eighth, values):
    """The mean of the quarter of the values around so many eighths of them, each taken eight times."""
    expanded = [value for value in sorted(values) for _ in range(8)]
    count = len(values)
    return statistics.fmean(expanded[(eighth - 1) * count:(eighth + 1) * count])


def lower_quartile(values):
    return quarter_around(2, values)


def mean_cost(logarithms):
    return math.log(statistics.fmean(math.exp(value) for value in logarithms))


def highest_peak(rulers):
    """The highest peak that stands out of chains and rulers: its centre, the least uncontended quotient, the median chain."""
    usual = sorted(chain for chain, _ in rulers)[len(rulers) // 2]
    quotients = (4 * chain / ruler for chain, ruler in rulers if chain <= UNUSUAL * usual)
    logs = sorted(math.log(it) for it in quotients if 1 < it < 8)
    steps = sorted({ruler for _, ruler in rulers})
    step = min((b - a for a, b in zip(steps, steps[1:]) if b - a > 2), default=0)
    grain = min(step / sorted(ruler for _, ruler in rulers)[len(rulers) // 2], WIDE / 2)
    look = max(0.009, grain)
    between = lambda low, high: bisect.bisect_left(logs, high) - bisect.bisect_left(logs, low)
    holds = [between(at * 0.0025 - look, at * 0.0025 + look) for at in range(int(math.log(8) * 400) + 4)]
    prominent = max(0.05, 100 / max(len(logs), 1)) * max(holds)
    for at in range(len(holds) - 4, 2, -1):
        if not holds[at] or holds[at] < prominent or holds[at] < max(holds[at - 3:at + 4]):
            continue
        centre = at * 0.0025
        for _ in range(3):
            far = max(NARROW, grain)
            near = logs[bisect.bisect_left(logs, centre - far):bisect.bisect_left(logs, centre + far)]
            centre = statistics.fmean(near) if near else centre
        above = logs[bisect.bisect_left(logs, centre):bisect.bisect_left(logs, centre + 2 * NARROW)]
        noise = math.sqrt(statistics.fmean((it - centre) ** 2 for it in above)) if above else 0
        reach = min(max(NARROW, 3 * noise, 2 * grain), WIDE)
        stands_out = between(centre - reach, centre + reach) >= 2 * between(centre - 3 * reach, centre - reach)
        if stands_out and math.exp(centre) >= LEAST:
            return math.exp(centre), math.exp(centre - reach), float(usual)
    return None


def readings(windows, in_cycles, core):
    """Cost, uncontended, switched, and how much longer the rulers took, of every window of a worker."""
    centre, gate, usual = core or (None, math.inf, None)
    blocks = [list(block) for _, block in itertools.groupby(windows, lambda window: window["at"])]
    for block in blocks:
        # The throughput ruler does the work of four chains.
        chain, is_said = block[0]["chain"], True
        shortest = min(min(it["ruler_before"], it["ruler_behind"]) for it in block)
        if not core and chain > shortest * MOST_ADDERS / 4:
            chain = shortest
        if core:
            said = shortest * centre / 4
            chain, is_said = (chain, True) if chain <= HELD_UP * said else (said, said <= UNUSUAL * usual)
        for window in block:
            quotients = [4 * chain / window[ruler] for ruler in ("ruler_before", "ruler_behind")]
            free = is_said and all(it >= gate for it in quotients)
            cost = window["length"] / window["batch"] * (CHAIN / chain if in_cycles else 1)
            taken = statistics.fmean(min(centre / it, MOST_TAKEN) if core else MOST_TAKEN for it in quotients)
            yield cost, free and not window["switched"], bool(window["switched"]), taken


def figure(visits, estimator):
    """The logarithms of the processes that count, how they make the figure, those of their windows, and whose core it was."""
    gates = [(None, lambda it: it[1]), (SHARED, lambda it: not it[2]), (LOST, lambda it: True)]

    def pick(at):
        least = lambda visit: max(1, min(ENOUGH, -(-len(visit) // 4))) if at == 0 else 1
        kept = [([math.log(it[0]) for it in visit if gates[at][1](it)], visit) for visit in visits]
        return [values for values, visit in kept if len(values) >= least(visit)]

    kept, core = pick(0), None
    # No more of them than there are.
    if not kept or len(kept) < min(FEWEST, len(visits)):
        kept, core = (pick(1), SHARED) if pick(1) else (pick(2), LOST)
    within = (lambda values: quantile(values, 0.25)) if estimator == "median" else mean_cost
    over = lower_quartile if estimator == "median" else mean_cost
    return [within(values) for values in kept], over, kept, core


def elapsed(visits):
    """The mean by the clock, and the standard deviation of the windows that count."""
    clusters, over, kept, _ = figure(visits, "mean")
    costs = [math.exp(cost) for cost in itertools.chain.from_iterable(kept)]
    return math.exp(over(clusters)), statistics.stdev(costs) if len(costs) > 1 else None


def shared(visits):
    """What it costs beside a busy neighbour, and how many processes saw enough of that; None where none did."""
    disturbed = [[math.log(cost) for cost, free, switched, _ in visit if not free and not switched] for visit in visits]
    clusters = [quantile(values, 0.5) for values in disturbed if len(values) >= ENOUGH]
    return (math.exp(quarter_around(4, clusters)), len(clusters)) if clusters else None


def splitmix64(state):
    """Steele, Lea and Flood 2014: which processes a resample draws follows from the run's seed."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        word = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        yield word ^ word >> 31


@functools.cache
def student(freedom):
    """Two-sided 95 %: up to where 0.475 of the density lies, which Simpson's rule adds up."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)

    def within(t, steps=200):
        weights = [1] + [4, 2] * (steps // 2 - 1) + [4, 1]
        return t / steps / 3 * sum(weight * density(t * at / steps) for at, weight in enumerate(weights))

    low, high = 0.0, 20.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 0.475 else (low, middle)
    return high


def half_width(clusters, over, widening, seed):
    start = next(splitmix64(seed ^ next(splitmix64(int.from_bytes(b"level", "big")))))
    chance, count, clusters = splitmix64(start), len(clusters), sorted(clusters)
    drawn = [over([clusters[next(chance) * count >> 64] for _ in range(count)]) for _ in range(RESAMPLES)]
    error = widening * statistics.stdev(drawn) * math.sqrt(count / (count - 1))
    return math.hypot(student(count - 1) * error, IN_COMMON * error * math.sqrt(count), DRIFT)


def key(it, name):
    return it["study"], it["algorithm"], name, it["operation"], it.get("subject", "")


def once(pairs):
    """An object of JSON. A second field of one name would hide the first from us, and the first might be what others read."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        sys.exit(f"a field is there twice: {dict(pairs)}")
    return fields


def is_timed(it):
    """Whether its windows are to be there: those of whole runs, in seconds, and what others published have none."""
    in_windows = it["unit"].startswith("cycles") or it["unit"] == "ns"
    return timed(it) or in_windows and it["estimator"] in ("median", "mean")


def is_ratio(it):
    return it["operation"].endswith(("-ratio", "-lead"))


def read(records, raw):
    """The run, its records by name, the windows of each by visit, and the chains and rulers of what was measured together.

    What was measured together begins with the readings that no window has."""
    lines = [json.loads(line, object_pairs_hook=once) for line in records.read_text().splitlines()]
    run, *others = [it for it in lines if it["line"] == "run"]
    if others:
        sys.exit("there are several runs, and windows are those of one")
    told, series = {}, {}
    for it in lines:
        if it["line"] == "record":
            name = key(it, it.get("implementation", {}).get("name", ""))
            if name in told and (is_timed(it) or is_ratio(it)):
                sys.exit(f"{' '.join(filter(None, name))}: there are two records of it")
            told[name] = it
    together, of_window = [], True
    with gzip.open(raw, "rt", newline="") as rows:
        for row in csv.DictReader(rows):
            if of_window and not row["algorithm"]:
                together.append([])
            of_window = row["algorithm"] != ""
            if not together:
                sys.exit("the first windows are there without the readings of the rulers before them")
            row["together"] = len(together) - 1
            if not of_window:
                together[-1].append((int(row["chain"]), int(row["ruler_before"])))
                continue
            for name in ("batch", "at", "length", "ruler_before", "ruler_behind", "chain", "switched", "worker", "items"):
                row[name] = int(row[name])
            series.setdefault(key(row, row["implementation"]), {}).setdefault(row["worker"], []).append(row)
            together[-1] += [(row["chain"], row[ruler]) for ruler in ("ruler_before", "ruler_behind")]
    return run, told, series, together


def core(it):
    """Whose core a result says that it is of."""
    return next((of for of in (SHARED, LOST) if any(of in note for note in it.get("notes", []))), None)


def is_few(it):
    return any("too few signatures" in note for note in it.get("notes", []))


class Check:
    def __init__(self, records, raw):
        self.run, self.told, self.series, together = read(records, raw)
        self.wrong, self.widths = [], {}
        self.widening = self.run.get("calibration", {}).get("widening", WIDENING)
        self.peaks = [highest_peak(rulers) for rulers in together]
        if self.widening < WIDENING:
            self.wrong.append(f"calibration: intervals are widened {self.widening} times, and never less than {WIDENING} times")

    def fault(self, name, what):
        self.wrong.append(f"{' '.join(filter(None, name))}: {what}")

    def compare(self, name, what, found, told, tolerance=0.0):
        if found is None or told is None or isinstance(found, str):
            alike = found == told
        else:
            alike = abs(found - told) <= tolerance * abs(found)
        if not alike:
            self.fault(name, f"{what} is {told} in its record, {found} by its windows")

    def interval(self, name, record, value, half):
        """`half` is None where there is to be no interval."""
        told = record.get("interval")
        if half is None or told is None:
            return self.compare(name, "half its interval", half, told and math.log(told[1] / value))
        for end in (math.log(value / told[0]), math.log(told[1] / value)):
            self.compare(name, "half its interval", half, end, STUDENTS)

    def of_windows(self, name, visits):
        record = self.told.get(name)
        if record is None:
            return self.fault(name, f"there are windows of it, and no record")
        first, notes = next(iter(visits.values()))[0], record.get("notes", [])
        for column in ("together", "centre", "gate", "usual_chain", "estimator", "items"):
            if len(said := {str(row[column]) for windows in visits.values() for row in windows}) > 1:
                return self.fault(name, f"its windows do not agree on {column}: {', '.join(sorted(said)[:3])}")
        per = "/byte" if first["items"] > 1 or record.get("subject") == "1 bytes" else ""
        self.compare(name, "what a unit is of", per, "/byte" if record["unit"].endswith("/byte") else "")
        in_cycles = record["unit"].startswith("cycles") and any("chain of dependent" in note for note in notes)
        core_of = tuple(float(first[column]) for column in ("centre", "gate", "usual_chain")) if first["centre"] else None
        seen = self.peaks[first["together"]]
        if (seen is None) != (core_of is None) or seen and any(abs(it / of - 1) > ROUNDING for it, of in zip(core_of, seen)):
            self.fault(name, f"the rulers' peak is {core_of} by its windows' columns, and {seen} by their rulers")
        processes = [list(readings(windows, in_cycles, core_of)) for windows in visits.values()]
        clusters, over, kept, of = figure(processes, first["estimator"])
        value = math.exp(over(clusters)) / first["items"]
        self.compare(name, "its estimator", first["estimator"], record["estimator"])
        self.compare(name, "its value", value, record["value"], ROUNDING)
        self.compare(name, "the number of its processes", len(clusters), record["samples"])
        counts = f"{sum(map(len, kept))} of {sum(map(len, processes))} windows in {len(clusters)} processes"
        said = next((note.split(",")[0] for note in notes if "windows in" in note), None)
        self.compare(name, "what counts", counts, said)
        self.compare(name, "its core", of, core(record))
        kept = [it[3] for process in processes for it in process if not it[2]]
        longer = (max(statistics.fmean(kept), 1.0) if kept and of == SHARED else MOST_TAKEN) if of else None
        self.compare(name, "how much longer its rulers took", longer, record.get("contention"), ROUNDING)
        beside, told = (None if of else shared(processes)) or (None, None), record.get("shared", {})
        self.compare(name, "its cost beside a neighbour", beside[0] and beside[0] / first["items"], told.get("value"), ROUNDING)
        self.compare(name, "the number of processes beside a neighbour", beside[1], told.get("samples"))
        if stray := set(told) - {"value", "samples"}:
            self.fault(name, f"a cost beside a neighbour has no {', '.join(sorted(stray))}")
        if in_cycles or record["unit"].startswith("ns"):
            by_clock = elapsed([list(readings(windows, False, core_of)) for windows in visits.values()])
            if of == LOST:
                by_clock = None, None
            for what, found in zip(("mean", "deviation"), by_clock):
                if first["items"] == 1:
                    self.compare(name, f"its {what} by the clock", found, record.get("elapsed", {}).get(what), ROUNDING)
            rate = self.told.get((*name[:3], name[3] + "-rate", name[4]))
            if rate:
                found = by_clock[0] and first["items"] / 1024 / by_clock[0] * 1e9
                self.compare(name, "its rate", found, rate["value"], ROUNDING)
        if len(clusters) >= FEWEST:
            self.widths[name] = half_width(clusters, over, self.widening, self.run["seed"])
        self.interval(name, record, value, None if is_few(record) else self.widths.get(name))

    def of_ratio(self, name, record):
        """A ratio is that of two records, and its interval follows from both."""
        study, algorithm, implementation, operation, subject = name
        if operation.endswith("-ratio") and (other := re.fullmatch(r"(.*?) ?against (\S+) \((\S+)\)", subject)):
            above, below = (algorithm, implementation, other[1]), (other[2], other[3], other[1])
        elif operation.endswith("-lead") and (other := re.fullmatch(r"(.*?) ?over (\S+)", subject)):
            above, below = (algorithm, other[2], other[1]), (algorithm, implementation, other[1])
        else:
            return self.fault(name, f"it is not said of what it is the ratio")
        names = [(study, *it[:2], operation.rpartition("-")[0], it[2]) for it in (above, below)]
        if lacking := next((it for it in names if it not in self.series), None):
            return self.fault(name, f"there are no windows of {' '.join(filter(None, lacking))}")
        both = [self.told[it] for it in names]
        value = both[0]["value"] / both[1]["value"]
        if len(cores := {core(it) for it in (*both, record)}) > 1:
            self.fault(name, f"it is of cores that are not alike: {cores}")
        self.compare(name, "its unit", "ratio", record["unit"])
        means = any(it["estimator"] == "mean" for it in both)
        self.compare(name, "its estimator", "mean" if means else "median", record["estimator"])
        self.compare(name, "the number of its processes", min(it["samples"] for it in both), record["samples"])
        self.compare(name, "its value", value, record["value"], ROUNDING)
        halves = [self.widths.get(it) for it in names]
        self.interval(name, record, value, math.hypot(*halves) if all(halves) else None)

    def missing_ratios(self):
        """Who has no ratio to a result that others have one to."""
        against = {}
        for study, _, _, operation, subject in self.told:
            if other := operation.endswith("-ratio") and re.fullmatch(r"against (\S+) \((\S+)\)", subject):
                against[study, operation.removesuffix("-ratio")] = study, *other.groups(), operation.removesuffix("-ratio"), ""
        for name, record in self.told.items():
            base = against.get((name[0], name[3]))
            if name not in self.series or name[4] or base in (None, name) or base not in self.told:
                continue
            both = record, self.told[base]
            ratio = *name[:3], f"{name[3]}-ratio", f"against {base[1]} ({base[2]})"
            if not any(map(is_few, both)) and core(both[0]) == core(both[1]) and ratio not in self.told:
                self.fault(ratio, f"it is missing")

    def rival(self, own):
        """The implementation that a lead of this result is over, if there is one: the fastest other one, and no other may be faster."""
        record = self.told[own]
        others = [
            (it, name[2]) for name, it in self.told.items()
            if name in self.series and name[:2] == own[:2] and name[3:] == own[3:]
            and not name[2].startswith(OWN) and SYSTEM_CALL not in it.get("notes", [])
        ]
        like = [it for it in others if core(it[0]) == core(record)]
        best, rival = min(like, key=lambda it: it[0]["value"], default=(None, None))
        least = lambda it: 0 if core(it) == LOST else it["value"] / it.get("contention", MOST_TAKEN if core(it) else 1)
        if best is None or any(least(it) < best["value"] for it, _ in others if core(it) != core(record)):
            return None
        return None if is_few(best) or is_few(record) else rival

    def leads(self):
        """Over whom leads are, and who has none where others have one."""
        over = {}
        for study, algorithm, implementation, operation, subject in self.told:
            if operation.endswith("-lead") and (other := re.fullmatch(r"(.*?) ?over (\S+)", subject)):
                over[study, algorithm, implementation, operation.removesuffix("-lead"), other[1]] = other[2]
        with_leads = {(name[0], name[3]) for name in over}
        for name in self.series:
            if name[2] != OWN or (name[0], name[3]) not in with_leads or name not in self.told:
                continue
            told, rival = over.get(name), self.rival(name)
            if told and rival and told != rival:
                self.fault(name, f"its lead is over {told}, and the fastest other implementation is {rival}")
            elif rival and not told:
                self.fault(name, f"its lead over {rival} is missing")

    def all(self):
        for name, visits in self.series.items():
            self.of_windows(name, visits)
        for name, record in self.told.items():
            if name not in self.series and is_timed(record):
                self.fault(name, f"there is a record of its windows, and none of them")
        for name, record in self.told.items():
            if record["unit"] == "ratio" and record["samples"] and not is_ratio(record):
                self.fault(name, f"a ratio is called after what it is of")
        # Where a result is wrong, so are its ratios.
        ratios = [it for it in self.told.items() if is_ratio(it[1])] if not self.wrong else []
        for it in ratios:
            self.of_ratio(*it)
        self.missing_ratios()
        if not self.wrong:
            self.leads()
        print(f"{len(self.series)} results computed again, {len(self.widths)} with an interval, and {len(ratios)} ratios of them")
        if not self.series:
            self.wrong.append("there are no windows")
        return self.wrong


# Copies that must be refused, and what has to be said of them.

def one(lines, of):
    """The first record that `of` wants."""
    return next(it for it in lines if it["line"] == "record" and of(it))


def timed(it):
    return any(" windows in " in note for note in it.get("notes", []))


def timed_with_interval(it):
    return timed(it) and "interval" in it


def change_value(lines, rows):
    one(lines, timed)["value"] *= 1.0001


def swap_estimator(lines, rows):
    it = one(lines, timed)
    it["estimator"] = "mean" if it["estimator"] == "median" else "median"


def windows(rows):
    """The rows of windows; the others have a ruler's reading each."""
    return [row for row in rows if row["algorithm"]]


def swap_estimator_of_windows(lines, rows):
    row = windows(rows)[0]["estimator"]
    rows[:] = [it | {"estimator": "mean" if row == "median" else "median"} if it["estimator"] == row else it for it in rows]


def narrow_interval(lines, rows):
    it = one(lines, timed_with_interval)
    it["interval"] = [it["value"] * (end / it["value"]) ** 0.99 for end in it["interval"]]


def drop_interval(lines, rows):
    del one(lines, timed_with_interval)["interval"]


def narrow_ratio(lines, rows):
    """Or invent its interval: a busy machine has none where there is little time."""
    it = one(lines, is_ratio)
    value = it["value"]
    it["interval"] = [value * (end / value) ** 0.99 for end in it.get("interval", [value / 1.1, value * 1.1])]


def hide_ratio(lines, rows):
    one(lines, is_ratio)["subject"] = "to another"


def drop_process(lines, rows):
    rows[:] = [row for row in rows if row["worker"] != "0"]


def drop_window(lines, rows):
    rows.remove(windows(rows)[0])


def drop_windows(lines, rows):
    first = windows(rows)[0]
    first = key(first, first["implementation"])
    rows[:] = [row for row in rows if key(row, row["implementation"]) != first]


def hide_windows(lines, rows):
    drop_windows(lines, rows)
    for it in lines:
        it["notes"] = []


def drop_record(lines, rows):
    lines.remove(one(lines, timed))


def double_record(lines, rows):
    it = one(lines, timed)
    lines.insert(lines.index(it), it | {"value": it["value"] * 2})


def change_unit(lines, rows):
    it = one(lines, timed)
    it["unit"] = it["unit"].removesuffix("/byte") if it["unit"].endswith("/byte") else it["unit"] + "/byte"


def change_later_rows(lines, rows):
    windows(rows)[1]["centre"] = "1.0"


def drop_readings(lines, rows):
    """All but one, without which they were not measured together."""
    del rows[1:next(at for at, row in enumerate(rows) if row["algorithm"])]


def move_peak(lines, rows):
    for row in windows(rows):
        row["centre"] = row["centre"] and str(float(row["centre"]) * 1.0001)


def invent_interval_beside(lines, rows):
    it = one(lines, shared_cost)["shared"]
    it["interval"] = [it["value"] / 1.1, it["value"] * 1.1]


def change_elapsed(lines, rows):
    one(lines, timed_by_clock)["elapsed"]["deviation"] *= 1.01


def timed_by_clock(it):
    return timed(it) and "elapsed" in it


def change_processes_of_ratio(lines, rows):
    one(lines, is_ratio)["samples"] += 1


def rename_ratio(lines, rows):
    it = one(lines, is_ratio)
    it["operation"] = it["operation"].rpartition("-")[0] + "-quotient"


def drop_ratio(lines, rows):
    """One of several: where all are gone, nobody knows of what they were."""
    ratios = [it for it in lines if it["line"] == "record" and to_baseline(it)]
    lines.remove(max(ratios, key=lambda it: sum(other["operation"] == it["operation"] for other in ratios)))


def is_lead(it):
    return it["operation"].endswith("-lead")


def drop_lead(lines, rows):
    """One of several, as of ratios."""
    leads = [it for it in lines if it["line"] == "record" and is_lead(it)]
    lines.remove(max(leads, key=lambda it: sum(other["operation"] == it["operation"] for other in leads)))


def widen_less(lines, rows):
    next(it for it in lines if it["line"] == "run")["calibration"] = {"widening": 1.0}


def uncontended(it):
    return timed(it) and core(it) is None


def shared_cost(it):
    return timed(it) and "shared" in it


def to_baseline(it):
    return it["operation"].endswith("-ratio")


# Each with a record that it needs.
BROKEN = [
    (change_value, timed, "its value"),
    (swap_estimator, timed, "its estimator"),
    (swap_estimator_of_windows, timed, "its value"),
    (narrow_interval, timed_with_interval, "half its interval"),
    (drop_interval, timed_with_interval, "half its interval"),
    (narrow_ratio, is_ratio, "half its interval"),
    (hide_ratio, is_ratio, "of what it is the ratio"),
    (drop_process, timed_with_interval, "the number of its processes"),
    (drop_window, timed, "what counts"),
    (drop_windows, timed, "none of them"),
    (hide_windows, timed, "none of them"),
    (drop_record, timed, "and no record"),
    (double_record, timed, "two records of it"),
    (change_unit, timed, "what a unit is of"),
    (change_later_rows, timed, "do not agree on centre"),
    (drop_readings, uncontended, "the rulers' peak"),
    (move_peak, uncontended, "the rulers' peak"),
    (change_elapsed, timed_by_clock, "by the clock"),
    (invent_interval_beside, shared_cost, "beside a neighbour has no interval"),
    (change_processes_of_ratio, is_ratio, "the number of its processes"),
    (rename_ratio, is_ratio, "a ratio is called after"),
    (drop_ratio, to_baseline, "it is missing"),
    (drop_lead, is_lead, "its lead over"),
    (widen_less, timed_with_interval, "never less than"),
]


def refuses(folder):
    """Whether every broken copy is refused for what was done to it; prints each."""
    lines = [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
    with gzip.open(folder / "windows.csv.gz", "rt", newline="") as text:
        rows = list(csv.DictReader(text))
    refused = spared = 0
    for change, needed, words in BROKEN:
        try:
            # One study is enough, and sooner done.
            study = one(lines, needed)["study"]
        except StopIteration:
            # A quiet machine has no cost beside a neighbour; a busy one that has no intervals shows nothing of these.
            spared += needed is shared_cost
            print(f"NOT TRIED ({change.__name__}): this report has no such record")
            continue
        own_lines = json.loads(json.dumps([it for it in lines if it.get("study", study) == study]))
        own_rows = [dict(row) for row in rows if row["study"] == study]
        change(own_lines, own_rows)
        with tempfile.TemporaryDirectory(prefix="fieldtest-broken-") as copy:
            copy = pathlib.Path(copy)
            (copy / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in own_lines))
            with gzip.open(copy / "windows.csv.gz", "wt", newline="", compresslevel=1) as out:
                table = csv.DictWriter(out, rows[0].keys(), lineterminator="\n")
                table.writeheader()
                table.writerows(own_rows)
            done = subprocess.run([sys.executable, __file__, copy], capture_output=True, text=True, check=False)
        said = next((line for line in done.stderr.splitlines() if words in line), None)
        good = done.returncode == 1 and said is not None
        refused += good
        print(f"{'refused' if good else 'NOT REFUSED'} ({change.__name__}): {said or done.stderr.strip() or 'nothing was found'}")
    print(f"{refused} of {len(BROKEN) - spared} broken copies refused")
    return refused + spared == len(BROKEN)


def main():
    arguments = sys.argv[1:]
    breaks = arguments[:1] == ["--broken"]
    paths = list(map(pathlib.Path, arguments[breaks:]))
    if len(paths) == 1:
        files = paths[0] / "records.jsonl", paths[0] / "windows.csv.gz"
    elif len(paths) == 2 and not breaks:
        files = paths
    else:
        sys.exit(__doc__)
    wrong = Check(*files).all()
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(1 if wrong or (breaks and not refuses(paths[0])) else 0)


main()
