//! Requests of KCMVP, of all modes.

use fieldtest_kcmvp::{Asked, Code, Mode, answer};
use fieldtest_kinds::Error;
use fieldtest_kinds::aead::{Aead, AeadKey};

use super::{Target, halves, texts};
use crate::fakes::{FakeCipher, FakeMac};

pub(super) const TARGETS: &[Target] = &[Target { name: "kcmvp", run: request, seeds }];

/// An AEAD that only knows tags of zeros.
struct FakeAead(usize);

struct FakeAeadKey;

impl Aead for FakeAead {
    fn key_len(&self) -> usize {
        self.0
    }

    fn prepare(&self, _: &[u8]) -> Result<Box<dyn AeadKey>, Error> {
        Ok(Box::new(FakeAeadKey))
    }
}

impl AeadKey for FakeAeadKey {
    fn seal(&self, _: &[u8], _: &[u8], _: &mut [u8], tag: &mut [u8]) -> Result<(), Error> {
        tag.fill(0);
        Ok(())
    }

    fn open(&self, _: &[u8], _: &[u8], _: &mut [u8], tag: &[u8]) -> Result<(), Error> {
        if tag.iter().all(|byte| *byte == 0) { Ok(()) } else { Err(Error::InvalidTag) }
    }
}

/// The first line is the file's name. What was answered is a request no more, and says all that the request said.
fn request(input: &[u8]) {
    let (name, request) = halves(input, b"\n");
    let asked: Asked = match String::from_utf8_lossy(name).parse() {
        Ok(asked) => asked,
        Err(error) => return drop::<fieldtest_kcmvp::Error>(error),
    };
    let _ = (asked.to_string(), asked.algorithm());
    let (cipher, aead) = (FakeCipher(asked.bits / 8), FakeAead(asked.bits / 8));
    let code = match asked.mode {
        Mode::Gcm | Mode::Ccm => Code::Aead(&aead),
        Mode::Cmac => Code::Mac(&FakeMac),
        _ => Code::Cipher(&cipher),
    };
    match answer(request, asked, code) {
        Ok(answered) => {
            assert!(answered.questions > 0 && str::from_utf8(&answered.text).is_ok());
            let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
            assert!(asked.monte_carlo || lines(&answered.text) + answered.questions >= lines(request));
        }
        Err(error) => drop(error.to_string()),
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let key = "00112233445566778899AABBCCDDEEFF";
    texts(&[
        &format!(
            "LEA128(CBC)KAT.req\nKEY = {key}\r\nIV = {key}\r\nPT = {key}\r\n\r\nKEY = {key}\r\nIV = {key}\r\nCT = {key}\r\nPT = ?\r\n"
        ),
        &format!("ARIA128(CTR)MCT.req\nCOUNT = 0\nKEY = {key}\nCTR = {key}\nPT = {key}\n"),
        &format!(
            "LEA128(GCM)AE.req\n[KeyLen = 128]\n[TagLen = 128]\n\nKey = {key}\nIV = {key}\nPT = {key}\nAdata = {key}\n"
        ),
        &format!(
            "LEA128(GCM)AD.req\n[PTLen = 0]\n\nKey = {key}\nIV = {key}\nC = 00\nAdata =\nT = {}\n",
            "00".repeat(16)
        ),
        &format!("CCM_AES-128_DV.req\nK = {key}\nN = 00\nA = 00\nC = {key}\nTlen = 32\n"),
        &format!("CMACVerLEA128.req\n# x\nK = {key}\nM =\nTlen = 64\nT = {key}\n"),
    ])
}
