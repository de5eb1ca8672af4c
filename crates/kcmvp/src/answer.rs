//! Answers: the request's lines as they stand there, and behind each question what was asked for.

use std::mem;

use fieldtest_kinds::aead::Aead;
use fieldtest_kinds::cipher::Cipher;
use fieldtest_kinds::mac::Mac;

use crate::checked_question::Given;
use crate::modes::{block_mode, monte_carlo, sealed, tagged};
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
    /// How many of them have tags that the programme does not validate GCM with: of fewer than [`SHORTEST_TAG`] octets.
    pub short_tags: usize,
}

/// Octets of the shortest tag of GCM (National Cyber Security Center, Guide for Vendor Implementations, part 2, October 2025,
/// chapter 3: 112 to 128 bits). NIST's and KISA's examples have shorter ones.
pub const SHORTEST_TAG: usize = 14;

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
        short_tags: 0,
    };
    // Editors put it there. It is kept, and is no part of the first field's name.
    let marked = request.strip_prefix(MARK);
    writer.out.extend(marked.map_or(&[][..], |_| MARK));
    for line in lines(marked.unwrap_or(request)) {
        writer.take(line?)?;
    }
    writer.close()?;
    match writer.questions {
        0 => Err(Error::of_all("it asks nothing: no line is of the form KEY = value")),
        questions => Ok(Answered { text: writer.out, questions, short_tags: writer.short_tags }),
    }
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

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
    short_tags: usize,
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
        if let Some(earlier) = self.question.standing(entry.field) {
            let twice = || {
                entry.fault(format!(
                    "{} stands here and in line {} of one question; take one of both away, or complete the question before the \
                     second begins another",
                    entry.name, earlier.line
                ))
            };
            if !entry.field.is_number() && self.question.has_one_value() {
                return Err(twice());
            }
            self.close().map_err(|error| if error.is_unfinished() { twice() } else { error })?;
        }
        self.question.push(entry);
        self.copied.push(line);
        Ok(())
    }

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
        let given = Given::read(self.asked, &question, &self.of_all)?;
        let said = match self.code {
            Code::Cipher(_) if self.asked.monte_carlo && self.questions > 1 => {
                let first = question.entries().first().map_or(0, |entry| entry.line);
                return Err(Error::at(
                    first,
                    "a Monte Carlo test begins with one question, and this is the second",
                ));
            }
            Code::Cipher(cipher) if self.asked.monte_carlo => monte_carlo(&given, cipher)?,
            Code::Cipher(cipher) => block_mode(&given, cipher)?,
            Code::Aead(aead) => sealed(&given, aead)?,
            Code::Mac(mac) => tagged(&given, mac)?,
        };
        if self.asked.mode == Mode::Gcm {
            let tag = question.entry(Field::Tag).map(Entry::bytes).transpose()?;
            self.short_tags += usize::from(given.tag_length(tag.as_deref())? < SHORTEST_TAG);
        }
        if !self.asked.monte_carlo {
            let is_open = |line: &Line<'_>| {
                question.entries().iter().any(|entry| entry.is_open() && entry.line == line.number)
            };
            copied.into_iter().filter(|line| !is_open(line)).for_each(|line| self.copy(line));
        }
        said.iter().for_each(|line| self.say(line));
        Ok(())
    }

    fn copy(&mut self, line: Line<'_>) {
        self.out.extend(line.text.as_bytes());
        self.out.extend(if line.end.is_empty() { self.end } else { line.end }.as_bytes());
    }

    fn say(&mut self, text: &str) {
        self.out.extend(text.as_bytes());
        self.out.extend(self.end.as_bytes());
    }
}
