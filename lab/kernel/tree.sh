# shellcheck shell=bash
# Keeps what modules for the lab's kernel are built with: 80 MB of 3 GB of source and objects. For build.sh.

# Copies the files that `make M=` reads to RESULT/source and RESULT/build. Their paths name PLACE, where the result will be.
keep_tree() { # source build result place
    local file
    mkdir -p "$3/source" "$3/build"
    (
        cd "$1" || exit
        find . -maxdepth 1 -type f -print0
        find include scripts arch/um arch/x86/include arch/x86/um tools/include tools/scripts -print0
        find arch/x86 -maxdepth 2 -name 'Makefile*' -print0
    ) | tar -C "$1" --null --no-recursion -T - -c | tar -C "$3/source" -x
    (
        cd "$2" || exit
        find . -maxdepth 1 -type f -size -4M ! -name '.*.cmd' -print0
        find include scripts arch -type f ! -name '*.o' ! -name '*.a' ! -name '*.cmd' -print0
        find arch -type l -print0
    ) | tar -C "$2" --null --no-recursion -T - -c | tar -C "$3/build" -x
    # Makefiles name both folders.
    ln -sfn "$4/source" "$3/build/source"
    grep -rlIF -e "$1" -e "$2" "$3/build" --include='Makefile' --include='*.mk' | while read -r file; do
        sed -i "s#$1#$4/source#g;s#$2#$4/build#g" "$file"
    done
}
