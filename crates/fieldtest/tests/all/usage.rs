//! Requests that make no sense: exit code 2, the code of the error, and the values that a person needs to mend it.

use crate::scratch::Scratch;

/// Of a command that has no JSON, so that its errors show no code.
const NO_JSON: &str = "";
/// What is typed, the code of the error, and what the message has to name.
const REFUSED: &[(&str, &str, &[&str])] = &[
    ("show hawk51", "unknown-name", &["'hawk51'", "'hawk-512'?"]),
    ("show nonsense", "unknown-name", &["'nonsense'", "`fieldtest list`"]),
    ("show dilithium2", "unknown-name", &["'dilithium2'", "ml-dsa-44"]),
    ("show rsa", "unknown-name", &["'rsa'", "'rsa-2048' or 'rsa-3072' or 'rsa-4096'?"]),
    ("show aes-xts", "unknown-name", &["'aes-xts'", "'aes-128-xts' or 'aes-256-xts'?"]),
    ("prove ed2551", "unknown-name", &["'ed2551'", "'ed25519'?"]),
    ("prove ed25519 -i nonsense", "unknown-name", &["'nonsense'", "`fieldtest list`"]),
    ("prove hawk-512 -i aws-lc", "usage", &["aws-lc", "`fieldtest show hawk-512`"]),
    ("speed uov-is-pkc", "nothing", &["`fieldtest list`"]),
    ("speed ed25519 --baseline ml-dsa-44", "usage", &["ml-dsa-44"]),
    ("speed sha-256 --baseline ed25519", "usage", &["ed25519"]),
    ("speed ed25519 --size 64", "usage", &["--size"]),
    ("speed aes-256-cbc -i fieldtest --size 100", "usage", &["--size", "aes-256-cbc", "100 bytes"]),
    ("speed aes-256-xts -i fieldtest --size 7", "usage", &["--size", "aes-256-xts", "7 bytes", "16,777,216"]),
    ("speed sha-256 --size 0", "value-validation", &["--size '0'"]),
    ("speed ed25519 --baseline ed2551", "unknown-name", &["'ed2551'", "'ed25519'?"]),
    ("speed ed25519 -i nonsense", "unknown-name", &["'nonsense'", "`fieldtest list`"]),
    ("speed ed25519 --budget -1", "usage", &["'-1'"]),
    ("speed ed25519 --target 200%", "usage", &["--target '200%'"]),
    ("compare a b --threshold -5%", "usage", &["--threshold '-5%'"]),
    ("advise --max-answer -1", "constraint", &["--max-answer '-1'"]),
    ("advise --replaces ed25519 -c git", "usage", &["git", "ed25519"]),
    ("dnssec internet --delay 5 --tlds 0", "value-validation", &["--tlds '0'", "1 to"]),
    ("disk format new --size 1M --kdf pbkdf2 --kdf-memory 65536", "no-effect", &["--kdf-memory"]),
    ("speed ed25519 --budget 0", "usage", &["--budget '0'", "above 0"]),
    ("calibrate --seconds 0", "usage", &["--seconds '0'"]),
    ("advise --status standard,", "usage", &["--status 'standard,'"]),
    ("advise --level 9", "constraint", &["--level '9'", "0 to 5"]),
    ("report - -", "usage", &["(-)"]),
    ("speed ed25519 --kind mac", "unknown-name", &["'ed25519'", "a MAC"]),
    ("tcp-ao verify capture -k :::", "parts", &["'::…'", "61:hmac-sha1-96:"]),
    ("tcp-ao keys --overlap 9999", NO_JSON, &["--overlap '9999'", "90"]),
    ("advise --max-verify 5", "constraint", &["max-verify"]),
    ("advise --post-quantum yes -c tcp-ao", "constraint", &["--post-quantum", "tcp-ao", "--carrier"]),
    ("advise --by nope", "usage", &["'nope'", "--by"]),
    ("compare a= b", "usage", &["'a='", "[LABEL=]FILE"]),
    ("dnssec sign zone -o signed -k K --csk", "no-effect", &["--csk", "--algorithm"]),
    ("dnssec sign zone -o signed -a ed25519 --nsec --opt-out", "usage", &["--opt-out", "--nsec3"]),
    ("dnssec sizes -a ed25519 --double-sign ed25519", "usage", &["'ed25519'", "--double-sign"]),
    ("dnssec torture zone --count 0", "value-validation", &["--count '0'"]),
    ("dnssec rekey --names 0", "value-validation", &["--names '0'"]),
    ("dnssec load 127.0.0.1 --zone zone --beyond-this-machine", "no-effect", &["--beyond-this-machine"]),
    (
        "dnssec load 127.0.0.1 --zone zone --edns none:1 --dnssec-ok 100",
        "no-effect",
        &["--dnssec-ok", "--edns"],
    ),
    ("dnssec load 127.0.0.1 --zone zone --clients 0", "value-validation", &["--clients '0'"]),
    ("dnssec sizes -a sha-256", "unknown-name", &["'sha-256'", "a hash function", "a signature algorithm"]),
    ("tcp-ao verify capture -k 61:hmac-sha1-96:", "parts", &["'61:hmac-sha1-96:'"]),
    ("tcp-ao verify capture -k 61:hmac-sha1-96:00:exclude-option", "option", &["'exclude-option'"]),
    ("tcp-ao keys --start 1900-01-01T00:00:00Z", NO_JSON, &["--start '1900-01-01T00:00:00Z'", "1970"]),
    ("tcp-ao keys --name zz --for bird", NO_JSON, &["--name", "gobgp"]),
    ("tcp-ao keys --start x", NO_JSON, &["--start 'x'", "2026-12-31T23:59:59Z"]),
    ("speed ed25519 -i hctr2-rs", "nothing", &["hctr2-rs", "ed25519"]),
    ("prove ed25519 -i hctr2-rs", "usage", &["hctr2-rs", "ed25519"]),
    ("speed ed25519 --target 2", "usage", &["--target '2'"]),
    ("study -a ml-dsa-4", "unknown-name", &["'ml-dsa-4'", "'ml-dsa-44'?"]),
    ("study -a aes-128-cmac", "unknown-name", &["'aes-128-cmac'", "'aes-128-cmac-96'?"]),
    ("study -a aes-128-cmac-96 --zone zone", "usage", &["--zone", "DNSSEC"]),
    ("study --budget -1", "usage", &["'-1'"]),
    ("man pages", "no-such-format", &["json", "--format"]),
    ("completions bash", "no-such-format", &["json", "--format"]),
    ("report records.jsonl -o report.html", "no-such-format", &["json", "--format"]),
    ("dnssec generate --delegations 0 -o zone", "value-validation", &["--delegations '0'", "1"]),
    ("dnssec keygen a..b -a ed25519", "empty-label", &["'a..b'"]),
    ("dnssec keygen example. -a uov-is-pkc", "sizes-only", &["uov-is-pkc", "`fieldtest list signature`"]),
    ("dnssec keygen example. -a ed25519 -i nonsense", "unknown-name", &["'nonsense'", "ed25519"]),
    ("dnssec keygen example. -a ed25519 --code-point ed25519", "usage", &["'ed25519'", "hawk-512=200"]),
    ("dnssec keygen example. -a ed25519 --code-point ed2551=3", "unknown-name", &["'ed25519'?"]),
    ("dnssec keygen example. -a ed25519 --code-point ed25519=0", "reserved", &["0", "252", "'253:NAME'"]),
    ("dnssec keygen example. -a ed25519 --code-point ed25519=300", "syntax", &["'ed25519=300'", "1 to 251"]),
    ("dnssec sign zone -o signed -a ed25519 --nsec3 --salt xyz", "usage", &["'xyz'", "hexadecimal"]),
    ("dnssec sign z -o s -a ed25519 --inception 2026", "usage", &["'2026'", "YYYYMMDDHHmmSS"]),
    ("dnssec sign z -o s -a ed25519 --inception 2026010123", "usage", &["'2026010123'", "YYYYMMDDHHmmSS"]),
    ("dnssec sign z -o s -a ed25519 --inception yesterday", "usage", &["'yesterday'", "YYYYMMDDHHmmSS"]),
    ("dnssec verify zone --at 20261301000000", "usage", &["'20261301000000'", "YYYYMMDDHHmmSS"]),
    ("dnssec verify zone -i nonsense", "unknown-name", &["'nonsense'"]),
    ("dnssec sizes --double-sign nonsense", "unknown-name", &["'nonsense'"]),
    ("tcp-ao verify capture -k 61:hmac-sha1:00", "unknown-name", &["'hmac-sha1-96'?"]),
    ("tcp-ao verify capture -k 61:tcp-md5:00", "usage", &["tcp-md5", "`fieldtest list mac`"]),
    ("tcp-ao verify capture -k 61:hmac-sha1-96:secret", "hex", &["KeyID 61", "hexadecimal", "text:"]),
    ("tcp-ao verify c -k 61:hmac-sha1-96:text:pa:ss", "behind-text", &["KeyID 61", "maclen=N", "xxd -p"]),
    (
        "tcp-ao verify c -k 1:hmac-sha1-96:00 --isns 192.0.2.1=1",
        "usage",
        &["'192.0.2.1=1'", "192.0.2.1:179="],
    ),
    ("tcp-ao study -a hmac-md5-96 -i nonsense", "unknown-name", &["'nonsense'"]),
    ("ima keygen -a fn-dsa-512", NO_JSON, &["fn-dsa-512"]),
    ("ima sign - --key key.pem", "usage", &["--store tar"]),
    ("ima sign a -k k --store tar --cross-file-systems", "usage", &["--cross-file-systems", "--store tar"]),
    ("ima sign a -k k --store tar --no-plan", "usage", &["--no-plan"]),
    ("ima sign . -k k --store sidecar --evm", "usage", &["--evm", "security.ima", "--store", "--attribute"]),
    ("ima verify . --key key.der --store manifest", "usage", &["--manifest FILE", "--store manifest"]),
    ("ima plan . --file-system ext4:node-size=4096", "option", &["'node-size'", "inode-size"]),
    ("ima sign . --key key.pem --attribute ima", "usage", &["'ima'", "security.ima"]),
    ("kcmvp answer request --as foo", "usage", &["--as", "'foo'"]),
    ("disk format new --size 1M -c nope", "usage", &["unknown cipher 'nope'"]),
    ("disk format new --size 1M -s 100", "usage", &["--key-size '100'", "256 or 512"]),
    ("disk format new --size 1M --type luks1 --kdf argon2id", "usage", &["--kdf argon2id", "--type luks2"]),
    ("git verify -i nonsense", "unknown-name", &["'nonsense'"]),
    ("disk check-spec aes-xts-plain64 --size 64MB", "usage", &["'64MB'", "64M"]),
    ("disk format new", "no-size", &["new does", "--size 64M", "--from"]),
    ("disk format new --size 99999999T", "usage", &["99999999T", "64M"]),
    ("disk format new --size 1M -c aes--", "spec-error", &["'aes--'", "aes-xts-plain64"]),
    ("disk format new --size 1M -c cast6-xts-plain64", "usage", &["'cast6-xts-plain64'", "lea-xts-plain64"]),
    ("disk format new --size 1M -c lea-xts-plain64 -s 384", "usage", &["384 bits", "256 or 512 bits"]),
    (
        "disk format new --size 1M --sector-size 520",
        "value-validation",
        &["'520'", "512, 1024, 2048 or 4096"],
    ),
    ("disk format new --size 1001", "usage", &["4096 bytes"]),
    ("disk format new --size 1M -i nonsense", "unknown-name", &["'nonsense'"]),
    ("disk serve missing --listen localhost:10809", NO_JSON, &["'localhost:10809'", "127.0.0.1:10809"]),
    ("disk serve missing --listen 127.0.0.1:abc", NO_JSON, &["'127.0.0.1:abc'", "127.0.0.1:10809"]),
    ("disk serve missing --listen 10809", NO_JSON, &["'10809'", "127.0.0.1:10809"]),
    ("disk open missing --save-volume-key -", "usage", &["--save-volume-key"]),
    ("advise -c dnssec --min-signed 5", "constraint", &["min-signed"]),
    ("disk study -a lea-256", "unknown-name", &["'lea-256-cbc' or 'lea-256-ctr' or 'lea-256-ecb'?"]),
];

/// What clap refuses, the code of the error in JSON, and what its words have to name.
const BY_CLAP: &[(&str, &str, &[&str])] = &[
    ("lsit", "invalid-subcommand", &["unknown command 'lsit'; did you mean 'list'?"]),
    // A hidden one is not suggested, and nothing that is far away.
    ("workr", "invalid-subcommand", &["'workr'; --help"]),
    ("xyzzy", "invalid-subcommand", &["'xyzzy'; --help"]),
    ("speed ed25519 --budegt 1", "unknown-argument", &["'--budegt'; did you mean '--budget'?"]),
    ("speed ed25519 --budget nan", "value-validation", &["--budget 'nan'"]),
    ("speed ed25519 --budget inf", "value-validation", &["--budget 'inf'"]),
    ("speed ed25519 --budget 1e400", "value-validation", &["--budget '1e400'", "smaller"]),
    ("speed ed25519 --budget 5parsecs", "value-validation", &["--budget '5parsecs'", "500ms"]),
    ("speed sha-256 --size 64MB", "value-validation", &["--size '64MB'", "1 to 1048576"]),
    ("ima keygen -a ed25519 --days -1", "value-validation", &["--days '-1'", "1 to 36500"]),
    ("ima plan . --label -1", "value-validation", &["--label '-1'", "1 to 65536"]),
    ("ima sign . -k key --signature-version x", "value-validation", &["such as 2"]),
    ("disk format new --size 1M --kdf-memory x", "value-validation", &["such as 1048576"]),
    ("disk format new --size 1M --iter-time 9999999", "value-validation", &["1 to 3600000"]),
    ("calibrate records.jsonl --runs 3", "argument-conflict", &["--runs", "FILE.jsonl"]),
    ("git verify -j -1", "value-validation", &["'-1'", "1 to 1024"]),
    ("dnssec internet --tlds 99999999999", "value-validation", &["--tlds '99999999999'"]),
    ("disk open image -S 99", "value-validation", &["--key-slot '99'", "0 to 31"]),
    ("shwo", "invalid-subcommand", &["'shwo'", "'show'"]),
    ("speed ed25519 --format xml", "invalid-value", &["'xml'", "human, json, csv, md"]),
    ("list nonsense", "invalid-value", &["'nonsense'", "signature, mac, hash, cipher, aead"]),
    ("report", "missing-required-argument", &["FILE.jsonl"]),
    ("speed ed25519 --budget=", "value-validation", &["missing value", "'--budget SECONDS'"]),
    ("dnssec sign zone -o signed", "missing-required-argument", &["--algorithm NAME", "--key FILE"]),
    ("dnssec sign z -o s -a ed25519 -k K", "argument-conflict", &["'--algorithm NAME'", "'--key FILE'"]),
    ("dnssec sign zone -o signed -a ed25519 --opt-out", "missing-required-argument", &["--nsec3"]),
    ("dnssec sign zone -o signed -a ed25519 --threads 0", "value-validation", &["'0'", "1 to 1024"]),
    ("dnssec sizes --origin x.", "missing-required-argument", &["ZONE"]),
    ("dnssec sizes --published zone", "argument-conflict", &["'--published'", "'ZONE'"]),
    ("tcp-ao verify capture", "missing-required-argument", &["--key KEY", "--keys FILE"]),
    ("tcp-ao verify c -k x --nat 192.0.2", "value-validation", &["'192.0.2'", "--nat", "192.0.2.1"]),
    ("git convert repository", "missing-required-argument", &["DESTINATION"]),
    ("git map --output-format idx", "invalid-value", &["'idx'", "tsv, loose-object-idx"]),
    ("git map --keep-header a --keep-unknown-headers", "argument-conflict", &["'--keep-header NAME'"]),
    ("git verify -j 0", "value-validation", &["'0'", "1 to 1024"]),
    ("disk format new --size 1M --leave-holes", "missing-required-argument", &["--from PLAIN"]),
    ("disk open", "missing-required-argument", &["IMAGE"]),
];

#[test]
fn requests_that_make_no_sense() {
    let scratch = Scratch::new();
    for (typed, code, values) in REFUSED {
        match *code {
            NO_JSON => scratch.refuses(*typed, 2, values),
            code => scratch.refuses(*typed, (2, code), values),
        }
    }
    scratch.refuses("calibrate missing.jsonl", 1, &["missing.jsonl"]);
    scratch.refuses("speed ed25519 -o /proc/x", (1, "no-access"), &["/proc/x"]);
    scratch.refuses("study -a ed25519 -o /proc/x", (1, "no-access"), &["/proc/x"]);
    let unsafe_spec = "disk format new --size 1M --cipher aes";
    scratch.refuses(unsafe_spec, (1, "refused-spec"), &["'plain'", "--force"]);
    scratch.refuses("git verify /dev/null", (1, "repository"), &["/dev/null", "a device", "bare"]);
    let listen = format!("disk serve missing --listen {}", "x".repeat(200));
    scratch.refuses(&listen, 2, &["107 bytes"]);
    for (typed, code, values) in BY_CLAP {
        scratch.refuses_by_clap(*typed, values);
        if !typed.contains("--format") {
            scratch.refuses(*typed, (2, *code), values);
        }
    }
    scratch.refuses("", (2, "missing-subcommand"), &["--help"]);
    let joined = scratch.run("--format=json shwo").stderr;
    assert!(joined.starts_with(r#"{"error":{"code":"invalid-subcommand""#), "{joined}");
    // After `--` it is no option.
    scratch.refuses_by_clap("list -- nonsense --format json", &[]);
}

#[test]
fn an_error_is_json_for_who_asks_for_json() {
    let scratch = Scratch::new();
    let run = scratch.run(&["show", "x\u{202e}", "--format", "json"]);
    let error: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON");
    assert_eq!((run.code, &*run.stdout, &error["error"]["code"]), (Some(2), "", &"unknown-name".into()));
    let said = scratch.run(&["show", "x\u{202e}"]).stderr;
    assert_eq!(
        said,
        format!(
            "fieldtest: {}\n",
            error["error"]["message"].as_str().expect("words").replace('\u{202e}', "\\u{202e}")
        )
    );
    assert!(!run.stderr.contains('\u{202e}'), "{run:?}");
}
