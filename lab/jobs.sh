# What labs of jobs have in common, besides common.sh: time, folders that are to be alike, ledgers, and what is refused.

seconds() { # command...: sets took
    local begun=$EPOCHREALTIME code=0
    "$@" || code=$?
    took=$(awk -v a="$begun" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
    return $code
}
same() { # what one other
    if diff -r "$2" "$3" > same.log 2>&1; then pass "$1"; else fail "$1" same.log; fi
}
lines() { cat "$1/ledger.jsonl" 2> /dev/null | wc -l; } # job
once() { # job: every item of its ledger stands there once
    python3 - "$1" << 'PY'
import collections, json, sys
done = collections.Counter(json.loads(line)["item"] for line in open(sys.argv[1] + "/ledger.jsonl"))
assert set(done.values()) == {1}, done.most_common(3)
PY
}
# Kills a job when a tenth, a half and nine tenths of its items are done. `begin` starts it in the background and sets runner.
# Sets stopped, and the file killed.at.
kill_thrice() { # job items
    local share
    stopped=0
    for share in 10 50 90; do
        begin
        while kill -0 $runner 2> /dev/null && (($(lines "$1") * 100 < $2 * share)); do sleep 0.005; done
        if kill -KILL $runner 2> /dev/null; then stopped=$((stopped + 1)); fi
        wait $runner 2> /dev/null || true
        echo "$(lines "$1") of $2" >> killed.at
    done
}
refused() { # words command...
    if "${@:2}" > refused.out 2> refused.log; then fail "refused: $1" refused.log; elif grep -q -- "$1" refused.log; then pass "refused: $1"; else fail "refused: $1" refused.log; fi
}
