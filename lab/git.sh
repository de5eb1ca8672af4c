#!/usr/bin/env bash
# Converted repositories and maps of names before Git itself:
#
# 1. `git fsck --full` accepts what `fieldtest git convert` wrote, and `git log` and `git diff` show over it what they
#    show over the original;
# 2. the map equals the names that Git gives: our repository is unpacked into one that keeps both names of every object
#    (`extensions.compatObjectFormat`), which takes a newer Git than Debian 12's (lab/git/build.sh);
# 3. the way back is the original, name for name;
# 4. damage is found and named, and a conversion that is killed leaves nothing that looks whole;
# 5. notes and replacements say the same over the new repository as over the old one;
# 6. the newer Git reads our `loose-object-idx`, and finds a commit by its name in the other format.
#
# usage: lab/git.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [REPOSITORY...]
#
# The repositories are one made here, of everything that is odd, and those that are named; FIELDTEST_REPOSITORIES may name
# more, separated by colons. They are only read. The newer Git is target/lab/bin/git, or what FIELDTEST_GIT names. What
# is missing is skipped by name; with FIELDTEST_PEERS=required that is a failure.
takes=...
. "$(dirname "$0")/common.sh"
needs git:git gpg:gnupg python3:python3
IFS=: read -ra repositories <<< "${FIELDTEST_REPOSITORIES:-}"
for repository in "${rest[@]}"; do repositories+=("$(realpath "$repository")"); done
newer=${FIELDTEST_GIT:-$here/../target/lab/bin/git}
if [[ ! -x $newer ]]; then
    skip "Git with compatObjectFormat" "no $newer; build it with lab/git/build.sh, or name one in FIELDTEST_GIT"
    newer=
elif [[ $(printf 'git version %s\n' 2.45 | sort -V - <("$newer" version) | head -n 1) != 'git version 2.45' ]]; then
    skip "Git with compatObjectFormat" "it takes Git 2.45, and $newer is $("$newer" version)"
    newer=
fi
rm -rf "$lab"/{strange,work}
mkdir "$lab/work"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1
# A checkout may belong to somebody else; it is only read.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_AUTHOR_NAME='Ä Author' GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE='1700000000 +0100'
export GIT_COMMITTER_NAME='C Committer' GIT_COMMITTER_EMAIL=c@example.org GIT_COMMITTER_DATE='1700000001 -0330'

# A repository of everything that conversions have stumbled over: signed commits and tags, a merge of a signed tag,
# an odd mode, names in no encoding, a foreign encoding, lines that end in carriage returns, messages without an end.
strange() { # directory
    local signing commit tree blob number
    export GNUPGHOME=$lab/work/gnupg
    mkdir -m 700 "$GNUPGHOME"
    gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key 'L Lab <lab@example.org>' \
        ed25519 sign never 2> "$lab/work/gpg.log" || { fail "to make a signing key" "$lab/work/gpg.log"; finish; }
    signing=(-c user.signingKey=lab@example.org)
    git init -q -b main "$1"
    cd "$1"
    git config advice.nestedTag false
    mkdir -p deep/er
    for number in {1..60}; do
        seq "$number" $((number + 400)) > deep/er/numbers
        printf 'line %s\r\n' "$number" > "crlf $number"
        printf '%s' "$number" > $'latin-\xe9'
        git add -A
        git commit -q -m "Change $number"
    done
    ln -s deep/er/numbers link
    printf '#!/bin/sh\n' > run && chmod +x run
    : > empty
    git add -A
    git "${signing[@]}" commit -q -S -m 'A signed commit'
    git -c i18n.commitEncoding=ISO-8859-1 commit -q --allow-empty -m $'Caf\xe9 in Latin 1'
    git tag -a -m 'an annotated tag' annotated
    git "${signing[@]}" tag -s -m 'a signed tag' signed HEAD~3
    git tag tag-of-a-tag annotated -a -m 'a tag of a tag'
    git tag -a -m 'a tag of a tree' of-a-tree 'HEAD^{tree}'
    git checkout -q -b side HEAD~5
    echo side > side-file && git add -A && git commit -q -m 'On the side'
    git "${signing[@]}" tag -s -m 'to be merged' to-merge
    git checkout -q main
    git "${signing[@]}" merge -q --no-ff -S -m 'Merge a signed tag' to-merge
    # What only plumbing writes: a mode of old Gits, a message that has no end.
    blob=$(git hash-object -w empty)
    tree=$(printf '100664 group-writable\0%b' "$(sed 's/../\\x&/g' <<< "$blob")" |
        git hash-object -w -t tree --literally --stdin)
    commit=$(printf 'tree %s\nparent %s\nauthor O <o@example.org> 1 +0000\ncommitter O <o@example.org> 2 +0000\n\nno end' \
        "$tree" "$(git rev-parse HEAD)" | git hash-object -w -t commit --stdin)
    git update-ref refs/heads/odd-mode "$commit"
    git gc -q
    echo loose > loose && git add loose && git commit -q -m 'A loose one'
    cd - > /dev/null
}

# What people see of history, without names of objects.
history() { # repository
    git -C "$1" log --all --date-order --format='%an|%ae|%at|%cn|%ct|%e|%s%n%b' --numstat --summary
}

# What real repositories have and Git's own conversion refuses: submodules, and headers that other tools add.
odd=(--pad-submodules --keep-unknown-headers)

check() { # repository
    local name work=$lab/work from=$1 to source_ids
    name=$(basename "$1")
    to=$work/$name.sha256
    if ! "$fieldtest" git verify "$from" > "$work/verify.log" 2>&1; then
        fail "git verify $name" "$work/verify.log"
        return
    fi
    pass "git verify $name: $(grep -ao '[0-9,]* objects' "$work/verify.log" | head -n 1)"
    if ! "$fieldtest" git convert "$from" "$to" "${odd[@]}" --map "$work/$name.map" > "$work/convert.log" 2>&1; then
        fail "git convert $name" "$work/convert.log"
        return
    fi
    # Git checks the syntax of what was odd already; only what the original has no fault in must have none.
    git -C "$from" fsck --full > "$work/fsck.before" 2>&1 && code_before=0 || code_before=$?
    git -C "$to" fsck --full > "$work/fsck.after" 2>&1 && code=0 || code=$?
    if [[ $code -eq $code_before ]]; then
        pass "git fsck --full of $name converted: exit code $code, as of the original"
    else
        fail "git fsck --full of $name converted: exit code $code, of the original $code_before" "$work/fsck.after"
    fi
    if cmp -s <(history "$from") <(history "$to"); then
        pass "git log of $name is the same"
    else
        fail "git log of $name differs"
    fi
    if cmp -s <(git -C "$from" diff --no-color --full-index "$(git -C "$from" rev-list --max-parents=0 HEAD | tail -n 1)" HEAD |
        grep -av '^index ') <(git -C "$to" diff --no-color --full-index \
        "$(git -C "$to" rev-list --max-parents=0 HEAD | tail -n 1)" HEAD | grep -av '^index '); then
        pass "git diff over the whole history of $name is the same"
    else
        fail "git diff of $name differs"
    fi
    if [[ $("$fieldtest" git id HEAD -C "$from" "${odd[@]}" 2>> "$work/id.log") == "$(git -C "$to" rev-parse HEAD)" ]]; then
        pass "git id HEAD of $name is what the conversion has"
    else
        fail "git id HEAD of $name" "$work/id.log"
    fi
    # The way back.
    "$fieldtest" git map "$to" --to sha1 "${odd[@]}" -o "$work/$name.back" > "$work/back.log" 2>&1 ||
        fail "git map $name back" "$work/back.log"
    if cmp -s <(grep -v '^#' "$work/$name.map" | sort) \
        <(grep -v '^#' "$work/$name.back" | awk -F '\t' '{ print $2 "\t" $1 "\t" $3 }' | sort); then
        pass "the way back of $name: $(grep -vc '^#' "$work/$name.map") names"
    else
        fail "the way back of $name leads elsewhere"
    fi
    [[ -n $newer ]] || return 0
    # Git's own names: every object of the new repository is written loose, with its name in the other format.
    rm -rf "$work/both"
    "$newer" init -q --bare --object-format=sha256 "$work/both" > "$work/both.log" 2>&1
    "$newer" -C "$work/both" config core.repositoryFormatVersion 1
    "$newer" -C "$work/both" config extensions.compatObjectFormat sha1
    # What Git cannot map, such as trees with submodules, it leaves out, and goes on (-r).
    python3 "$here/git/ordered.py" "$to" 2> "$work/ordered.log" | "$newer" -C "$work/both" unpack-objects -q -r > "$work/unpack.log" 2>&1 || true
    grep -E '^[0-9a-f]{64} ' "$work/both/objects/loose-object-idx" | sort -u > "$work/names.git"
    # Git enters its constants, the empty blob and the empty tree, whether they are there or not.
    grep -v '^#' "$work/$name.map" | awk -F '\t' '{ print $2 " " $1 }' | sort -u > "$work/names.ours"
    comm -13 "$work/names.ours" "$work/names.git" |
        grep -vE ' (e69de29bb2d1d6434b8b29ae775ad8c2e48c5391|4b825dc642cb6eb9a060e54bf8d69288fbee4904|0{40})$' \
        > "$work/names.other" || true
    common=$(comm -12 "$work/names.ours" "$work/names.git" | wc -l)
    if [[ -s $work/names.other || $common -eq 0 ]]; then
        fail "Git names $(wc -l < "$work/names.other") objects of $name otherwise" "$work/names.other"
    else
        pass "Git names $common of $(wc -l < "$work/names.ours") objects of $name, all as we do"
    fi
    rm -rf "$work/both"
}

spoil() { # a repository with one pack
    local copy=$lab/work/spoiled.git pack size
    rm -rf "$copy"
    cp -r "$1" "$copy"
    pack=$(find "$copy" -name '*.pack')
    size=$(stat -c %s "$pack")
    chmod u+w "$pack"
    printf '\xff\xff' | dd of="$pack" bs=1 seek=$((size / 2)) conv=notrunc status=none
    if "$fieldtest" git verify "$copy" > "$lab/work/spoil.log" 2>&1; then
        fail "git verify: two bytes of a pack changed, and nothing is found"
    elif grep -qE '[0-9a-f]{40}' "$lab/work/spoil.log"; then
        pass "git verify: two bytes of a pack changed, and the object is named"
    else
        fail "git verify: two bytes of a pack changed, and no object is named" "$lab/work/spoil.log"
    fi
    if "$fieldtest" git convert "$copy" "$copy.new" > "$lab/work/spoil.log" 2>&1 || [[ -e $copy.new ]]; then
        fail "git convert: a damaged repository was converted" "$lab/work/spoil.log"
    else
        pass "git convert: refuses a damaged repository, and leaves nothing"
    fi
    truncate -s $((size / 2)) "$pack"
    if "$fieldtest" git verify "$copy" > "$lab/work/spoil.log" 2>&1; then
        fail "git verify: half a pack, and nothing is found"
    else
        pass "git verify: half a pack is found"
    fi
}

# What people see of notes and replacements.
annotations() { # repository
    git -C "$1" log --date-order --format='%s|%N' main
    git -C "$1" --no-replace-objects log --date-order --format='%s|%N' main
    git -C "$1" notes --ref=trees show "$(git -C "$1" rev-parse 'main^{tree}')"
}

notes() { # repository
    local from=$lab/work/annotated.git to=$lab/work/annotated.sha256 back=$lab/work/annotated.back number
    git clone -q --mirror --no-local "$1" "$from"
    for number in 1 2 3; do git -C "$from" notes add -m "note $number" "main~$number"; done
    git -C "$from" notes --ref=trees add -m 'on a tree' 'main^{tree}'
    git -C "$from" replace --graft main~20
    if ! "$fieldtest" git convert "$from" "$to" > "$lab/work/notes.log" 2>&1 ||
        ! "$fieldtest" git convert "$to" "$back" >> "$lab/work/notes.log" 2>&1; then
        fail "git convert: a repository with notes and a replacement" "$lab/work/notes.log"
    elif cmp -s <(annotations "$from") <(annotations "$to") && [[ $(git -C "$to" notes list | wc -l) -eq 3 ]] &&
        cmp -s <(git -C "$from" for-each-ref) <(git -C "$back" for-each-ref) && git -C "$to" fsck --full > /dev/null 2>&1; then
        pass "notes and replacements say the same over the new repository, and lead back"
    else
        fail "notes and replacements say something else over the new repository" "$lab/work/notes.log"
    fi
}

# The map that Git reads: in the converted repository, and in the old one.
old_names() { # repository
    local from=$1 to=$lab/work/names.sha256 copy=$lab/work/names.sha1 id side
    git clone -q --mirror --no-local "$from" "$copy"
    "$fieldtest" git convert "$copy" "$to" > "$lab/work/names.log" 2>&1 || { fail 'git convert: a mirror' "$lab/work/names.log"; return; }
    id=$(git -C "$copy" rev-parse HEAD)
    for side in "$to sha1" "$copy sha256"; do
        # shellcheck disable=SC2086
        set -- $side
        "$fieldtest" git map "$1" --to "$2" --output-format loose-object-idx -o "$lab/work/idx" >> "$lab/work/names.log" 2>&1 && cp "$lab/work/idx" "$1/objects/loose-object-idx"
        git -C "$1" config core.repositoryFormatVersion 1
        git -C "$1" config extensions.compatObjectFormat "$2"
    done
    if [[ $("$newer" -C "$to" cat-file -t "$id" 2>> "$lab/work/names.log") == commit ]] &&
        [[ $("$newer" -C "$copy" cat-file -t "$("$newer" --git-dir="$to" rev-parse HEAD)" 2>> "$lab/work/names.log") == commit ]]; then
        pass 'loose-object-idx: Git finds a commit by its name in the other format, both ways'
    else
        fail 'loose-object-idx: Git does not find a commit by its name in the other format' "$lab/work/names.log"
    fi
}

kill_conversions() { # repository
    local number to=$lab/work/killed.git before
    before=$(cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
    for number in {1..10}; do
        "$fieldtest" git convert "$1" "$to" "${odd[@]}" > /dev/null 2>&1 &
        sleep "0.0$((RANDOM % 9))$((RANDOM % 9))"
        kill -KILL $! 2> /dev/null || true
        wait $! 2> /dev/null || true
        # Whatever has its name is whole.
        if [[ -e $to ]] && ! git -C "$to" fsck --full > "$lab/work/killed.log" 2>&1; then
            fail "a conversion that was killed left a repository that is not whole" "$lab/work/killed.log"
            return
        fi
        rm -rf "$to" "$to".partial-*
    done
    if [[ $before == "$(cd "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)" ]]; then
        pass "ten conversions killed: nothing half is left, and the source is as it was"
    else
        fail "a conversion that was killed changed its source"
    fi
}

strange "$lab/strange"
check "$lab/strange"
notes "$lab/strange"
[[ -z $newer ]] || old_names "$lab/strange"
spoil "$lab/strange/.git"
kill_conversions "$lab/strange"
for repository in ${repositories[@]+"${repositories[@]}"}; do
    check "$repository"
done
finish
