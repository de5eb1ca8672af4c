#!/usr/bin/env bash
# A fleet of repositories that refer to each other, six levels of them, converted as a job:
#
# 1. every name is what hashlib makes of it, the submodules' commits through their own repositories (lab/fleet/names.py);
# 2. each new repository is octet for octet that of `fieldtest git convert` by itself, `git fsck` accepts it, and what it names
#    of others `git rev-parse` finds there;
# 3. killed three times in the middle and gone on with, it is the same, and nothing was done twice;
# 4. a second run converts what is new and what refers to that, and all is as a first run would make it;
# 5. what cannot be converted is named, and the rest goes on.
#
# usage: lab/fleet.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [NUMBER]
takes=...
. "$(dirname "$0")/common.sh"
. "$here/jobs.sh"
needs git:git python3:python3
number=${rest[0]:-60}
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE='1700000000 +0000'
export GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org GIT_COMMITTER_DATE='1700000000 +0000'
cd "$lab"
rm -rf forge{,.json} converted job single killed{,-job,.at} anew{,-job} strange{,-new,-job} outside {fsck,links}.all

fleet() { # folder destination job [option]...
    "$fieldtest" git fleet "$1" "$2" --job "$3" --workers 2 -j 2 "${@:4}"
}
begin() { # the same, in the background, as a process that a signal meets
    "$fieldtest" git fleet forge killed --job killed-job --workers 2 -j 2 2> killed.log &
    runner=$!
}
all() { (cd "$1" && find . -name HEAD -printf '%h\n' | sort); }

python3 "$here/fleet/make.py" forge "$number"
if seconds fleet forge converted job 2> fleet.log; then
    pass "$number repositories converted in $took s: $(tail -n 1 fleet.log)"
else
    fail "$number repositories converted" fleet.log
    finish
fi
if python3 "$here/fleet/names.py" forge job > names.log 2>&1; then pass "by hashlib: $(cat names.log)"; else fail 'by hashlib' names.log; fi

# Each by itself, the innermost first, with the maps of what it needs.
mkdir single
python3 - > single.list << 'PY'
import json
forge = json.load(open("forge.json"))
for own in sorted(forge, key=lambda own: own["level"]):
    print(own["path"], *{need["path"] for need in own["needs"].values()})
PY
while read -r path needs; do
    maps=()
    for need in $needs; do maps+=(--submodule "single/$need.tsv"); done
    mkdir -p "single/$(dirname "$path")"
    "$fieldtest" git convert "forge/$path" "single/$path" --map "single/$path.tsv" "${maps[@]}" 2> single.log ||
        fail "$path by itself" single.log
done < single.list
find single -name '*.tsv' -delete
same 'each as by itself, octet for octet' single converted

bad=0 links=0
while read -r path; do
    git -C "converted/$path" fsck --full > fsck.log 2>&1 || { bad=$((bad + 1)); cat fsck.log >> fsck.all; }
done < <(all converted)
if [[ $bad == 0 ]]; then pass "git fsck of all $number"; else fail "git fsck of $bad" fsck.all; fi
while read -r path needs; do
    [[ -n $needs ]] || continue
    while read -r commit; do
        links=$((links + 1))
        for need in $needs; do
            [[ $(git -C "converted/$need" rev-parse -q --verify "$commit^{commit}" 2> /dev/null) != "$commit" ]] || continue 2
        done
        bad=$((bad + 1))
        echo "$path: $commit" >> links.all
    done < <(git -C "converted/$path" ls-tree -r main | sed -n 's/^160000 commit \([0-9a-f]*\)\t.*/\1/p')
done < single.list
if [[ $bad == 0 && $links -gt 0 ]]; then pass "git rev-parse finds the commits of all $links submodules"; else fail "$bad of $links submodules" links.all; fi

# Killed when a tenth, a half and nine tenths are done.
kill_thrice killed-job "$number"
if fleet forge killed killed-job 2> killed.log; then
    same "killed $stopped times, at $(paste -sd, killed.at), and the same" converted killed
else
    fail 'gone on with after being killed' killed.log
fi
if once killed-job > once.log 2>&1; then pass 'the ledger: each once'; else fail 'the ledger: each once' once.log; fi

# New commits, and a second run; then one that finds nothing.
before=$(lines job)
python3 "$here/fleet/make.py" forge --change $((number / 50 + 1)) > changed
if seconds fleet forge converted job 2> second.log; then pass "a second run in $took s: $(tail -n 1 second.log)"; else fail 'a second run' second.log; fi
tail -n +$((before + 1)) job/ledger.jsonl | sed 's/.*"name":"\([^"]*\)".*/\1/' | sort > second
if cmp -s changed second; then pass "it converted the $(wc -l < second) that changed"; else diff changed second > second.diff || true; fail 'it converted what changed' second.diff; fi
fleet forge anew anew-job 2> anew.log || fail 'the same from nothing' anew.log
same 'all as from nothing' anew converted
before=$(lines job)
if seconds fleet forge converted job 2> third.log && [[ $(lines job) == "$before" ]]; then pass "nothing is new: $took s"; else fail 'nothing is new' third.log; fi
rm -rf converted/"$(head -n 1 changed)"
fleet forge converted job 2> again.log || true
same 'what was removed is there again' anew converted

# What is odd.
mkdir strange && cd strange
init() { git init -q -b main "$@"; }
put() { # repository commit path [url]: a submodule's commit, and where it is said to be
    git -C "$1" update-index --add --cacheinfo "160000,$2,$3"
    if [[ -n ${4-} ]]; then
        git -C "$1" config -f .gitmodules "submodule.$3.path" "$3"
        git -C "$1" config -f .gitmodules "submodule.$3.url" "$4"
        git -C "$1" add .gitmodules
    fi
}
commit() { git -C "$1" commit -q --allow-empty -m "$2" && git -C "$1" rev-parse HEAD; }
init lib && lib=$(commit lib one)
init --bare empty.git
init good && put good "$lib" a ../lib && put good "$lib" b ./../lib.git && put good "$lib" c 'https://example.org/x/lib/' && commit good one > good.id
init $'line\n\e[31mred' && put $'line\n\e[31mred' "$lib" a ../lib && commit $'line\n\e[31mred' one > /dev/null
init no-entry && put no-entry "$lib" a && commit no-entry one > /dev/null
init nowhere && put nowhere "$lib" a ../../../../../etc/passwd && commit nowhere one > /dev/null
init gone && put gone "${lib//[0-9]/0}" a ../lib && commit gone one > /dev/null
init above-gone && put above-gone "$(git -C gone rev-parse HEAD)" a ../gone && commit above-gone one > /dev/null
init x && init y && x=$(commit x one) && put y "$x" a ../x && y=$(commit y one) && put x "$y" a ../y && commit x two > /dev/null
init above-circle && put above-circle "$y" a ../y && commit above-circle one > /dev/null
mkdir same other && init same/lib && same=$(commit same/lib another) && init other/lib && commit other/lib third > /dev/null
init by-name && put by-name "$same" a https://example.org/unknown/lib && commit by-name one > /dev/null
git -C lib worktree add -q -b side ../worktree
ln -s lib link && ln -s . circle && mkdir ../outside && init ../outside/repo && commit ../outside/repo one > /dev/null && ln -s ../outside/repo out
git clone -q --bare lib lib2.git && git clone -q --shared --bare lib shared.git && commit lib two > /dev/null
git clone -q --depth 1 "file://$PWD/lib" shallow
mkdir folder && echo text > folder/HEAD && init twice && commit twice one > /dev/null && git clone -q --bare twice twice.git
echo broken > good.id && mkdir broken && echo 'gitdir: nowhere' > broken/.git && mkfifo folder/fifo
cd "$lab"
fleet strange strange-new strange-job > strange.out 2> strange.log && code=0 || code=$?
"$fieldtest" ledger strange-job --format json > strange.json 2> ledger.log || true
if python3 - "$code" > strange.check 2>&1 << 'PY'; then pass 'odd repositories: what is refused is named, and the rest goes on'; else cat strange.log >> strange.check; fail 'odd repositories' strange.check; fi
import json, os, sys
found = {}
for line in open("strange-job/ledger.jsonl"):
    entry = json.loads(line)
    found[entry["name"]] = (entry["status"], entry.get("reason", ""))
done = {name for name, (status, _) in found.items() if status == "done"}
assert done == {"lib", "empty.git", "good", "line%0a%1b[31mred", "same/lib", "other/lib", "by-name", "lib2.git", "shared.git", "twice.git",
                "x", "y", "above-circle"}, done
for name, words in {
    "no-entry": "submodule a, commit", "nowhere": "no repository of the directory is ../../../../../etc/passwd",
    "gone": "no ref of lib leads to it", "above-gone": "it needs gone, which is not converted",
    "shallow": "the history was cut off", "twice": "twice.git has its place", "broken": "which is not a directory",
    "out": "a link to",
}.items():
    status, reason = found.pop(name)
    assert status == "refused" and words in reason, (name, status, reason)
assert set(found) == done, found
assert sys.argv[1] == "1"
log = open("strange.log").read()
assert "\x1b" not in log and "worktree is the same repository as lib" in log and "link is the same repository as lib" in log, log
assert os.path.isdir("strange-new/line\n\x1b[31mred.git") and os.path.isdir("strange-new/same/lib.git"), os.listdir("strange-new")
assert not os.path.exists("strange-new/.fresh")
json.load(open("strange.json"))
PY
# Two that need each other: what each names of the other is there.
there=0
for pair in x:y y:x above-circle:y; do
    git -C "strange-new/${pair#*:}.git" cat-file -e "$(git -C "strange-new/${pair%:*}.git" rev-parse HEAD:a)^{commit}" 2> circle.log && there=$((there + 1))
done
if [[ $there == 3 ]]; then pass 'repositories that need each other name commits that are there'; else fail 'repositories that need each other' circle.log; fi
for path in strange-new/*.git; do git -C "$path" fsck --full > fsck.log 2>&1 || fail "git fsck $path" fsck.log; done

before=$(lines strange-job)
fleet strange strange-new strange-job > strange.out 2> again.log || true
if [[ $(lines strange-job) == "$before" ]]; then pass 'what is refused again is in the ledger once'; else fail 'what is refused again is in the ledger once' again.log; fi

# Filled up with zeros, what was refused for that is converted; and renamed, where that is asked for, once its repository is there.
fleet strange strange-new strange-job --pad-submodules > strange.out 2> padded.log || true
zeros=$(git -C strange-new/gone.git rev-parse HEAD:a 2> /dev/null)
if [[ $zeros == "${lib//[0-9]/0}$(printf '0%.0s' {1..24})" ]]; then pass 'a missing commit, filled up with zeros'; else fail 'a missing commit, filled up with zeros' padded.log; fi
before=$(lines strange-job)
init strange/passwd && git -C strange/passwd fetch -q ../lib main && git -C strange/passwd reset -q --hard FETCH_HEAD
published=$(git -C strange-new/nowhere.git rev-parse HEAD)
fleet strange strange-new strange-job --pad-submodules > strange.out 2> padded.log || true
if [[ $(git -C strange-new/nowhere.git rev-parse HEAD) == "$published" ]]; then pass 'what was published keeps its name'; else fail 'what was published keeps its name' padded.log; fi
fleet strange strange-new strange-job --pad-submodules --rename > strange.out 2> padded.log || true
new=$(git -C strange-new/nowhere.git rev-parse HEAD:a 2> /dev/null)
if [[ $(git -C strange-new/passwd.git rev-parse -q --verify "$new^{commit}" 2> /dev/null) == "$new" ]]; then
    pass 'what was missing came, and is named'
else
    fail 'what was missing came, and is named' padded.log
fi

# A library that is away takes no name along.
before=$(git -C strange-new/good.git rev-parse HEAD)
mv strange/lib away
git -C strange/good commit -q --allow-empty -m two
fleet strange strange-new strange-job --pad-submodules > strange.out 2> away.log || true
if [[ $(git -C strange-new/good.git rev-parse HEAD~) == "$before" ]]; then pass 'a library that is away takes no name along'; else fail 'a library that is away takes no name along' away.log; fi
mv away strange/lib

# A name that was converted, left, and come back to.
tip() { git -C strange-new/other/lib.git rev-parse main; }
first=$(tip)
commit strange/other/lib more > /dev/null
fleet strange strange-new strange-job > strange.out 2> back.log || true
[[ $(tip) != "$first" ]] || fail 'a new commit' back.log
git -C strange/other/lib reset -q --hard HEAD~
fleet strange strange-new strange-job > strange.out 2> back.log || true
if [[ $(tip) == "$first" ]]; then pass 'there and back'; else fail 'there and back' back.log; fi

# What is refused before anything is written.
refused 'contain each other' fleet forge forge/converted x-job
refused 'contain each other' fleet forge converted forge/job
refused 'is a repository itself' fleet strange/lib converted x-job
refused 'contains another job' fleet forge elsewhere job
refused 'does not contain a job' "$fieldtest" ledger forge
finish
