#!/usr/bin/env bash
# A distribution's packages, archives in three formats and unpacked trees, signed for IMA as a job:
#
# 1. each is octet for octet what `fieldtest ima sign` writes of it by itself, and `evmctl ima_verify` accepts every file of it, once
#    tar has unpacked the archive, or setfattr has applied the list to the tree;
# 2. killed three times in the middle and gone on with, it is the same, and nothing was done twice;
# 3. a second run signs what is new, names what is gone, and all is as a first run would make it;
# 4. with several keys what a package holds decides which one signs it: one worker and four write the same, and each package is good
#    by the key that the ledger names, and by no other;
# 5. what is damaged, compressed or in another's place is named, and the rest goes on.
#
# usage: lab/packages.sh [--fieldtest PROGRAM] [--keep DIRECTORY] [NUMBER]
takes=...
. "$(dirname "$0")/common.sh"
. "$here/jobs.sh"
needs evmctl:ima-evm-utils setfattr:attr tar:tar python3:python3
number=${rest[0]:-48}
cd "$lab"
rm -rf pool back away signed{,.keys} job single killed{,.keys,-job,.at} anew{,.keys,-job} few{,.keys,-job} many{,.keys,-job} strange{,-new,-new.keys,-job} unpacked keys

packages() { # folder destination job [option]...
    "$fieldtest" ima packages "$1" "$2" --job "$3" --trees unpacked --attribute user.ima "${@:4}"
}
one=(-k key/ecdsa-p256.pem --certificate key/ecdsa-p256.der)

python3 "$here/packages/make.py" pool "$number"
rm -rf key && "$fieldtest" ima keygen -a ecdsa-p256 -o key > keygen.out 2> keygen.log
if seconds packages pool signed job "${one[@]}" --workers 2 -j 2 2> packages.log; then
    pass "$number packages signed in $took s: $(tail -n 1 packages.log)"
else
    fail "$number packages signed" packages.log
    finish
fi

# Each by itself.
while IFS= read -r -d '' path; do
    mkdir -p "single/$(dirname "$path")"
    "$fieldtest" ima sign "pool/$path" --store tar -o "single/$path" --attribute user.ima "${one[@]}" 2> single.log || fail "$path by itself" single.log
done < <(cd pool && find archives -type f -print0)
for path in pool/unpacked/*; do
    mkdir -p single/unpacked
    "$fieldtest" ima sign "$path" --store manifest -o "single/unpacked/${path##*/}.manifest" --attribute user.ima "${one[@]}" 2> single.log ||
        fail "$path by itself" single.log
done
same 'each as by itself, octet for octet' single signed

# On a file system, before evmctl.
files=0 bad=0 hard=0 at=0
: > evmctl.log
judge() { # folder
    while IFS= read -r -d '' file; do
        files=$((files + 1))
        evmctl ima_verify --xattr-user --key signed.keys/*.der "$file" >> evmctl.log 2>&1 || { bad=$((bad + 1)); echo "$file" >> evmctl.log; }
    done < <(find "$1" -type f ! -name '.wh.*' -print0)
}
while IFS= read -r -d '' path; do
    at=$((at + 1))
    mkdir -p unpacked/$at
    tar -x -f "$path" -C unpacked/$at --xattrs --xattrs-include='user.*' --warning=no-unknown-keyword
    [[ unpacked/$at/usr/bin/hard -ef unpacked/$at/usr/bin/program ]] && hard=$((hard + 1))
    judge unpacked/$at
done < <(find signed/archives -type f -print0)
for list in signed/unpacked/*.manifest; do
    tree=${list##*/} tree=${tree%.manifest}
    cp -a "pool/unpacked/$tree" "unpacked/$tree"
    (cd "unpacked/$tree" && setfattr --restore=-) < "$list"
    judge "unpacked/$tree"
done
if [[ $bad == 0 && $files -gt $number && $hard == "$at" ]]; then
    pass "evmctl accepts all $files files"
else
    fail "evmctl: $bad of $files files, $hard of $at hard links" evmctl.log
fi
kept=$(getfattr -R -n user.comment unpacked 2> /dev/null | grep -c stays || true)
if [[ $kept -gt $((number / 4)) ]]; then pass "other xattrs stay: $kept"; else fail "other xattrs stay: $kept"; fi
file=$(find unpacked/1 -name program) && echo changed >> "$file"
if evmctl ima_verify --xattr-user --key signed.keys/*.der "$file" > evmctl.log 2>&1; then fail 'evmctl refuses a changed file' evmctl.log; else pass 'evmctl refuses a changed file'; fi

# Killed when a tenth, a half and nine tenths are done.
begin() {
    "$fieldtest" ima packages pool killed --job killed-job --trees unpacked --attribute user.ima "${one[@]}" -j 1 2> killed.log &
    runner=$!
}
kill_thrice killed-job "$number"
if packages pool killed killed-job "${one[@]}" 2> killed.log; then
    same "killed $stopped times, at $(paste -sd, killed.at), and the same" signed killed
else
    fail 'gone on with after being killed' killed.log
fi
if once killed-job > once.log 2>&1; then pass 'the ledger: each once'; else fail 'the ledger: each once' once.log; fi

# What is new, what is gone, nothing, and back again.
before=$(lines job) changed=5
python3 "$here/packages/make.py" pool --change $changed
mv pool/archives/*/package-6.tar away
touch pool/unpacked/*/usr/bin/program
if seconds packages pool signed job "${one[@]}" 2> second.log && [[ $(lines job) == $((before + changed)) ]] &&
    grep -q 'package-6.tar is gone; what was signed of it stays' second.log; then
    pass "a second run in $took s: $(tail -n 1 second.log)"
else
    fail 'a second run' second.log
fi
find signed -name package-6.tar -delete
packages pool anew anew-job "${one[@]}" 2> anew.log || fail 'the same from nothing' anew.log
same 'all as from nothing' anew signed
before=$(lines job)
if seconds packages pool signed job "${one[@]}" 2> third.log && [[ $(lines job) == "$before" ]]; then pass "nothing is new: $took s"; else fail 'nothing is new' third.log; fi
python3 "$here/packages/make.py" back "$number"
for path in pool/archives/*/package-0.tar; do cp "back/${path#pool/}" "$path"; done
packages pool signed job "${one[@]}" 2> back.log || fail 'there and back' back.log
for path in signed/archives/*/package-0.tar; do
    if cmp "single/${path#signed/}" "$path" > cmp.log 2>&1; then pass 'there and back'; else fail 'there and back' cmp.log; fi
done

# Several keys, of three algorithms.
mkdir keys
for algorithm in ecdsa-p256 ecdsa-p384 ml-dsa-44; do "$fieldtest" ima keygen -a $algorithm -o keys > keygen.out 2> keygen.log; done
packages pool few few-job --keys keys --workers 1 2> few.log || fail 'several keys, one worker' few.log
packages pool many many-job --keys keys --workers 4 2> many.log || fail 'several keys, four workers' many.log
same 'several keys: one worker and four write the same' few many
if python3 - "$fieldtest" > by-key.log 2>&1 << 'PY'; then pass "several keys: $(cat by-key.log)"; else fail 'several keys' by-key.log; fi
import collections, json, subprocess, sys
keys, taken = set(), collections.Counter()
entries = [json.loads(line) for line in open("few-job/ledger.jsonl")]
for entry in entries:
    taken[entry["facts"]["key"]] += 1
def verify(entry, key):
    words = [sys.argv[1], "ima", "verify", entry["outputs"][0]["path"], "--attribute", "user.ima", "-k", f"few.keys/{key}.der", "--store", "tar"]
    return subprocess.run(words, capture_output=True).returncode
archives = [entry for entry in entries if entry["name"].endswith(".tar") and "%" not in entry["name"]]
for entry in archives:
    for key in taken:
        assert (verify(entry, key) == 0) == (key == entry["facts"]["key"]), (entry["name"], key)
assert len(taken) == 3, taken
print(f"{dict(taken)}; {len(archives)} archives are good by theirs alone")
PY

# What is odd.
python3 "$here/packages/make.py" strange --strange
packages strange strange-new strange-job "${one[@]}" --format json > strange.out 2> strange.log && code=0 || code=$?
packages strange strange-new strange-job "${one[@]}" > strange.again 2> strange.again.log || true
if python3 - "$code" > strange.check 2>&1 << 'PY'; then pass 'odd packages: what is refused is named, and the rest goes on'; else cat strange.log >> strange.check; fail 'odd packages' strange.check; fi
import json, os, sys
lines = [json.loads(line) for line in open("strange-job/ledger.jsonl")]
found = {line["name"]: (line["status"], line.get("reason", "")) for line in lines}
assert len(found) == len(lines), "a second run added nothing"
done = {name for name, (status, _) in found.items() if status == "done"}
assert done == {"good.tar", "deep/good.tar", "end.tar", "unpacked/bare", "unpacked/tree.manifest"}, done
for name, words in {
    "cut.tar": "damaged at byte", "overwritten.tar": "damaged at byte", "text.tar": "not a tar archive", "none.tar": "it is empty",
    "packed.tar.gz": "compressed by gzip", "unpacked/tree": "tree.manifest has its place",
}.items():
    status, reason = found.pop(name)
    assert status == "refused" and words in reason, (name, status, reason)
    assert not os.path.exists("strange-new/" + name), name
assert set(found) == done, found
assert sys.argv[1] == "1"
log = open("strange.log").read()
assert "\x1b" not in log and "1 symbolic link, 3 files" in log, log
assert len(json.load(open("strange.out"))["rows"]) == 11
PY

# What is refused before anything is written.
refused 'contain each other' packages pool pool/signed x-job "${one[@]}"
refused 'contain each other' packages pool signed pool/job "${one[@]}"
refused 'contains another job' packages pool elsewhere job "${one[@]}"
refused 'there is no such directory' packages pool signed job "${one[@]}" --trees none
refused 'has no archive' "$fieldtest" ima packages pool/unpacked/package-3/usr/share/doc x --job x-job "${one[@]}"
refused 'has no key' packages pool signed job --keys pool
refused 'contains a public key' packages pool signed job -k key/ecdsa-p256.der
finish
