#!/usr/bin/env python3
"""The figures of a run once more, from its windows alone and by code of its own: does METHODOLOGY say what was done?

usage: lab/recompute.py DIRECTORY            the records.jsonl and windows.csv.gz that a study left there
       lab/recompute.py RECORDS WINDOWS      the same two files by name

Printed are how many figures were computed again, the largest differences from the records, and how the intervals
compare, which come of other resamples here. The exit code is 1 if a figure is not the record's. Needs Python alone.
"""

import csv
import gzip
import itertools
import json
import math
import pathlib
import random
import statistics
import sys

CHAIN = 8192          # additions of the chain
TOLERANCE = 0.015     # of the rulers' quotient, below that of a core of one's own
ALONE = 3.7           # the least quotient of such a core
ENOUGH = 10           # undisturbed windows of a process that counts
DRIFT = 0.002         # of the machine between runs, in quadrature
IN_COMMON = 0.25      # of the spread of processes, what those of one run have in common, in quadrature
FEWEST = 6            # processes that carry an interval
RESAMPLES = 400
# Student's t, two-sided 95 %, for 5 to 30 degrees of freedom.
STUDENT = [2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
           2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


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


def readings(windows, in_cycles, alone):
    """Cost, undisturbed, switched of every window of a visit."""
    gate = max(ALONE, alone * (1 - TOLERANCE))
    turns = [list(turn) for _, turn in itertools.groupby(windows, lambda window: window["at"])]
    # Four chains never take less time than one.
    chains = [min(min(it["chain"], it["ruler_before"], it["ruler_behind"]) for it in turn) for turn in turns]
    for window, chain in ((window, chain) for turn, chain in zip(turns, chains) for window in turn):
        # The throughput ruler does the work of four chains.
        free = all(4 * chain / window[ruler] >= gate for ruler in ("ruler_before", "ruler_behind"))
        cost = window["length"] / window["batch"] * (CHAIN / chain if in_cycles else 1)
        yield cost, free and not window["switched"], bool(window["switched"])


def figure(visits, estimator):
    """The logarithms of the processes that count, and the figure."""
    least = lambda all_of, gate: max(1, min(ENOUGH, -(-len(all_of) // 4))) if gate == 0 else 1
    gates = [lambda it: it[1], lambda it: not it[2], lambda it: True]

    def pick(gate):
        kept = [([math.log(it[0]) for it in visit if gates[gate](it)], visit) for visit in visits]
        return [values for values, visit in kept if len(values) >= least(visit, gate)]

    kept = pick(0)
    # No more of them than there are.
    undisturbed = len(kept) >= min(FEWEST, len(visits))
    if not kept or not undisturbed:
        kept = pick(1) or pick(2)
    within = (lambda values: quantile(values, 0.25)) if estimator == "median" else mean_cost
    clusters = [within(values) for values in kept]
    over = lower_quartile if estimator == "median" else mean_cost
    return clusters, over


def shared(visits):
    """What it costs beside a busy neighbour; None where no process saw enough of that."""
    disturbed = [[math.log(cost) for cost, free, switched in visit if not free and not switched] for visit in visits]
    clusters = [quantile(values, 0.5) for values in disturbed if len(values) >= ENOUGH]
    return math.exp(quarter_around(4, clusters)) if clusters else None


def half_width(clusters, over, widening):
    chance = random.Random(1)
    count = len(clusters)
    drawn = [over([chance.choice(clusters) for _ in range(count)]) for _ in range(RESAMPLES)]
    t = STUDENT[count - 6] if count - 6 < len(STUDENT) else 1.96 + 2.5 / count
    error = widening * statistics.stdev(drawn) * math.sqrt(count / (count - 1))
    return math.hypot(t * error, IN_COMMON * error * math.sqrt(count), DRIFT)


def main():
    if len(sys.argv) == 2:
        folder = pathlib.Path(sys.argv[1])
        records, raw = folder / "records.jsonl", folder / "windows.csv.gz"
    elif len(sys.argv) == 3:
        records, raw = map(pathlib.Path, sys.argv[1:])
    else:
        sys.exit(__doc__)

    key = lambda it, name: (it["study"], it["algorithm"], name, it["operation"], it.get("subject", ""))
    told, widening = {}, 1.3
    for line in records.read_text().splitlines():
        it = json.loads(line)
        if it["line"] == "run" and "calibration" in it:
            widening = it["calibration"]["widening"]
        if it["line"] == "record" and it["samples"] > 0:
            told[key(it, it.get("implementation", {}).get("name", ""))] = it

    series = {}
    numbers = ("batch", "at", "length", "ruler_before", "ruler_behind", "chain", "switched", "visit", "items")
    with gzip.open(raw, "rt", newline="") as rows:
        for row in csv.DictReader(rows):
            for name in numbers:
                row[name] = int(row[name])
            visits = series.setdefault(key(row, row["implementation"]), {})
            visits.setdefault(row["visit"], []).append(row)

    apart, wider, missing = [], [], 0
    for name, visits in series.items():
        record = told.get(name)
        if record is None:
            missing += 1
            continue
        first = next(iter(visits.values()))[0]
        in_cycles = record["unit"].startswith("cycles") and any("chain of dependent" in note for note in record["notes"])
        read = [list(readings(windows, in_cycles, float(first["alone"]))) for windows in visits.values()]
        clusters, over = figure(read, first["estimator"])
        value = math.exp(over(clusters)) / first["items"]
        apart.append((abs(value / record["value"] - 1), name))
        if "shared" in record:
            busy = shared(read) / first["items"]
            apart.append((abs(busy / record["shared"]["value"] - 1), name + ("beside a neighbour",)))
        if len(clusters) >= FEWEST and record.get("interval"):
            half = math.log(record["interval"][1] / record["value"])
            wider.append(half / half_width(clusters, over, widening))

    apart.sort(reverse=True)
    print(f"{len(apart)} figures computed again, {missing} without a record")
    for difference, name in apart[:3]:
        print(f"  {difference:.2e}  {' '.join(name)}")
    if wider:
        print(f"intervals: the record's are {statistics.median(wider):.2f} times as wide in the middle of {len(wider)}")
    sys.exit(1 if not apart or missing or apart[0][0] > 1e-3 else 0)


main()
