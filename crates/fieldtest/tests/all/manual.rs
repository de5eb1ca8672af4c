//! What helps at the terminal: completions and manual pages.

use std::process::Command;

use crate::scratch::Scratch;

#[test]
fn every_shell_has_completions() {
    let scratch = Scratch::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = scratch.fine(&format!("completions {shell}")).stdout;
        assert!(script.contains("check-spec") && script.contains("algorithm"), "{shell}");
        scratch.write(shell, script);
    }
    let complete = "source ./bash; COMP_WORDS=(fieldtest disk ch) COMP_CWORD=2; \
                    _fieldtest fieldtest ch disk; echo \"${COMPREPLY[@]}\"";
    let bash = Command::new("bash").args(["-c", complete]).current_dir(scratch.path(".")).output();
    assert_eq!(String::from_utf8_lossy(&bash.expect("bash starts").stdout), "check-spec\n");
}

#[test]
fn every_command_has_a_page() {
    let scratch = Scratch::new();
    let run = scratch.fine("man share/man1");
    let page = |name: &str| scratch.read(&format!("share/man1/{name}.1"));
    let overview = page("fieldtest");
    let see =
        ["list", "study", "dnssec", "tcp\\-ao", "disk"].map(|command| format!("fieldtest\\-{command}(1)"));
    assert!(see.iter().all(|other| overview.contains(other)), "{overview}");
    assert!(
        page("fieldtest-disk-check-spec").contains("SPEC") && page("fieldtest-man").contains("DIRECTORY")
    );
    let examples = page("fieldtest-disk-check-spec");
    let examples = examples.split_once("\n.SH EXAMPLES\n").expect("examples").1;
    assert!(examples.contains("\n\\fBfieldtest disk check\\-spec chacha20\\-plain64\\fR\n"), "{examples}");
    let written = scratch.path("share/man1").read_dir().expect("the pages").count();
    assert!(run.stderr.starts_with(&format!("fieldtest: wrote {written} pages")), "{run:?}");
    scratch.write("file", "");
    scratch.refuses("man file", 1, &[" file: "]);
}
