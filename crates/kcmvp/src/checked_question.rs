//! What a question gives, held against the name of its file and the lengths that it states.

use crate::question::{Entry, Field, Question, Unit};
use crate::{Asked, Error, Mode, Task};

/// A question that does not contradict its file's name.
pub(crate) struct Given<'a> {
    pub(crate) question: &'a Question<'a>,
    pub(crate) mode: Mode,
    pub(crate) unit: Unit,
    /// As many octets as the name says.
    pub(crate) key: Vec<u8>,
    of_all: &'a Question<'a>,
    task: Option<Task>,
}

impl<'a> Given<'a> {
    /// Reads the key, and what lengths are counted in.
    ///
    /// # Errors
    /// A field that the mode has not, or `?` for one that is no answer; no key, or one of another length than the file's name says, or than is stated.
    pub(crate) fn read(
        asked: Asked,
        question: &'a Question<'a>,
        of_all: &'a Question<'a>,
    ) -> Result<Given<'a>, Error> {
        let Asked { mode, bits, task, .. } = asked;
        if let Some(other) =
            question.entries().iter().chain(of_all.entries()).find(|entry| !mode.has(entry.field))
        {
            return Err(other.fault(format!(
                "requests for {} have no {}; see whether the file's name says the right mode",
                mode.name(),
                other.name
            )));
        }
        let answers = |field| matches!(field, Field::Plaintext | Field::Ciphertext | Field::Tag);
        if let Some(open) = question.entries().iter().find(|entry| entry.is_open() && !answers(entry.field)) {
            return Err(open.fault(format!("{} = ? asks for what no answer has; give its value", open.name)));
        }
        let entry = question.needs(Field::Key, "a key (KEY)")?;
        let key = entry.bytes()?;
        if key.len() != asked.key_len() {
            let found = 8 * key.len();
            return Err(entry.fault(format!(
                "the key has {found} bits, and the file's name says {bits}; correct one of them"
            )));
        }
        let unit = match question.said(Field::KeyLength, of_all) {
            None => Unit::Bits,
            Some(said) => match said.number()? {
                number if number == bits => Unit::Bits,
                // The only sign that tells NIST's requests from KCMVP's.
                number if number == key.len() && mode == Mode::Cmac => Unit::Octets,
                number => {
                    let name = said.name;
                    return Err(said
                        .fault(format!("{name} is {number}, but the key has {bits} bits; fix one of them")));
                }
            },
        };
        Ok(Given { question, mode, unit, key, of_all, task })
    }

    /// A field's octets, none where it is missing: as many as are stated. Where none are, the `00` that files write for nothing
    /// is nothing.
    ///
    /// # Errors
    /// Their number is another one.
    pub(crate) fn octets(&self, field: Field, length: Field) -> Result<Vec<u8>, Error> {
        let entry = self.question.entry(field);
        let mut octets = entry.map(Entry::bytes).transpose()?.unwrap_or_default();
        let Some(stated) = self.question.said(length, self.of_all) else { return Ok(octets) };
        let expected = self.unit.octets(stated)?;
        if expected == 0 && octets == [0] {
            octets.clear();
        }
        self.check(octets.len(), expected, entry, stated)?;
        Ok(octets)
    }

    /// Holds a length against a stated one.
    pub(crate) fn check(
        &self,
        found: usize,
        expected: usize,
        entry: Option<&Entry<'_>>,
        stated: &Entry<'_>,
    ) -> Result<(), Error> {
        if found == expected {
            return Ok(());
        }
        let (name, number, expected) = (stated.name, stated.value, self.unit.shown(expected));
        Err(match entry {
            Some(entry) => entry.fault(format!(
                "{} has {}, but {name} = {number} states {expected}; fix one of them",
                entry.name,
                self.unit.shown(found),
            )),
            None => stated.fault(format!(
                "{name} states {expected}, and the question has nothing of that length; add it"
            )),
        })
    }

    /// The length of a text, if one is stated, in octets, and where.
    ///
    /// # Errors
    /// It is no number of whole octets.
    pub(crate) fn text_length(&self) -> Result<Option<(usize, &Entry<'a>)>, Error> {
        let stated = self.question.said(Field::TextLength, self.of_all);
        stated.map(|entry| Ok((self.unit.octets(entry)?, entry))).transpose()
    }

    /// The octets of a text, which is missing only where it is stated to be empty.
    ///
    /// # Errors
    /// It is missing; its length is not the stated one.
    pub(crate) fn text(&self, field: Field, names: &str) -> Result<Vec<u8>, Error> {
        if self.text_length()?.is_none_or(|(length, _)| length > 0) {
            self.question.needs(field, names)?;
        }
        self.octets(field, Field::TextLength)
    }

    /// The length of the tag in octets: that which is stated, else that of the tag that is given.
    ///
    /// # Errors
    /// Nothing says it, the tag given has another one, or no tag of the mode is so long.
    pub(crate) fn tag_length(&self, given: Option<&[u8]>) -> Result<usize, Error> {
        let stated = self.question.said(Field::TagLength, self.of_all);
        let entry = self.question.entry(Field::Tag);
        let length = match (stated, given) {
            (Some(stated), _) => self.unit.octets(stated)?,
            (None, Some(given)) => given.len(),
            (None, None) => {
                let key = self.question.needs(Field::Key, "a key")?;
                return Err(key.fault(
                    "nothing says how long the tag of this question is; add Tlen or TagLen, in bits",
                ));
            }
        };
        let (fits, has) = match self.mode {
            // SP 800-38C, appendix A.1; SP 800-38D, section 5.2.1.2; of SP 800-38B any.
            Mode::Ccm => (length % 2 == 0 && (4..=16).contains(&length), "32 to 128 in steps of 16"),
            Mode::Gcm => (matches!(length, 4 | 8 | 12..=16), "32, 64, or 96 to 128 in steps of 8"),
            _ => ((1..=16).contains(&length), "8 to 128 in steps of 8"),
        };
        if let Some(at) = stated.or(entry).filter(|_| !fits) {
            let (mode, shown) = (self.mode.name(), self.unit.shown(length));
            return Err(at.fault(format!("a tag of {shown}; those of {mode} have {has} bits")));
        }
        if let (Some(stated), Some(given)) = (stated, given) {
            self.check(given.len(), length, entry, stated)?;
        }
        Ok(length)
    }

    /// Whether tags are verified. Where the file's name does not say it, this question does, by what it `brings`.
    ///
    /// # Errors
    /// It brings what the file's name asks for, or does not bring what is to be verified.
    pub(crate) fn verifies(&self, brings: Option<&Entry<'_>>, names: &str) -> Result<bool, Error> {
        match (self.task, brings) {
            (Some(Task::Make), Some(entry)) => Err(entry.fault(format!(
                "the file's name asks for {names} to be made, and this question has it already; take it away or write ? for it, or \
                 give another name by --as"
            ))),
            (Some(Task::Verify), None) => {
                let last = self.question.entries().last().map_or(0, |entry| entry.line);
                Err(Error::at(
                    last,
                    format!(
                        "the file's name asks for {names} to be verified, and this question ends without it; add it, or give \
                         another name by --as"
                    ),
                ))
            }
            (_, brings) => Ok(brings.is_some()),
        }
    }
}
