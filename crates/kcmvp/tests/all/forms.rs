//! The forms of all requests, with known answers of NIST's for AES, and what is wrong with a request, with its line.

use fieldtest_catalog::{aead, cipher, mac};
use fieldtest_kcmvp::{Answered, Asked, Code, Error, Mode, answer};

fn answered(name: &str, request: &[u8]) -> Result<Answered, Error> {
    let asked: Asked = name.parse()?;
    let name = asked.algorithm();
    match asked.mode {
        Mode::Ecb | Mode::Cbc | Mode::Ctr => {
            let code = cipher::find(&name).expect(&name).implementation("fieldtest").expect("ours");
            answer(request, asked, Code::Cipher(&*code.code))
        }
        Mode::Gcm | Mode::Ccm => {
            let code = aead::find(&name).expect(&name).implementation("fieldtest").expect("ours");
            answer(request, asked, Code::Aead(&*code.code))
        }
        Mode::Cmac => {
            let code = mac::find(&name).expect(&name).implementation("fieldtest").expect("ours");
            answer(request, asked, Code::Mac(&*code.code))
        }
    }
}

fn text(name: &str, request: &str) -> String {
    let answered = answered(name, request.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
    String::from_utf8(answered.text).expect("text")
}

/// D. McGrew, J. Viega, The Galois/Counter Mode of Operation, test case 4.
const KEY: &str = "Key = FEFFE9928665731C6D6A8F9467308308\nIV = CAFEBABEFACEDBADDECAF888\n";
const PLAINTEXT: &str = "PT = D9313225F88406E5A55909C5AFF5269A86A7A9531534F7DA2E4C303D8A318A72\
                         1C3C0C95956809532FCF0E2449A6B525B16AEDF5AA0DE657BA637B39\n";
const BESIDE: &str = "Adata = FEEDFACEDEADBEEFFEEDFACEDEADBEEFABADDAD2\n";
const CIPHERTEXT: &str = "C = 42831EC2217774244B7221B784D0D49CE3AA212F2C02A4E035C17E2329ACA12E\
                          21D514B25466931C7D8F6A5AAC84AA051BA30B396A0AAC973D58E091\n";
const TAG: &str = "T = 5BC94FBC3221A5DB94FAE95AE7121A47\n";

#[test]
fn gcm_is_sealed_and_opened() {
    let heading =
        "[KeyLen = 128]\n[IVLen = 96]\n[PTLen = 480]\n[AADLen = 160]\n[TagLen = 128]\n\nCOUNT = 0\n";
    let sealed = [heading, KEY, PLAINTEXT, BESIDE].concat();
    assert_eq!(text("AES128(GCM)AE.req", &sealed), [&sealed, CIPHERTEXT, TAG].concat());
    let opened = [heading, KEY, BESIDE, CIPHERTEXT, TAG].concat();
    assert_eq!(text("AES128(GCM)AD.req", &opened), [&opened, PLAINTEXT].concat());
    let forged = opened.replace("T = 5B", "T = 5C");
    assert_eq!(text("AES128(GCM)AD.req", &forged), [&forged, "INVALID\n"].concat());
    // A tag alone, of an empty text that is written as a byte.
    let empty = [
        &heading.replace("480", "0").replace("160", "0").replace("128]\n\n", "64]\n\n"),
        KEY,
        "PT = 00\nAdata = \n",
    ];
    let sealed = text("AES128(GCM)AE.req", &empty.concat());
    assert!(sealed.ends_with("C = \nT = 3247184B3C4F69A4\n"), "{sealed}");
    // The programme validates none so short.
    let short =
        |request: &str| answered("AES128(GCM)AE.req", request.as_bytes()).expect("answers").short_tags;
    assert_eq!((short(&empty.concat()), short(&[heading, KEY, PLAINTEXT, BESIDE].concat())), (1, 0));
}

#[test]
fn ccm_is_generated_and_verified() {
    // NIST SP 800-38C, example 1.
    let given = "COUNT = 0\nK = 404142434445464748494A4B4C4D4E4F\nN = 10111213141516\nA = 0001020304050607\nTlen = 32\n";
    let generated = format!("{given}P = 20212223\nC = 7162015B4DAC255D\n");
    let asked = generated.replace("C = 7162015B4DAC255D\n", "");
    assert_eq!(text("AES128(CCM)GE.req", &asked), generated);
    let verified = format!("{given}C = 7162015B4DAC255D\n");
    assert_eq!(text("AES128(CCM)DV.req", &verified), format!("{verified}P = 20212223\n"));
    let forged = verified.replace("255D", "255E");
    assert_eq!(text("AES128(CCM)DV.req", &forged), format!("{forged}INVALID\n"));
}

#[test]
fn cmac_is_generated_and_verified() {
    // RFC 4493, section 4, example 1: the empty message.
    let given = "COUNT = 0\nK = 2B7E151628AED2A6ABF7158809CF4F3C\nM = \nTlen = 64\n";
    assert_eq!(text("CMACGenAES128.req", given), format!("{given}T = BB1D6929E9593728\n"));
    let verified = format!("{given}T = BB1D6929E9593728\n");
    assert_eq!(text("CMACVerAES128.req", &verified), format!("{verified}VALID\n"));
    let forged = verified.replace("9593728", "9593729");
    assert_eq!(text("CMACVerAES128.req", &forged), format!("{forged}INVALID\n"));
}

#[test]
fn a_text_that_is_stated_to_be_empty_is_empty() {
    let key = "K = 2B7E151628AED2A6ABF7158809CF4F3C\n";
    let cmac = format!("{key}Mlen = 0\nM = 00\nTlen = 64\n");
    assert_eq!(text("CMACGenAES128", &cmac), format!("{cmac}T = BB1D6929E9593728\n"));
    // Without a length it is one octet.
    let octet = text("CMACGenAES128", &format!("{key}M = 00\nTlen = 64\n"));
    assert!(!octet.contains("BB1D6929E9593728"), "{octet}");
    let ccm = format!("{key}N = 10111213141516\nAlen = 0\nA = 00\nPlen = 0\nP = 00\nTlen = 32\n");
    let empty = format!("{key}N = 10111213141516\nA =\nP =\nTlen = 32\n");
    let tag = |request: &str| text("AES128(CCM)GE", request).lines().last().map(str::to_owned);
    assert_eq!(tag(&ccm), tag(&empty));
    assert_eq!(tag(&ccm).expect("a line").len(), "C = ".len() + 8);
}

#[test]
fn requests_of_nist_for_cmac_count_octets() {
    // SP 800-38B, example 1 of AES-128; CMACVerAES128.rsp of CAVS 11, count 47, whose message was changed.
    let made =
        "Count = 0\nKlen = 16\nMlen = 0\nTlen = 16\nKey = 2b7e151628aed2a6abf7158809cf4f3c\nMsg = 00\n";
    let answer = "Mac = BB1D6929E95937287FA37D129B756746\n";
    assert_eq!(text("CMACGenAES128.req", made), format!("{made}{answer}"));
    let verified = format!("{made}{answer}");
    assert_eq!(text("CMACVerAES128.req", &verified), format!("{verified}Result = P\n"));
    let changed = "Count = 47\nKlen = 16\nMlen = 32\nTlen = 8\nKey = 6583a4ff27b6e109046d11b977c8293d\n\
                   Msg = b63be320f92e01260fba37312224494a2764dfc928287c75dc1cafee7b698d48\nMac = fa0cced22e896b40\n";
    assert_eq!(text("CMACVerAES128.req", changed), format!("{changed}Result = F\n"));
}

#[test]
fn a_place_for_a_tag_is_filled() {
    let given = "K = 2B7E151628AED2A6ABF7158809CF4F3C\nM =\nTlen = 64\n";
    for open in ["T =\n", "T = ?\n"] {
        assert_eq!(
            text("CMACGenAES128", &format!("{given}{open}")),
            format!("{given}T = BB1D6929E9593728\n")
        );
    }
}

#[test]
fn line_ends_headings_and_places_for_answers_are_those_of_the_request() {
    // FIPS 197, appendix C.1, both ways.
    let key = "KEY = 000102030405060708090A0B0C0D0E0F\r\n";
    let request = format!(
        "\u{feff}# a comment\r\n[ENCRYPT]\r\n\r\n{key}PT = 00112233445566778899AABBCCDDEEFF\r\nCT = ?\r\n{key}CT = 69C4E0D86A7B0430D8CDB78070B4C55A"
    );
    let expected = format!(
        "\u{feff}# a comment\r\n[ENCRYPT]\r\n\r\n{key}PT = 00112233445566778899AABBCCDDEEFF\r\n\
         CT = 69C4E0D86A7B0430D8CDB78070B4C55A\r\n{key}CT = 69C4E0D86A7B0430D8CDB78070B4C55A\r\n\
         PT = 00112233445566778899AABBCCDDEEFF\r\n"
    );
    assert_eq!(text("AES128(ECB)KAT.req", &request), expected);
    assert_eq!(answered("AES128(ECB)KAT.req", request.as_bytes()).expect("answers").questions, 2);
}

/// Nothing depends on it, so it is as long as it is.
#[test]
fn the_number_of_a_question_stays_as_it_is() {
    let question = "KEY = 000102030405060708090A0B0C0D0E0F\nPT = 00112233445566778899AABBCCDDEEFF\n";
    let answer = "CT = 69C4E0D86A7B0430D8CDB78070B4C55A\n";
    for number in ["0", "007", "18446744073709551616", "340282366920938463463374607431768211456"] {
        for end in ["", "\n"] {
            let request = format!("COUNT = {number}\n{end}{question}");
            assert_eq!(text("AES128(ECB)KAT.req", &request), format!("{request}{answer}"));
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let key = "KEY = 000102030405060708090A0B0C0D0E0F\n";
    let block = "PT = 00112233445566778899AABBCCDDEEFF\n";
    let (seven, sixteen) = ("10111213141516", "00112233445566778899AABBCCDDEEFF");
    let filled = |request: &str| {
        let places = [("<key>", key), ("<block>", block), ("<seven>", seven), ("<sixteen>", sixteen)];
        places.iter().fold(request.to_owned(), |text, (place, with)| text.replace(place, with))
    };
    for (name, request, line, why) in [
        ("AES128(ECB)KAT", "", None, "asks nothing"),
        ("AES128(ECB)KAT", "COUNT = 0\n", None, "asks nothing"),
        ("AES128(ECB)KAT", "KEY 00\n", Some(1), "NAME = value"),
        ("AES128(ECB)KAT", "<key>PT = \n", Some(2), "PT "),
        ("AES128(ECB)KAT", "\nPLAIN = 00\n", Some(2), "unknown field"),
        ("AES128(ECB)KAT", "<key>\n\n", Some(1), "without PT or CT"),
        ("AES128(ECB)KAT", "<block>", Some(1), "without a key"),
        ("AES128(ECB)KAT", "KEY = 00\n<block>", Some(1), "has 8 bits, "),
        ("AES128(ECB)KAT", "<key>PT = 0\n", Some(2), "hexadecimal"),
        ("AES128(ECB)KAT", "<key>PT = 0g\n", Some(2), "hexadecimal"),
        ("AES128(ECB)KAT", "<key>PT = 00\n", Some(2), "PT has 8 bits; "),
        ("AES128(ECB)KAT", "<key><block>CT = 00\n", Some(3), "has its answer"),
        ("AES128(CBC)KAT", "<key><block>", Some(2), "initialisation vector"),
        ("AES128(CBC)KAT", "<key>IV = 00\n<block>", Some(2), "a block has 128"),
        ("AES128(ECB)MCT", "<key><block>\n<key><block>", Some(4), "second"),
        ("AES128(ECB)MCT", "<key>CT = 00\n", Some(2), "one way"),
        ("AES128(GCM)AE", "<key>IV = 00\n<block>", Some(1), "the tag"),
        (
            "AES128(GCM)AE",
            "[PTLen = 8]\n<key>IV = 00\n<block>",
            Some(4),
            "PT has 128 bits, but PTLen = 8 states 8 bits",
        ),
        ("AES128(GCM)AE", "[TagLen = 8]\n<key>IV = 00\n<block>", Some(1), "a tag of 8 bits"),
        ("AES128(GCM)AE", "[TagLen = 80000000000]\n<key>IV = 00\n<block>", Some(1), "a tag of"),
        ("AES128(GCM)AE", "[TagLen = +8]\n<key>IV = 00\n<block>", Some(1), "decimal digits"),
        ("AES128(GCM)AE", "[TagLen = 7]\n<key>IV = 00\n<block>", Some(1), "bytes"),
        ("AES128(CCM)DV", "<key>N = 10111213141516\nC = 00\nTlen = 32\n", Some(3), "its tag"),
        ("CMACGenAES128", "<key>M = 00\n", Some(1), "the tag"),
        ("CMACGenAES128", "<key>M = 00\nTlen = 800000000000\n", Some(3), "8 to 128"),
        // Lengths that are not those of what is given, of every mode and field.
        ("CMACGenAES128", "Mlen = 64\nTlen = 128\n<key>M = <sixteen>\n", Some(4), "Mlen = 64 states 64 bits"),
        ("CMACGenAES128", "Mlen = 64\nTlen = 128\n<key>", Some(3), "without a message"),
        ("CMACGenAES128", "[Klen = 256]\n<key>M = 00\nTlen = 64\n", Some(1), "Klen is 256, "),
        ("CMACVerAES128", "<key>M = 00\nTlen = 64\nT = 00\n", Some(4), "T has 8 bits, but Tlen = 64"),
        ("CMACVerAES128", "Klen = 16\nTlen = 64\n<key>M = 00\nT = 00\n", Some(2), "a tag of 64 bytes"),
        (
            "CMACGenAES128",
            "Klen = 16\nMlen = 8\nTlen = 4\n<key>M = 00\n",
            Some(5),
            "M has 1 bytes, but Mlen = 8 states 8 bytes",
        ),
        ("AES128(CCM)GE", "Plen = 64\nTlen = 32\n<key>N = <seven>\nP = <sixteen>\n", Some(5), "Plen = 64"),
        ("AES128(CCM)GE", "Alen = 64\nTlen = 32\n<key>N = <seven>\nA = 00\nP = 00\n", Some(5), "Alen = 64"),
        ("AES128(CCM)GE", "Alen = 64\nTlen = 32\n<key>N = <seven>\nP = 00\n", Some(1), "length"),
        ("AES128(CCM)GE", "Nlen = 104\nTlen = 32\n<key>N = <seven>\nP = 00\n", Some(4), "Nlen = 104"),
        (
            "AES128(CCM)GE",
            "[Alen = 0, Plen = 0, Nlen = 7, Tlen = 4]\n<key>N = <seven>\nP = 00\n",
            Some(1),
            "in bits",
        ),
        ("AES128(CCM)GE", "Tlen = 16\n<key>N = <seven>\nP = 00\n", Some(1), "32 to 128"),
        (
            "AES128(CCM)DV",
            "Plen = 64\nTlen = 32\n<key>N = <seven>\nC = <sixteen>\n",
            Some(5),
            "states 64 bits of text",
        ),
        ("AES128(GCM)AE", "[IVLen = 96, TagLen = 64]\n<key>IV = 00\n<block>", Some(3), "IVLen = 96"),
        ("AES128(GCM)AE", "[KeyLen = 16]\n<key>IV = 00\n<block>", Some(1), "KeyLen is 16"),
        ("AES128(CBC)KAT", "[PTLen = 64]\n<key>IV = <sixteen>\n<block>", Some(4), "PTLen = 64"),
        // Fields of other modes.
        ("AES128(ECB)KAT", "<key>IV = <sixteen>\n<block>", Some(2), "have no IV"),
        ("AES128(CTR)KAT", "<key>CTR = <sixteen>\n<block>Adata = 00\n", Some(4), "have no Adata"),
        ("AES128(CCM)GE", "<key>N = <seven>\nP = 00\nTlen = 32\nT = ?\n", Some(5), "have no T"),
        ("CMACGenAES128", "<key>N = 00\nM = 00\nTlen = 32\n", Some(2), "have no N"),
        ("AES128(GCM)AE", "TagLen = 64\n<key>IV = 00\nAdata = ?\n<block>", Some(4), "Adata = ?"),
        // Lines that stand twice, of which nobody can tell which one is meant.
        ("AES128(ECB)KAT", "<key><key><block>", Some(2), "in line 1"),
        ("AES128(ECB)KAT", "COUNT = 0\n<key><key><block>", Some(3), "in line 2"),
        ("AES128(CBC)KAT", "<key>IV = <sixteen>\n<key><block>", Some(3), "in line 1"),
        ("AES128(CBC)KAT", "<key>IV = <sixteen>\nIV = <sixteen>\n<block>", Some(3), "in line 2"),
        ("AES128(CBC)MCT", "<key><key>IV = <sixteen>\n<block>", Some(2), "KEY stands here"),
        ("CMACGenAES128", "Mlen = 0\nTlen = 64\n<key><key>M = 00\n", Some(4), "in line 3"),
        ("AES128(ECB)KAT", "COUNT = one\n<key><block>", Some(1), "decimal digits"),
        ("AES128(GCM)AE", "[TagLen = 99999999999999999999]\n", Some(1), "too large"),
        // What the name does not say.
        ("CMACVerAES128", "<key>M = 00\nTlen = 32\nT = \n", Some(4), "T to be verified"),
        ("CMACGenAES128", "<key>M = 00\nTlen = 32\nT = 00000000\n", Some(4), "T to be made"),
        ("AES128(GCM)AE", "<key>IV = 00\nC = 00\nT = 00000000\n", Some(4), "T to be made"),
        ("AES128(GCM)AD", "<key>IV = 00\n<block>", Some(3), "T to be verified"),
        ("AES128(GCM)AD", "<key>IV = 00\nTagLen = 32\nT = 00000000\n", Some(4), "without a ciphertext"),
        ("AES128(GCM)AD", "<key>IV = 00\nPT = \nC = \nT = 00000000\n", Some(4), "has its answer"),
        ("AES128(CCM)GE", "<key>N = <seven>\nTlen = 32\nC = <sixteen>\n", Some(4), "C to be made"),
        ("AES128(CCM)DV", "<key>N = <seven>\nTlen = 32\nP = <sixteen>\n", Some(4), "C to be verified"),
    ] {
        let error = answered(name, filled(request).as_bytes()).expect_err(request);
        assert!(error.line == line && error.to_string().contains(why), "{request:?}: {error}");
    }
    let error = answered("AES128(ECB)KAT", b"KEY = 00\n\x1b[2J\xff\n").expect_err("no text");
    assert!(error.line == Some(2) && !error.to_string().contains('\u{1b}'), "{error}");
}
