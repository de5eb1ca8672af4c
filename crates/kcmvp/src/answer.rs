//! Answers: the request's lines as they stand there, and behind each question what was asked for.

use std::mem;

use data_encoding::HEXUPPER;
use fieldtest_kinds::Error as KindsError;
use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};
use fieldtest_kinds::mac::Mac;

use crate::monte_carlo::rounds;
use crate::question::{Entry, Field, Line, Question, lines};
use crate::{Asked, Error, Mode};

/// Code for the algorithm that is asked for: of the kind that its mode makes of it.
#[derive(Clone, Copy)]
pub enum Code<'a> {
    /// ECB, CBC and CTR.
    Cipher(&'a dyn Cipher),
    /// GCM and CCM.
    Aead(&'a dyn Aead),
    /// CMAC.
    Mac(&'a dyn Mac),
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The file.
    pub text: Vec<u8>,
    /// How many questions it answers.
    pub questions: usize,
}

/// Answers a request with this code.
///
/// # Errors
/// What is wrong with the request, and where; an error of the code.
pub fn answer(request: &[u8], asked: Asked, code: Code<'_>) -> Result<Answered, Error> {
    let mut writer = Writer {
        asked,
        code,
        end: "\n",
        of_all: Question::default(),
        question: Question::default(),
        copied: Vec::new(),
        out: Vec::with_capacity(2 * request.len()),
        questions: 0,
    };
    for line in lines(request) {
        writer.take(line?)?;
    }
    writer.close()?;
    match writer.questions {
        0 => Err(Error::of_all("it asks nothing: no line is of the form KEY = value")),
        questions => Ok(Answered { text: writer.out, questions }),
    }
}

/// To encrypt sectors, or to decrypt them.
type Apply = fn(&dyn CipherKey, Tweaks, usize, &mut [u8]) -> Result<(), KindsError>;

struct Writer<'a> {
    asked: Asked,
    code: Code<'a>,
    /// What ends the request's lines.
    end: &'a str,
    of_all: Question<'a>,
    question: Question<'a>,
    /// The question's lines as they stand in the request.
    copied: Vec<Line<'a>>,
    out: Vec<u8>,
    questions: usize,
}

impl<'a> Writer<'a> {
    fn take(&mut self, line: Line<'a>) -> Result<(), Error> {
        if !line.end.is_empty() {
            self.end = line.end;
        }
        let text = line.text.trim();
        if text.is_empty() || text.starts_with('#') {
            self.close()?;
            self.copy(line);
            return Ok(());
        }
        if let Some(heading) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            self.close()?;
            for part in heading.split(',').filter(|part| part.contains('=')) {
                self.of_all.replace(Entry::read(line.number, part)?)?;
            }
            self.copy(line);
            return Ok(());
        }
        let entry = Entry::read(line.number, text)?;
        if self.question.has(entry.field) {
            self.close()?;
        }
        self.question.push(entry);
        self.copied.push(line);
        Ok(())
    }

    /// The question is whole.
    fn close(&mut self) -> Result<(), Error> {
        let question = mem::take(&mut self.question);
        let copied = mem::take(&mut self.copied);
        if question.is_empty() {
            return Ok(());
        }
        if question.is_said_of_all() {
            for entry in question.entries() {
                self.of_all.replace(*entry)?;
            }
            copied.into_iter().for_each(|line| self.copy(line));
            return Ok(());
        }
        self.questions += 1;
        if self.asked.monte_carlo {
            return self.monte_carlo(&question);
        }
        let open: Vec<usize> =
            question.entries().iter().filter(|entry| entry.is_open()).map(|entry| entry.line).collect();
        for line in copied.into_iter().filter(|line| !open.contains(&line.number)) {
            self.copy(line);
        }
        match self.code {
            Code::Cipher(cipher) => self.block_mode(&question, cipher),
            Code::Aead(aead) => self.sealed(&question, aead),
            Code::Mac(mac) => self.tagged(&question, mac),
        }
    }

    fn copy(&mut self, line: Line<'_>) {
        self.out.extend(line.text.as_bytes());
        self.out.extend(if line.end.is_empty() { self.end } else { line.end }.as_bytes());
    }

    fn say(&mut self, text: &str) {
        self.out.extend(text.as_bytes());
        self.out.extend(self.end.as_bytes());
    }

    fn say_bytes(&mut self, name: &str, bytes: &[u8]) {
        self.say(&format!("{name} = {}", HEXUPPER.encode(bytes)));
    }

    fn key(&self, question: &Question<'_>) -> Result<Vec<u8>, Error> {
        let entry = question.needs(Field::Key, "a key (KEY)")?;
        let key = entry.bytes()?;
        let (found, expected) = (8 * key.len(), self.asked.bits);
        match key.len() == self.asked.key_len() {
            true => Ok(key),
            false => {
                Err(entry.fault(format!("the key has {found} bits, and the file's name says {expected}")))
            }
        }
    }

    /// Initialisation vector or first counter block; zeros where the mode has none.
    fn start(&self, question: &Question<'_>) -> Result<[u8; 16], Error> {
        if self.asked.mode == Mode::Ecb {
            return Ok([0; 16]);
        }
        let entry = question.needs(Field::Start, "an initialisation vector or counter (IV, CTR)")?;
        block(entry)
    }

    fn block_mode(&mut self, question: &Question<'_>, cipher: &dyn Cipher) -> Result<(), Error> {
        let (key, start) = (self.key(question)?, self.start(question)?);
        let (given, name, apply): (_, _, Apply) =
            match (question.entry(Field::Plaintext), question.entry(Field::Ciphertext)) {
                (Some(given), None) => {
                    (given, "CT", |key, tweaks, size, data| key.encrypt(tweaks, size, data))
                }
                (None, Some(given)) => {
                    (given, "PT", |key, tweaks, size, data| key.decrypt(tweaks, size, data))
                }
                (Some(_), Some(given)) => return Err(given.fault(ANSWERED)),
                (None, None) => return question.needs(Field::Plaintext, "PT or CT").map(|_| ()),
            };
        let mut data = given.bytes()?;
        if !data.is_empty() {
            let failed = |error: KindsError| given.fault(error.to_string());
            let tweaks = Tweaks { first: u128::from_le_bytes(start), step: 0 };
            let key = cipher.prepare(&key).map_err(failed)?;
            apply(&*key, tweaks, data.len(), &mut data).map_err(failed)?;
        }
        self.say_bytes(name, &data);
        Ok(())
    }

    fn monte_carlo(&mut self, question: &Question<'_>) -> Result<(), Error> {
        let key_entry = question.needs(Field::Key, "a key (KEY)")?;
        if self.questions > 1 {
            return Err(
                key_entry.fault("a Monte Carlo test begins with one question, and this is the second")
            );
        }
        let Code::Cipher(cipher) = self.code else {
            return Err(key_entry.fault("there is no Monte Carlo test of this mode"));
        };
        let (key, start) = (self.key(question)?, self.start(question)?);
        let plaintext = block(question.needs(Field::Plaintext, "PT; the test goes one way, encryption")?)?;
        let rounds = rounds(cipher, self.asked.mode, key, start, plaintext)
            .map_err(|error| key_entry.fault(error.to_string()))?;
        let start_name = question.entry(Field::Start).map(|entry| entry.name);
        for (number, round) in rounds.iter().enumerate() {
            if number > 0 {
                self.say("");
            }
            self.say(&format!("COUNT = {number}"));
            self.say_bytes(key_entry.name, &round.key);
            if self.asked.mode != Mode::Ecb {
                self.say_bytes(start_name.unwrap_or("IV"), &round.start);
            }
            self.say_bytes("PT", &round.plaintext);
            self.say_bytes("CT", &round.ciphertext);
        }
        Ok(())
    }

    /// Seals where there is no tag yet, and opens where there is one. The ciphertext of CCM ends with its tag.
    fn sealed(&mut self, question: &Question<'_>, aead: &dyn Aead) -> Result<(), Error> {
        let is_ccm = self.asked.mode == Mode::Ccm;
        let key_entry = question.needs(Field::Key, "a key (K, Key)")?;
        let failed = |error: KindsError| key_entry.fault(error.to_string());
        let key = aead.prepare(&self.key(question)?).map_err(failed)?;
        let nonce = question.needs(Field::Start, "a nonce (N, IV)")?;
        let nonce = self.fitted(Some(nonce), Field::StartBits, question)?;
        let associated = self.fitted(question.entry(Field::Associated), Field::AssociatedBits, question)?;
        let said = self.question_length(Field::TagBits, question)?;
        if let Some(length) = said.filter(|length| *length > 16) {
            return Err(key_entry.fault(format!("a tag of {length} bytes; these modes have up to 16")));
        }
        let opened = match is_ccm {
            true => question.entry(Field::Ciphertext).filter(|_| question.entry(Field::Plaintext).is_none()),
            false => question.entry(Field::Tag).filter(|entry| !entry.value.is_empty()),
        };
        let Some(opened) = opened else {
            if let Some(entry) = question.entry(Field::Ciphertext).filter(|entry| !entry.value.is_empty()) {
                return Err(entry.fault(ANSWERED));
            }
            let given = question.needs(Field::Plaintext, "a plaintext (P, PT)")?;
            let mut message = self.fitted(Some(given), Field::TextBits, question)?;
            let mut tag = vec![0; said.ok_or_else(|| key_entry.fault(NO_TAG_LENGTH))?];
            key.seal(&nonce, &associated, &mut message, &mut tag).map_err(failed)?;
            match is_ccm {
                true => self.say_bytes("C", &[message, tag].concat()),
                false => {
                    self.say_bytes("C", &message);
                    self.say_bytes("T", &tag);
                }
            }
            return Ok(());
        };
        let (mut message, tag) = match is_ccm {
            true => {
                let mut whole = opened.bytes()?;
                let tag = said.ok_or_else(|| key_entry.fault(NO_TAG_LENGTH))?;
                let Some(at) = whole.len().checked_sub(tag) else {
                    return Err(
                        opened.fault(format!("{} is shorter than its tag of {tag} bytes", opened.name))
                    );
                };
                let tag = whole.split_off(at);
                (whole, tag)
            }
            false => {
                let given = question.entry(Field::Ciphertext);
                (
                    self.fitted(given, Field::TextBits, question)?,
                    self.fitted(Some(opened), Field::TagBits, question)?,
                )
            }
        };
        match key.open(&nonce, &associated, &mut message, &tag) {
            Ok(()) => self.say_bytes(if is_ccm { "P" } else { "PT" }, &message),
            Err(KindsError::InvalidTag) => self.say("INVALID"),
            Err(error) => return Err(failed(error)),
        }
        Ok(())
    }

    /// Tags where there is no tag yet, and verifies where there is one.
    fn tagged(&mut self, question: &Question<'_>, mac: &dyn Mac) -> Result<(), Error> {
        let key_entry = question.needs(Field::Key, "a key (K)")?;
        let failed = |error: KindsError| key_entry.fault(error.to_string());
        let key = mac.prepare(&self.key(question)?).map_err(failed)?;
        let message = question.entry(Field::Plaintext).map(Entry::bytes).transpose()?.unwrap_or_default();
        let given = question.entry(Field::Tag).filter(|entry| !entry.value.is_empty());
        let given = given.map(Entry::bytes).transpose()?;
        let said = self.question_length(Field::TagBits, question)?;
        let length = said.or(given.as_ref().map(Vec::len)).ok_or_else(|| key_entry.fault(NO_TAG_LENGTH))?;
        if !(1..=16).contains(&length) {
            return Err(key_entry.fault(format!("a tag of {length} bytes; CMAC has 1 to 16")));
        }
        let mut tag = vec![0; length];
        key.tag(&message, &mut tag).map_err(failed)?;
        match given {
            None => self.say_bytes("T", &tag),
            // The answer says as much as the comparison's time.
            Some(given) => self.say(if given == tag { "VALID" } else { "INVALID" }),
        }
        Ok(())
    }

    fn question_length(&self, field: Field, question: &Question<'_>) -> Result<Option<usize>, Error> {
        question.length(field, &self.of_all)
    }

    /// A field's bytes, of which there are none where it is missing. Of GCM its length is said too, and counts where it is 0: files
    /// write `00` for an empty text.
    fn fitted(
        &self,
        entry: Option<&Entry<'_>>,
        length: Field,
        question: &Question<'_>,
    ) -> Result<Vec<u8>, Error> {
        let Some(entry) = entry else { return Ok(Vec::new()) };
        let mut bytes = entry.bytes()?;
        if self.asked.mode != Mode::Gcm {
            return Ok(bytes);
        }
        match self.question_length(length, question)? {
            Some(0) if bytes == [0] => bytes.clear(),
            Some(said) if said != bytes.len() => {
                return Err(entry.fault(format!(
                    "{} has {} bits, and its length was said to be {}",
                    entry.name,
                    8 * bytes.len(),
                    8 * said
                )));
            }
            _ => {}
        }
        Ok(bytes)
    }
}

const ANSWERED: &str = "this question has its answer already; take away what is asked for, or write ? for it";
const NO_TAG_LENGTH: &str = "nothing says how long the tag of this question is (Tlen, TagLen, in bits)";

fn block(entry: &Entry<'_>) -> Result<[u8; 16], Error> {
    let bytes = entry.bytes()?;
    <[u8; 16]>::try_from(bytes.as_slice())
        .map_err(|_| entry.fault(format!("{} has {} bits; a block has 128", entry.name, 8 * bytes.len())))
}
