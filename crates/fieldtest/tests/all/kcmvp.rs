//! `fieldtest kcmvp answer`.

use crate::scratch::Scratch;

/// KISA's LEA128(CBC)MCT.txt begins so.
pub(crate) const REQUEST: &str = "KEY = 724F8279123B9307658A109101466A15\r\nIV = FEF995090770B941B0BF2B120A859BB8\r\n\
                       PT = 76718FF5B60510FB4A9AA28CF9A57A60\r\n";
const NAME: &str = "LEA128(CBC)MCT.req";

#[test]
fn the_response_lies_beside_the_request() {
    let scratch = Scratch::new();
    scratch.write(NAME, REQUEST);
    scratch.write(
        "ARIA196(ECB)KAT.REQ",
        "KEY = 000000000000000000000000000000000000000000000000\nPT = 80000000000000000000000000000000\n",
    );
    let shown = scratch.fine(&format!("kcmvp answer {NAME} ARIA196(ECB)KAT.REQ --format csv")).stdout;
    assert!(
        shown.contains("LEA128(CBC)MCT.rsp") && shown.contains("LEA-128 in CBC, Monte Carlo test"),
        "{shown}"
    );
    assert!(scratch.read("ARIA196(ECB)KAT.rsp").ends_with("CT = AE56BF59874ED4DBD7B905878894ADEE\n"));
    let response = scratch.read("LEA128(CBC)MCT.rsp");
    assert!(response.contains("CT = 92E58A0B613CA94D922F7E6A445A4EC7\r\n\r\nCOUNT = 1\r\n"), "{response}");
    assert!(response.ends_with("CT = 32791359F4E207AF11D33E4262990518\r\n"), "{response}");
    // From standard input, to standard output, by another.
    let answer = format!("kcmvp answer - --as {NAME} -i fieldtest-portable");
    assert_eq!(scratch.run_on(NAME, &answer).stdout, response);
}

#[test]
fn answers_that_lie_there_are_kept() {
    let scratch = Scratch::new();
    scratch.write(
        "AES128(ECB)KAT.req",
        "KEY = 000102030405060708090A0B0C0D0E0F\nPT = 00112233445566778899AABBCCDDEEFF\n",
    );
    scratch.write("AES128(ECB)KAT.rsp", "the official answers\n");
    let told = scratch.fine("kcmvp answer AES128(ECB)KAT.req").stderr;
    assert!(told.contains(" AES128(ECB)KAT.1.rsp"), "{told}");
    assert_eq!(scratch.read("AES128(ECB)KAT.1.rsp"), "the official answers\n");
    assert!(scratch.read("AES128(ECB)KAT.rsp").ends_with("CT = 69C4E0D86A7B0430D8CDB78070B4C55A\n"));
    // Two requests of which one's answers would replace the other's.
    scratch.write("AES128(ECB)KAT.txt", scratch.read("AES128(ECB)KAT.req"));
    scratch.refuses("kcmvp answer AES128(ECB)KAT.req AES128(ECB)KAT.txt", 2, &["are one file"]);
    assert!(!scratch.path("AES128(ECB)KAT.2.rsp").exists());
}

#[test]
fn what_cannot_be_answered_is_one_error_and_no_file() {
    let scratch = Scratch::new();
    scratch.write(NAME, REQUEST);
    scratch.write("LEA128(CBC)KAT.req", "KEY = 00\n");
    scratch.write("LEA128(OFB)KAT.req", REQUEST);
    scratch.write("x.req", REQUEST);
    let answer = |words: &str| format!("kcmvp answer {words}");
    scratch.refuses(
        &answer(&format!("{NAME} LEA128(CBC)KAT.req")),
        1,
        &["LEA128(CBC)KAT.req", "line 1", "8 bits"],
    );
    scratch.write("LEA128(CTR)KAT.req", REQUEST.replacen("\r\n", "\r\nKEY = 00\r\n", 1));
    let twice = ["LEA128(CTR)KAT.req", "line 2: KEY", "line 1"];
    scratch.refuses(&answer("LEA128(CTR)KAT.req"), 1, &twice);
    assert!(!scratch.path("LEA128(CTR)KAT.rsp").exists());
    scratch.refuses(&answer("LEA128(OFB)KAT.req"), 2, &["OFB"]);
    scratch.refuses(&answer("x.req"), 2, &["'x.req'", "--as"]);
    scratch.refuses(&answer("-"), 2, &["--as"]);
    scratch.refuses(&answer(&format!("{NAME} x.req -o y")), 2, &["one request"]);
    scratch.refuses(&answer(&format!("{NAME} -o {NAME}")), 2, &["would be lost"]);
    scratch.refuses(&answer(&format!("x.req --as {NAME} -i openssl-hosd")), 2, &["openssl-hosd"]);
    scratch.refuses(&answer(&format!("none --as {NAME}")), 1, &["cannot read none"]);
    scratch.refuses(&answer("none"), 1, &["cannot read none"]);
    scratch.refuses(&answer("."), (1, "directory"), &[" .: ", ".req"]);
    scratch.refuses(&answer(&format!(". --as {NAME}")), 1, &["directory"]);
    assert!(!scratch.path("LEA128(CBC)MCT.rsp").exists());
}
