# What the scripts in this folder share: steps with their times, which steps a change needs, and Cargo as CI calls it.
# Sourced from the root of the repository.

cache=target/ci
mkdir -p "$cache"

# Begins a step and ends the one before. Scripts that run side by side add to the same file.
step() { # name
    step_end
    step_name=$1 step_began=$EPOCHREALTIME
    printf '\n== %s (%s)\n' "$1" "$(date -u +%H:%M:%S)"
}
step_end() {
    [[ -z ${step_name:-} ]] || awk -v began="$step_began" -v ended="$EPOCHREALTIME" -v name="$step_name" \
        'BEGIN { printf "%.0f\t%s\n", ended - began, name }' >> "$cache/times.tsv"
    step_name=
}

# Whether the change concerns this step of steps.toml (.ci/changed decides it once for all scripts) and there is time left.
# A machine may be half as fast as another, and a run that is cut off after 90 minutes says nothing: what would begin too
# late is left to the night, by name.
wanted() { # step
    [[ " ${FIELDTEST_CI_STEPS?} " == *" $1 "* ]] || return
    ((FIELDTEST_CI_LIMIT == 0 || EPOCHSECONDS < FIELDTEST_CI_BEGAN + FIELDTEST_CI_LIMIT * 60)) && return
    echo "SKIPPED $1: $FIELDTEST_CI_LIMIT minutes are over" >&2
    echo "$1" >> "$cache/skipped"
    return 1
}

# Gives this process group what others leave. `nice` alone does not: Linux shares between sessions first.
background() {
    { echo 19 > /proc/self/autogroup; } 2> /dev/null || true
}

# A command of README, as CI runs it.
readme() { # 'cargo test', 'cargo run'
    local command
    command=$(sed -n "s/^\($1 .*\)\$/\1/p" README.md | head -n 1)
    [[ -n $command ]] || { echo "README has no command that begins with '$1'" >&2; return 1; }
    echo "$command"
}
