//! What could be lost, leaked or waited for in vain.

use super::*;

/// Both copies of the header of `luks` with a text in the place of another one of the same length, checksums and all:
/// the JSON is blown up or cut by a number elsewhere. Returns the metadata.
pub(super) fn with_metadata(scratch: &Scratch, old: &str, new: &str) {
    let mut container = bytes(scratch, "luks");
    for copy in container[..32_768].chunks_mut(16_384) {
        let json = String::from_utf8(copy[4096..].to_vec()).expect("JSON");
        let json = json.trim_end_matches('\0').replace(old, new);
        assert!(json.contains(new) && json.len() < 12_288, "{json}");
        copy[4096..].fill(0);
        copy[4096..4096 + json.len()].copy_from_slice(json.as_bytes());
        copy[448..512].fill(0);
        let checksum = sha256(copy);
        copy[448..480].copy_from_slice(&checksum);
    }
    scratch.write("luks", container);
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).to_vec()
}

/// Going on with a re-encryption goes by the backups of the segments: what says something else of the data is not passed over.
#[test]
fn a_segment_that_is_not_as_its_reencryption_says_is_refused() {
    let scratch = with_container("aes-xts-plain64");
    let begin = "disk reencrypt luks -c lea-xts-plain64 -d key --init-only";
    scratch.fine(&format!("{begin} {CHEAP}"));
    let as_it_is = "\"segments\":{\"0\":{\"encryption\":\"aes-xts-plain64\"";
    with_metadata(&scratch, as_it_is, &as_it_is.replace("xts-plain64", "ecb"));
    let before = bytes(&scratch, "luks");
    let words = ["luks: ", "segment 0 ", "luksHeaderRestore"];
    for command in ["dump luks", "open luks", "reencrypt --resume luks -d key"] {
        scratch.refuses(&format!("disk {command}"), (1, "both-headers-damaged"), &words);
    }
    assert!(bytes(&scratch, "luks") == before);
}

#[test]
fn nothing_is_written_over_what_it_comes_from() {
    let scratch = with_container("aes-xts-plain64");
    fs::hard_link(scratch.path("key"), scratch.path("hard")).expect("a link");
    std::os::unix::fs::symlink("key", scratch.path("soft")).expect("a link");
    for key in ["key", "hard", "soft"] {
        scratch.refuses(&format!("disk copy luks {key} -d key --overwrite"), 1, &["key file"]);
        let format = format!("disk format {key} --size 1M --overwrite -d key");
        scratch.refuses(&format!("{format} {CHEAP}"), 1, &["key file"]);
    }
    // What standard input reads is no less lost.
    let copy = "disk copy luks hard -d - --overwrite";
    let format = "disk format soft --size 1M --overwrite";
    for arguments in [copy, &format!("{format} {CHEAP} -d -"), &format!("{format} {CHEAP}")] {
        scratch.run_on("key", arguments).tells(1, &["key file"]);
    }
    assert_eq!(bytes(&scratch, "key"), KEY);
    // In place: the header would go over the image before it is read.
    File::create(scratch.path("image")).and_then(|file| file.set_len(20 << 20)).expect("an image");
    fs::hard_link(scratch.path("luks"), scratch.path("other")).expect("a link");
    scratch.refuses("disk copy luks other -d key --overwrite", 2, &["both containers"]);
}

#[test]
fn repair_leaves_other_formats_alone() {
    let scratch = with_container("aes-xts-plain64");
    let file = OpenOptions::new().write(true).open(scratch.path("luks")).expect("the container");
    file.write_all_at(&[0; 16_384], 0).expect("zeros");
    file.write_all_at(b"LABELONE\x01\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001", 512).expect("a label");
    let before = bytes(&scratch, "luks");
    let words = ["LVM2_member", "wipefs", "disk repair --force luks"];
    scratch.refuses("disk repair luks", 1, &words);
    for command in ["open luks", "copy luks out", "serve luks -l socket"] {
        scratch.refuses(&format!("disk {command} {BY_FILE}"), 1, &words);
    }
    let run = scratch.fine("disk dump luks");
    assert!(run.stderr.contains("LVM2_member") && !run.stderr.contains("disk repair"), "{run:?}");
    assert!(bytes(&scratch, "luks") == before);
    scratch.fine("disk repair luks --force").tells(0, &["is good now", "LVM2_member"]);
    scratch.fine("disk open luks -d key");
}

/// SIGKILL in the middle of a copy: no plaintext stays under any name.
#[test]
fn what_is_killed_leaves_no_plaintext() {
    let scratch = with_image();
    File::create(scratch.path("large")).and_then(|file| file.set_len(1 << 30)).expect("an image of holes");
    let format = "disk format luks --from large --leave-holes";
    scratch.fine(&format!("{format} {CHEAP} {BY_FILE}"));
    let before = scratch.listing();
    let slow = "-i fieldtest-portable -j 1";
    let copy = format!("disk copy luks out {BY_FILE} {slow}");
    let mut child = scratch.command(&copy).spawn().expect("the program starts");
    let started = Instant::now();
    // Who may not look into the process waits for a moment.
    while !is_writing(&scratch, &child) && started.elapsed() < Duration::from_millis(500) {
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is killed");
    child.wait().expect("its end");
    assert_eq!(scratch.listing(), before);
}

#[test]
fn escape_sequences_of_a_header_are_written_out() {
    let scratch = with_container("aes-xts-plain64");
    with_metadata(
        &scratch,
        "\"tokens\":{}",
        "\"tokens\":{\"0\":{\"type\":\"\\u001b[2J\u{202e}\",\"keyslots\":[]}}",
    );
    with_metadata(
        &scratch,
        "\"encryption\":\"aes-xts-plain64\",\"iv_tweak\"",
        "\"encryption\":\"aes\\u001b[31m-xts-plain64\",\"iv_tweak\"",
    );
    for command in ["dump luks", "open luks -d key", "copy luks out -d key"] {
        for form in ["human", "csv", "md", "json"] {
            let run = scratch.run(&format!("disk {command} --format {form}"));
            for text in [&run.stdout, &run.stderr] {
                assert!(!text.contains(['\u{1b}', '\u{202e}']), "{command:?} {form}: {run:?}");
            }
        }
    }
}

#[test]
fn a_bad_specification_in_a_header_is_no_usage_error() {
    for spec in ["aes--", "cast6-xts-plain64", "aes-hctr2-essiv:sha256"] {
        let scratch = with_container("aes-xts-plain64");
        let new = format!("\"encryption\":\"{spec}\",\"iv_tweak\"");
        with_metadata(&scratch, "\"encryption\":\"aes-xts-plain64\",\"iv_tweak\"", &new);
        let run = scratch.run("disk copy luks out -d key");
        assert_eq!(run.code, Some(1), "{spec}: {run:?}");
    }
}

#[test]
fn every_form_is_complete_or_refused() {
    let scratch = with_image();
    let json = |arguments: &str| {
        let run = scratch.fine(&format!("{arguments} --format json"));
        serde_json::from_str::<serde_json::Value>(&run.stdout).expect("JSON").to_string()
    };
    let made = json(&format!("disk format luks --from plain {CHEAP} {BY_FILE}"));
    assert!(made.contains("3145728") && made.contains("aes-256-xts"), "{made}");
    let copied = json("disk copy luks out -d key");
    assert!(copied.contains("3145728") && copied.contains("seconds"), "{copied}");
    let dumped = json("disk dump luks");
    assert!(dumped.contains("16744448") && dumped.contains("keyslots_size"), "{dumped}");
    assert!(json("disk open luks -d key").contains("3145728"));
    assert!(json("disk repair luks").contains("none"));
    let serve = "disk serve luks -d key -l socket --format json";
    scratch.refuses(serve, 2, &["--format"]);
}

/// Memory that is not there reads like a sector that cannot be read (proc(5)).
#[test]
fn a_disk_that_fails_is_named_with_the_place_and_the_remedy() {
    let scratch = with_image();
    let words = ["/proc/self/mem", "byte 0", "input/output", "dmesg", "ddrescue"];
    for command in ["dump", "open", "repair"] {
        scratch.refuses(&format!("disk {command} /proc/self/mem"), 1, &words);
    }
}

#[test]
fn a_server_on_tcp_says_who_can_come_in() {
    let scratch = with_container("aes-xts-plain64");
    let (server, _) = serve(&scratch, "--listen 127.0.0.1:0");
    assert!(end(server).contains("every user"));
    let (server, _) = serve(&scratch, "--listen socket");
    assert!(!end(server).contains("every user"));
}

#[test]
fn a_server_ends_when_its_terminal_or_its_system_does() {
    let scratch = with_container("aes-xts-plain64");
    for signal in [Signal::HUP, Signal::TERM] {
        let (server, _) = serve(&scratch, "--listen socket");
        send(&server, signal);
        Run::of(server).tells(0, &["everything is durable"]);
        assert!(!scratch.path("socket").exists(), "{signal:?}");
    }
}

/// Every option that an error or a hint of the disk commands names is one of this program, unless it names the program
/// that has it.
#[test]
fn remedies_name_options_that_there_are() {
    let scratch = Scratch::new();
    let commands =
        "format open dump copy serve reencrypt repair check-spec study".split(' ').map(str::to_owned);
    let slots = ["add", "change", "convert", "kill", "priority"].map(|command| format!("slot {command}"));
    let help: String =
        commands.chain(slots).map(|command| scratch.fine(&format!("disk {command} --help")).stdout).collect();
    let options: Vec<&str> = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workbench/disk/src/commands");
    let carrier = Path::new(env!("CARGO_MANIFEST_DIR")).join("../carriers/disk/src");
    let mut folders = vec![ours, carrier];
    let mut named = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Nothing but what cryptsetup is told.
            if path.ends_with("reencrypt/cryptsetup.rs") {
                continue;
            }
            let source = fs::read_to_string(&path).expect("a source file");
            // Texts with all that is within their quotes; a backslash at the end of a line joins it with the next.
            let code: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).fold(
                String::new(),
                |code, line| match line.strip_suffix('\\') {
                    Some(begun) => code + begun + " ",
                    None => code + line.trim_start() + "\n",
                },
            );
            for text in code.lines().filter(|line| !line.contains("cryptsetup")) {
                for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
                    let is_option = word.starts_with("--")
                        && word.len() > 3
                        && !word.ends_with('-')
                        && word.as_bytes()[2].is_ascii_lowercase();
                    if is_option {
                        assert!(options.contains(&word), "{}: {word} in: {text}", path.display());
                        named += 1;
                    }
                }
            }
        }
    }
    assert!(named > 8, "{named}");
}
