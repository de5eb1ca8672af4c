//! Key files as BIND's tools write and read them: `K<zone>+<algorithm>+<tag>.key` and `.private`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use data_encoding::BASE64;
use fieldtest_kinds::signature::{SecretKeyForm, Signature};
use zeroize::Zeroizing;

use super::{KeyError, Secret, ZoneKey, private};
use crate::codepoints::Resolver;
use crate::name::Name;
use crate::rdata::{self, form_of};
use crate::rtype;

/// Octets of the largest key file that makes sense.
const LARGEST: u64 = 1 << 24;
/// Room for most keys, so that the vector does not grow and leave copies of the secret behind.
const SMALL: usize = 1 << 16;

/// `K<zone>+<algorithm, three digits>+<tag, five digits>`; octets that file systems dislike are written `%XX`.
pub(super) fn base_name(owner: &Name, algorithm: u8, tag: u16) -> String {
    let mut base = String::from("K");
    for octet in owner.to_string().bytes() {
        match octet {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' => base.push(char::from(octet)),
            other => base.push_str(&format!("%{other:02X}")),
        }
    }
    base + &format!("+{algorithm:03}+{tag:05}")
}

impl ZoneKey {
    /// Writes `.key` and `.private` into `directory` and returns the path of the `.key`.
    ///
    /// The private file is readable by its owner only. Existing files are never overwritten.
    pub fn write(&self, directory: &Path) -> Result<PathBuf, KeyError> {
        let secret = self.secret.as_ref().ok_or_else(|| KeyError::PublicOnly(self.file_name()))?;
        if let Some(path) = self.existing(directory) {
            return Err(KeyError::Exists(path));
        }
        let [public_path, private_path] = self.files(directory);
        let text = private::write(self.code_point.number(), self.times, secret.form, &secret.bytes)
            .map_err(|what| KeyError::Key { code_point: self.code_point.clone(), what })?;
        create(&private_path, 0o600, &text)?;
        if let Err(error) = create(&public_path, 0o644, &self.key_file_text()) {
            // Half a key helps nobody, and a second attempt would stumble over it.
            let _ = fs::remove_file(&private_path);
            return Err(error);
        }
        Ok(public_path)
    }

    /// The file in `directory` that has the name of one of this key's, be it of another key with the same tag.
    pub fn existing(&self, directory: &Path) -> Option<PathBuf> {
        self.files(directory).into_iter().find(|path| path.exists())
    }

    fn files(&self, directory: &Path) -> [PathBuf; 2] {
        ["key", "private"].map(|suffix| directory.join(format!("{}.{suffix}", self.file_name())))
    }

    /// Reads a key from its two files; `path` is either of them, or what they have in common.
    pub fn read(path: &Path, resolve: &Resolver<'_>) -> Result<ZoneKey, KeyError> {
        let public = ZoneKey::read_public(path)?;
        let path = with_suffix(path, "private");
        let text = read_private_text(&path)?;
        let fault = |line: usize, what: String| KeyError::File { path: path.clone(), line, what };
        let private = private::parse(&text).map_err(|(line, what)| fault(line, what))?;
        let code_point = public.code_point().clone();
        if private.algorithm != code_point.number() {
            return Err(fault(
                private.algorithm_line,
                format!("algorithm {}, but the .key file says {code_point}", private.algorithm),
            ));
        }
        let implementation = resolve(&code_point).ok_or_else(|| {
            fault(private.algorithm_line, format!("no implementation of algorithm {code_point} is available"))
        })?;
        read_secret(public, &private, implementation).map_err(|(line, what)| fault(line, what))
    }

    /// The two files that a key with this name is in: the public half and the private one.
    pub fn paths(path: &Path) -> [PathBuf; 2] {
        ["key", "private"].map(|suffix| with_suffix(path, suffix))
    }

    /// Reads the public half alone; such a key is published and does not sign.
    pub fn read_public(path: &Path) -> Result<ZoneKey, KeyError> {
        let typed = path;
        let path = with_suffix(path, "key");
        let text = read_whole(&path).map_err(|error| match error {
            KeyError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound && path != typed => {
                KeyError::NoFile { typed: typed.to_path_buf(), path: path.clone() }
            }
            other => other,
        })?;
        parse_key_file(&String::from_utf8_lossy(&text)).map_err(|(line, what)| KeyError::File {
            path,
            line,
            what,
        })
    }

    fn key_file_text(&self) -> Vec<u8> {
        let what = if self.is_secure_entry_point() { "key" } else { "zone" };
        let mut text = format!("; This is a {what}-signing key, keyid {}, for {}\n", self.tag(), self.owner)
            .into_bytes();
        for (name, time) in self.times.noted() {
            text.extend_from_slice(format!("; {name}: ").as_bytes());
            rdata::push_time(time, &mut text);
            text.push(b'\n');
        }
        let [_, _, protocol, algorithm, public @ ..] = &self.rdata[..] else { return text };
        let line = format!(
            "{} IN DNSKEY {} {protocol} {algorithm} {}\n",
            self.owner,
            self.flags(),
            BASE64.encode(public)
        );
        text.extend_from_slice(line.as_bytes());
        text
    }
}

/// Joins the halves, if they belong together.
fn read_secret(
    public: ZoneKey,
    private: &private::Private,
    implementation: &dyn Signature,
) -> Result<ZoneKey, private::Fault> {
    let form = implementation.secret_key_form();
    let mut bytes = private.secret(form)?;
    if form == SecretKeyForm::EcScalar {
        // BIND writes the number without the octets of zero that it begins with, once in 256 keys. A public key is two such numbers.
        let field = public.public_field().len() - public.code_point.prefix().len();
        let mut whole = Zeroizing::new(vec![0; (field / 2).saturating_sub(bytes.len())]);
        whole.extend_from_slice(&bytes);
        bytes = whole;
    }
    let line = private.secret_line();
    let prepared = implementation
        .signing_key(&bytes)
        .map_err(|e| (line, format!("not a secret key of algorithm {}: {e}", public.code_point)))?;
    let field = super::implementation_field(implementation.public_key_form(), prepared.as_ref())
        .map_err(|what| (line, what))?;
    if field != public.public_field()[public.code_point.prefix().len()..] {
        return Err((line, "the secret key does not belong to the public key in the .key file".into()));
    }
    let secret = Secret { form, bytes, prepared };
    Ok(ZoneKey { secret: Some(Arc::new(secret)), times: private.times, ..public })
}

/// Replaces a `.key` or `.private` suffix, or adds one. Other dots belong to the zone's name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = match path.extension().and_then(|extension| extension.to_str()) {
        Some("key" | "private") => path.with_extension(""),
        _ => path.to_path_buf(),
    }
    .into_os_string();
    path.push(".");
    path.push(suffix);
    path.into()
}

/// The whole file, unless it is larger than any key: a device may have no end.
fn read_whole(path: &Path) -> Result<Vec<u8>, KeyError> {
    let read = || {
        let mut octets = Vec::with_capacity(SMALL);
        let read = File::open(path)?.take(LARGEST + 1).read_to_end(&mut octets)?;
        match read as u64 > LARGEST {
            true => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "more than 16 MiB, which is too long for a key",
            )),
            false => Ok(octets),
        }
    };
    read().map_err(|source| KeyError::Io { path: path.to_path_buf(), source })
}

fn read_private_text(path: &Path) -> Result<Zeroizing<String>, KeyError> {
    let octets = read_whole(path)?;
    String::from_utf8(octets).map(Zeroizing::new).map_err(|error| {
        drop(Zeroizing::new(error.into_bytes()));
        KeyError::File { path: path.to_path_buf(), line: 1, what: "this is not a text file".into() }
    })
}

/// The only record of a `.key` file: `NAME [TTL] [IN] DNSKEY FLAGS PROTOCOL ALGORITHM BASE64…`.
fn parse_key_file(text: &str) -> Result<ZoneKey, private::Fault> {
    let mut key = None;
    let mut last = 1;
    for (at, line) in text.lines().enumerate() {
        last = at + 1;
        let fault = |what: &str| (at + 1, what.to_owned());
        let words: Vec<&str> = line
            .split(';')
            .next()
            .unwrap_or("")
            .split([' ', '\t', '\r'])
            .filter(|word| !word.is_empty())
            .collect();
        let [name, rest @ ..] = &words[..] else { continue };
        if key.is_some() {
            return Err(fault("a second record; a key file contains one DNSKEY"));
        }
        let owner = name.parse::<Name>().map_err(|e| fault(&e.to_string()))?;
        let dnskey = rest.iter().position(|word| word.eq_ignore_ascii_case("DNSKEY"));
        let Some([flags, protocol, algorithm, public @ ..]) = dnskey.map(|at| &rest[at + 1..]) else {
            return Err(fault("not a DNSKEY record with flags, protocol, algorithm and key"));
        };
        let flags: u16 = flags.parse().map_err(|_| fault("the flags are not a number up to 65535"))?;
        let protocol: u8 = protocol.parse().map_err(|_| fault("the protocol is not a number up to 255"))?;
        let algorithm = rtype::algorithm_number(algorithm)
            .ok_or_else(|| fault("the algorithm is not a number or mnemonic of IANA's registry"))?;
        let mut rdata = flags.to_be_bytes().to_vec();
        rdata.extend_from_slice(&[protocol, algorithm]);
        let public = BASE64
            .decode(public.concat().as_bytes())
            .map_err(|_| fault(&format!("the public key is not in Base64: expected {}", form_of(&BASE64))))?;
        if public.is_empty() {
            return Err(fault("the public key is missing"));
        }
        rdata.extend_from_slice(&public);
        key = Some(ZoneKey::from_dnskey(owner, rdata).map_err(|e| fault(&e.to_string()))?);
    }
    key.ok_or_else(|| (last, "there is no DNSKEY record in this file".to_owned()))
}

/// Creates a file that did not exist, complete or not at all: written beside under another name, then given its own.
fn create(path: &Path, mode: u32, content: &[u8]) -> Result<(), KeyError> {
    let io = |source| KeyError::Io { path: path.to_path_buf(), source };
    let (mut file, beside) = beside(path, mode).map_err(io)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let placed = written.and_then(|()| place(&beside, path));
    let _ = fs::remove_file(&beside);
    match placed {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(KeyError::Exists(path.to_path_buf()))
        }
        other => other.map_err(io),
    }
}

/// A new file beside its place, under a name that nothing had, and that is not too long where that of the place is as long as can be.
fn beside(path: &Path, mode: u32) -> io::Result<(File, PathBuf)> {
    /// Characters, of up to 4 bytes each: the longest name is 255 bytes on every file system of Linux (limits.h, `NAME_MAX`).
    const ROOM: usize = 50;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(ROOM).collect();
    for number in 0_u32.. {
        let beside = path.with_file_name(format!("{name}.partial-{}-{number}", std::process::id()));
        match options.open(&beside) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            file => return Ok((file?, beside)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A hard link, unlike a rename, fails where the target exists. A file system without links gets a rename.
fn place(beside: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(beside, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists || path.exists() => {
            Err(io::ErrorKind::AlreadyExists.into())
        }
        Err(_) => fs::rename(beside, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let name = |text: &str| Name::parse(text.as_bytes(), None).unwrap();
        assert_eq!(base_name(&Name::ROOT, 8, 20326), "K.+008+20326");
        assert_eq!(base_name(&name("a/b.Example."), 18, 7), "Ka%2Fb.example.+018+00007");
        assert_eq!(with_suffix(Path::new("d/Kx.+008+00001"), "key"), Path::new("d/Kx.+008+00001.key"));
        assert_eq!(with_suffix(Path::new("Kx.+008+00001.private"), "key"), Path::new("Kx.+008+00001.key"));
    }

    #[test]
    fn files_of_others_beside_a_key_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k".repeat(250));
        let other = folder.path().join(format!("{}.partial-{}-0", "k".repeat(50), std::process::id()));
        fs::write(&other, "another one's").unwrap();
        create(&path, 0o600, b"a key").unwrap();
        assert!(matches!(create(&path, 0o600, b"another"), Err(KeyError::Exists(_))));
        assert_eq!(fs::read(&path).unwrap(), b"a key");
        assert_eq!(fs::read(&other).unwrap(), b"another one's");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn key_files_in_all_spellings() {
        let plain = parse_key_file("; comment\nexample. IN DNSKEY 257 3 13 AAEC\n").unwrap();
        let full =
            parse_key_file("example.\t3600 IN DNSKEY 257 3 ECDSAP256SHA256 AA EC ;{id = 1}\n").unwrap();
        assert_eq!(plain.dnskey(), full.dnskey());
        assert_eq!(plain.dnskey(), [1, 1, 3, 13, 0, 1, 2]);
        for (text, line) in [
            ("", 1),
            ("; nothing\n", 1),
            ("\nexample. IN DS 1 2 3 00", 2),
            ("example. IN DNSKEY 257 3 13 !!", 1),
            ("example. IN DNSKEY 257 3 13", 1),
            ("example. IN DNSKEY 257 4 13 AAEC", 1),
            ("example. IN DNSKEY 65536 3 13 AAEC", 1),
            ("a..b. IN DNSKEY 257 3 13 AAEC", 1),
            ("x. IN DNSKEY 257 3 13 AAEC\nx. IN DNSKEY 257 3 13 AAEC", 2),
            ("x. IN DNSKEY 257 3 253 /w==", 1),
        ] {
            assert_eq!(parse_key_file(text).unwrap_err().0, line, "{text}");
        }
    }
}
