# Options of the scripts in this directory. Who sources it has lines `# usage: …` at its top.

usage() {
    sed -n 's/^# usage: /usage: /p' "$0" >&2
    exit 2
}

# Takes options `--NAME VALUE` as variables of these names. With `...` among the names there may be other arguments, which stand in
# `rest`.
options() { # "NAME NAME ..." arguments...
    local names=" $1 "
    shift
    rest=()
    while [[ $# -gt 0 ]]; do
        if [[ $1 == --* && $# -gt 1 && $names == *" ${1#--} "* ]]; then
            printf -v "${1#--}" %s "$2"
            shift 2
        elif [[ $1 != --* && $names == *' ... '* ]]; then
            rest+=("$1")
            shift
        else
            usage
        fi
    done
}
