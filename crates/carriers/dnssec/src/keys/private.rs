//! The text of a `.private` file, BIND's Private-key-format v1.3.

use data_encoding::BASE64;
use fieldtest_kinds::signature::SecretKeyForm;
use zeroize::Zeroizing;

use super::field::TOO_LONG;
use super::{KeyTimes, der};
use crate::rdata::{self, form_of};
use crate::rtype;

/// The fields of an RSA key in the order of PKCS #1's RSAPrivateKey, behind its version.
const RSA: [&str; 8] = [
    "Modulus",
    "PublicExponent",
    "PrivateExponent",
    "Prime1",
    "Prime2",
    "Exponent1",
    "Exponent2",
    "Coefficient",
];
const SCALAR: &str = "PrivateKey";
/// Why a key of a form that was added to [`SecretKeyForm`] since is not translated.
const UNKNOWN_FORM: &str =
    "the implementation needs secret keys in a format that `.private` files do not have";
/// Moments that BIND notes and that mean nothing here.
const OTHER_TIMES: [&str; 3] = ["Revoke", "SyncPublish", "SyncDelete"];

/// A fault in the text: the line, from 1, and what is wrong with it.
pub(super) type Fault = (usize, String);

pub(super) struct Private {
    pub(super) algorithm: u8,
    pub(super) algorithm_line: usize,
    pub(super) times: KeyTimes,
    /// Field name, line, value in Base64.
    fields: Vec<(&'static str, usize, Zeroizing<Vec<u8>>)>,
    lines: usize,
}

pub(super) fn parse(text: &str) -> Result<Private, Fault> {
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim_end()));
    match lines.next().map(|(_, line)| line.split_once(':').unwrap_or((line, ""))) {
        Some(("Private-key-format", version)) if is_version_1(version.trim()) => {}
        Some(("Private-key-format", version)) => {
            return Err((1, format!("unknown format '{}': expected v1.2 or v1.3", version.trim())));
        }
        _ => return Err((1, "a private key file must begin with 'Private-key-format: v1.3'".into())),
    }
    let mut algorithm = None;
    let mut private =
        Private { algorithm: 0, algorithm_line: 1, times: KeyTimes::default(), fields: Vec::new(), lines: 1 };
    for (number, line) in lines {
        private.lines = number;
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        let (name, value) =
            line.split_once(':').ok_or_else(|| (number, "expected a line 'Field: value'".to_owned()))?;
        let value = value.trim();
        match name {
            "Algorithm" => {
                // The mnemonic in parentheses is a comment; testbeds disagree on it.
                let word = value.split_whitespace().next().unwrap_or("");
                algorithm = Some(word.parse().map_err(|_| {
                    (number, format!("invalid DNSSEC algorithm number '{word}': expected 0 to 255"))
                })?);
                private.algorithm_line = number;
            }
            "Created" => private.times.created = Some(time(number, value)?),
            "Publish" => private.times.publish = Some(time(number, value)?),
            "Activate" => private.times.activate = Some(time(number, value)?),
            "Inactive" => private.times.inactive = Some(time(number, value)?),
            "Delete" => private.times.delete = Some(time(number, value)?),
            _ if OTHER_TIMES.contains(&name) => _ = time(number, value)?,
            _ => {
                let known = RSA.iter().chain([&SCALAR]).find(|known| **known == name);
                let Some(known) = known else {
                    return Err((number, format!("unknown field '{name}'")));
                };
                if private.fields.iter().any(|(given, ..)| given == known) {
                    return Err((number, format!("a second {name}")));
                }
                let octets = BASE64.decode(value.as_bytes()).map_err(|_| {
                    (number, format!("{name} is not in Base64: expected {}", form_of(&BASE64)))
                })?;
                private.fields.push((known, number, Zeroizing::new(octets)));
            }
        }
    }
    private.algorithm = algorithm.ok_or_else(|| (private.lines, "no Algorithm field".to_owned()))?;
    Ok(private)
}

/// Version 1 with any minor number: later ones only added fields.
fn is_version_1(version: &str) -> bool {
    version.strip_prefix("v1.").is_some_and(|minor| minor.parse::<u8>().is_ok())
}

fn time(line: usize, value: &str) -> Result<u32, Fault> {
    rdata::parse_time(value)
        .ok_or_else(|| (line, format!("invalid time '{value}': expected YYYYMMDDHHmmSS from 1970 to 2106")))
}

impl Private {
    /// The line to name when the secret as a whole is wrong.
    pub(super) fn secret_line(&self) -> usize {
        self.fields.first().map_or(self.lines, |(_, line, _)| *line)
    }

    /// The secret in the form that an implementation takes.
    pub(super) fn secret(&self, form: SecretKeyForm) -> Result<Zeroizing<Vec<u8>>, Fault> {
        let wanted: &[&'static str] = match form {
            SecretKeyForm::RsaPkcs1 => &RSA,
            SecretKeyForm::EcScalar | SecretKeyForm::Plain => &[SCALAR],
            _ => return Err((self.secret_line(), UNKNOWN_FORM.to_owned())),
        };
        if let Some((name, line, _)) = self.fields.iter().find(|(name, ..)| !wanted.contains(name)) {
            return Err((*line, format!("a key of algorithm {} has no {name}", self.algorithm)));
        }
        let mut found: Vec<&[u8]> = Vec::with_capacity(wanted.len() + 1);
        for name in wanted {
            let field = self.fields.iter().find(|(given, ..)| given == name);
            let (.., octets) =
                field.ok_or_else(|| (self.lines, format!("no {name}; is the file cut off?")))?;
            found.push(octets);
        }
        Ok(if form == SecretKeyForm::RsaPkcs1 {
            // Version 0 of RSAPrivateKey: two primes.
            found.insert(0, &[]);
            der::sequence(&found).ok_or_else(|| (self.secret_line(), TOO_LONG.to_owned()))?
        } else {
            Zeroizing::new(found[0].to_vec())
        })
    }
}

/// Writes the text of a `.private` file; what is wrong with the secret otherwise.
pub(super) fn write(
    algorithm: u8,
    times: KeyTimes,
    form: SecretKeyForm,
    secret: &[u8],
) -> Result<Zeroizing<Vec<u8>>, String> {
    let integers;
    let fields: Vec<(&str, &[u8])> = match form {
        SecretKeyForm::EcScalar | SecretKeyForm::Plain => vec![(SCALAR, secret)],
        SecretKeyForm::RsaPkcs1 => {
            integers = der::integers(secret)
                .filter(|integers| integers.len() == RSA.len() + 1 && integers[0].is_empty())
                .ok_or("the implementation's secret key is not a PKCS #1 RSAPrivateKey with two primes")?;
            RSA.iter().copied().zip(integers[1..].iter().copied()).collect()
        }
        _ => return Err(UNKNOWN_FORM.to_owned()),
    };
    // The capacity suffices, so that no copy of the secret stays behind when the vector grows.
    let capacity = 256 + fields.iter().map(|(_, octets)| octets.len() * 4 / 3 + 32).sum::<usize>();
    let mut out = Zeroizing::new(Vec::with_capacity(capacity));
    out.extend_from_slice(b"Private-key-format: v1.3\n");
    let mnemonic = rtype::algorithm_mnemonic(algorithm).unwrap_or("?");
    out.extend_from_slice(format!("Algorithm: {algorithm} ({mnemonic})\n").as_bytes());
    for (name, octets) in fields {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        let at = out.len();
        out.resize(at + BASE64.encode_len(octets.len()), 0);
        BASE64.encode_mut(octets, &mut out[at..]);
        out.push(b'\n');
    }
    for (name, time) in times.noted() {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        rdata::push_time(time, &mut out);
        out.push(b'\n');
    }
    Ok(out)
}
