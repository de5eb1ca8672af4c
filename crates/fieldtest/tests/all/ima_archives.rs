//! `fieldtest ima` on tar archives: signed as they stream by, and verified.

use std::fs;
use std::process::Stdio;

use crate::ima::keygen;
use crate::scratch::Scratch;

/// The program with this on its standard input; its standard output as it is.
fn piped(scratch: &Scratch, input: &[u8], arguments: &[&str]) -> Vec<u8> {
    scratch.write("input", input);
    let file = fs::File::open(scratch.path("input")).expect("the input");
    let output = scratch.command(arguments).stdin(Stdio::from(file)).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// An archive with one file, in the format of POSIX.1-1988.
pub(crate) fn archive(name: &str, content: &[u8]) -> Vec<u8> {
    let mut header = [0_u8; 512];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut archive = header.to_vec();
    archive.extend(content);
    archive.resize(archive.len().next_multiple_of(512) + 1024, 0);
    archive
}

#[test]
fn archives_are_signed_as_they_stream_by() {
    let scratch = Scratch::new();
    let (private, certificate) = keygen(&scratch, "ml-dsa-87");
    let plain = archive("usr/bin/true", b"content");
    let sign = ["ima", "sign", "-", "--store", "tar", "--key", &private];
    let signed = piped(&scratch, &plain, &sign);
    assert!(signed.len() > plain.len() + 4636);
    assert_eq!(signed, piped(&scratch, &signed, &sign), "what is signed stays as it is");
    scratch.write("plain.tar", &plain);
    scratch.fine(&["ima", "sign", "plain.tar", "--store", "tar", "--key", &private, "-o", "signed.tar"]);
    assert_eq!(fs::read(scratch.path("signed.tar")).expect("the archive"), signed);
    scratch
        .fine(&["ima", "verify", "signed.tar", "--store", "tar", "--key", &certificate])
        .tells(0, &["1 file good"]);
    let run = scratch.run(&["ima", "verify", "plain.tar", "--store", "tar", "--key", &certificate]);
    assert!(run.code == Some(1) && run.stdout.contains("not signed"), "{run:?}");

    // What cannot be an archive leaves none.
    scratch.write("cut.tar", &plain[..515]);
    let sign = |name: &str| -> Vec<String> {
        let words = ["ima", "sign", name, "--store", "tar", "--key", &private, "-o", "new.tar"];
        words.iter().map(|word| (*word).to_owned()).collect()
    };
    let two = [plain.clone(), vec![0; 1 << 17], plain].concat();
    scratch.write("two.tar", &two);
    let behind = format!("damaged at byte {}: ", 2048 + (1 << 17));
    let verify = ["ima", "verify", "two.tar", "--store", "tar", "--key", &certificate];
    scratch.run(&verify).tells(1, &[&behind]);
    for (name, word) in
        [("cut.tar", "cut.tar"), ("two.tar", &behind), ("keys", "folder"), ("missing.tar", "cannot read")]
    {
        let arguments = sign(name);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let code = if name == "keys" { 2 } else { 1 };
        scratch.refuses(&arguments, code, &[name, word]);
    }
}
