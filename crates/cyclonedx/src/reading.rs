//! Reads the names of an asset word by word. Each word is read once, by one of the rules here. A word that no rule reads makes
//! the asset unknown, since it may say the opposite of the others.

use fieldtest_catalog::policies::{Family, Strength, Use, of_oid};
use fieldtest_catalog::simplified;

use crate::parts::{
    Part, agree, combine, family, is_on_curve, lacks_a_part, marker, one_curve, part, settle_uses, suits,
};
use crate::tokens::{AUTHENTICATE, MODES, Token, tokens, without_suffix};

/// Names of one thing, the fields of an asset, while they are read.
#[derive(Default)]
pub(crate) struct Reading {
    /// All in letters and digits.
    letters: String,
    /// Each with the field that it is from.
    pub(crate) parts: Vec<(Part, usize)>,
    pub(crate) modes: Vec<&'static str>,
    rsa_paddings: Vec<&'static str>,
    paddings: Vec<&'static str>,
    tag: Option<u32>,
    pub(crate) is_unknown: bool,
    is_contradiction: bool,
    /// Whether the word right before is `key`, or the next that says something: `40-bit key`.
    is_of_key: bool,
    /// The part whose name is right before: a number is its size, even one that nobody uses.
    named: Option<usize>,
    /// The part whose size is right before.
    sized: Option<usize>,
    /// A number before all names.
    pending: Option<u32>,
    /// `SHA` alone, which is SHA-1 to Java and TLS.
    bare: Vec<usize>,
    /// The part whose parameter set is being read, its last letter, and whether its hash function is read.
    set: Option<(usize, Option<char>, bool)>,
}

/// The most words of a field that are read: what compares all with all takes long for more, and no name has as many.
const MOST: usize = 100;
/// The most letters.
const LONGEST: usize = 2000;

impl Reading {
    pub(crate) fn of(fields: &[&str]) -> Reading {
        let mut it = Reading::default();
        for (field, text) in fields.iter().enumerate() {
            let short = text.char_indices().nth(LONGEST).map_or(*text, |(end, _)| &text[..end]);
            it.is_unknown |= short.len() < text.len();
            let text = without_suffix(of_oid(short.trim()).unwrap_or(short));
            // TLS has RSAE beside SHA, which is no RSAES. SHA-512/256 protects as SHA-256 does, where 256 behind the name of a
            // MAC would be its tag.
            let text = text.replace("_rsae_", "_").replace("512/224", "224").replace("512/256", "256");
            it.letters += &simplified(&text);
            it.sized = None;
            let all = tokens(&text);
            it.is_unknown |= all.len() > MOST;
            for (at, token) in all.iter().take(MOST).enumerate() {
                let next = all[at + 1..].iter().find(|it| **it != Token::Filler);
                let before = all[..at].iter().rfind(|it| **it != Token::Filler);
                it.is_of_key = [before, next].contains(&Some(&Token::Key));
                if !it.read_set(*token, all.get(at + 1)) {
                    it.read(*token, field);
                }
            }
        }
        it.is_unknown |= it.pending.is_some();
        for at in std::mem::take(&mut it.bare) {
            let (one, field) = &it.parts[at];
            let is_named = |(other, of): &(Part, usize)| of != field && other.family == one.family;
            if one.size.is_none() && !it.parts.iter().any(is_named) {
                it.parts[at].0.family = family("SHA-1");
            }
        }
        it
    }

    fn has(&self, does: Use) -> bool {
        self.parts.iter().any(|(part, _)| part.family.does.contains(&does))
    }

    fn read(&mut self, token: Token, field: usize) {
        let (named, sized) = (self.named.take(), self.sized.take());
        match token {
            Token::Family(family, name, size) => {
                let mut size = (size > 0).then_some(size);
                if let Some(number) = self.pending.take() {
                    match size.is_none() && (is_size(family, number) || is_stated(family, number)) {
                        true => size = Some(number),
                        // Bits of the key or of the tag.
                        false if family.does == [Use::Mac] && number >= 112 => self.tag = Some(number),
                        false => self.is_unknown = true,
                    }
                }
                let at = self.parts.len();
                self.parts.push((part(family, family.does.clone(), size), field));
                self.named = Some(at);
                self.set = family.whole.then_some((at, None, false));
                if name == "sha" {
                    self.bare.push(at);
                }
            }
            Token::Number(number) => self.is_unknown |= !self.read_number(number, field, (named, sized)),
            Token::Mode(mode) if self.modes.contains(&mode) => {}
            Token::Mode(mode) => self.modes.push(mode),
            Token::RsaPadding(word) => self.rsa_paddings.push(word),
            Token::Padding(word) => self.paddings.push(word),
            Token::Filler | Token::Key => self.named = named,
            Token::Letter(_) | Token::Unknown => self.is_unknown = true,
        }
    }

    /// Hash function, sizes and letters of the parameter set of a hash-based signature (FIPS 205, RFC 8391, RFC 8554): what
    /// is no such set, as MD5 there, is not read here.
    fn read_set(&mut self, token: Token, next: Option<&Token>) -> bool {
        let Some((at, letter, has_hash)) = &mut self.set else { return false };
        let part = &mut self.parts[*at].0;
        match token {
            Token::Family(family, name, _)
                if !*has_hash
                    && ["SHA-2", "SHAKE"].contains(&family.name.as_str())
                    && (name != "sha" || matches!(next, Some(Token::Number(192 | 256 | 512)))) =>
            {
                *has_hash = true;
            }
            Token::Family(..) => {
                self.set = None;
                return false;
            }
            Token::Letter(it @ ('m' | 'n' | 'h' | 'w')) if matches!(next, Some(Token::Number(_))) => {
                *letter = Some(it);
            }
            Token::Letter('s' | 'f') if part.size.is_some() => {}
            Token::Filler | Token::Key => {}
            Token::Number(number) => {
                let letter = letter.take();
                let all: &[u32] = match (part.family.name.as_str(), letter) {
                    ("SLH-DSA", _) if part.size.is_none_or(|own| own == number) => &part.family.sizes,
                    ("LMS" | "HSS", Some('m' | 'n')) => &[24, 32],
                    ("LMS" | "HSS", Some('h')) => &[5, 10, 15, 20, 25],
                    ("LMS" | "HSS", Some('w')) => &[1, 2, 4, 8],
                    ("LMS" | "HSS", None) => &[192, 256],
                    ("XMSS" | "XMSSMT", None) => &[2, 3, 4, 6, 8, 10, 12, 16, 20, 40, 60, 192, 256, 512],
                    _ => &[],
                };
                if !all.contains(&number) {
                    return false;
                }
                part.size = Some(number).filter(|it| part.family.sizes.contains(it));
            }
            _ => return false,
        }
        true
    }

    /// Whether a number is read: as a size, a tag, an output or a hash function.
    fn read_number(
        &mut self,
        number: u32,
        field: usize,
        (named, sized): (Option<usize>, Option<usize>),
    ) -> bool {
        // The prime of a curve is of 255 bits.
        let number = if number == 25519 { 255 } else { number };
        let has_mac = self.has(Use::Mac);
        if let Some(part) = sized.map(|at| &mut self.parts[at].0)
            && (part.family.name == "SHA-2" && part.size == Some(512) && [224, 256].contains(&number))
            && !has_mac
        {
            // SHA-512/256.
            part.size = Some(number);
            return true;
        }
        let is_of_rsa = ["oaep", "pss"].iter().any(|it| self.letters.contains(it));
        let is_hash = |part: &Part| part.family.does == [Use::Hash];
        let is_of_hash = is_of_rsa || self.parts.iter().any(|(it, _)| is_hash(it) && it.size == Some(number));
        let is_open = |(at, part): (usize, &Part)| {
            let is_named = named == Some(at) && is_stated(part.family, number) && !is_of_hash;
            let is_nothing = named == Some(at) && number == 0 && part.family.strength.is_some();
            part.size.is_none() && (is_size(part.family, number) || is_named || is_nothing)
        };
        let open = (0..self.parts.len()).rev().find(|at| is_open((*at, &self.parts[*at].0)));
        if let Some(at) = open {
            self.parts[at].0.size = Some(number);
            self.sized = named.filter(|named| *named == at);
            return true;
        }
        // It is said twice.
        if self.parts.iter().any(|(part, _)| part.size == Some(number)) {
            return true;
        }
        // Bits that CFB works on at once (SP 800-38A, section 6.3).
        if self.modes.last() == Some(&"CFB") && [1, 8, 64, 128].contains(&number) {
            return true;
        }
        let authenticates = self.modes.iter().any(|mode| MODES[..AUTHENTICATE].contains(mode));
        // Bits of a key, as `key:40` and behind what derives one; SP 800-131A allows none of under 112.
        let is_key = self.is_of_key || [Use::Kdf, Use::Password].iter().any(|does| self.has(*does));
        if is_key && number < 112 {
            return false;
        }
        let tag = match number {
            1..=512 if has_mac => Some(number),
            // TLS and IKE count octets behind modes.
            4 | 8 | 10 | 12..=16 if authenticates => Some(number * 8),
            24..=128 if authenticates => Some(number),
            _ => None,
        };
        if tag.is_some() && self.tag.is_none_or(|own| tag == Some(own)) {
            self.tag = tag;
            return true;
        }
        let is_output =
            |part: &Part| part.family.name == "SHAKE" && part.size.is_some_and(|own| number >= 2 * own);
        if self.parts.iter().any(|(part, _)| is_output(part)) {
            return true;
        }
        let sha2 = family("SHA-2");
        if is_of_rsa
            && sha2.sizes.contains(&number)
            && self.parts.iter().any(|(it, _)| it.family.name == "RSA")
        {
            // RSA-OAEP-256 of RFC 7518.
            self.parts.push((part(sha2, vec![Use::Hash], Some(number)), field));
            return true;
        }
        let is_first = self.parts.is_empty() && self.pending.is_none();
        self.pending = self.pending.or(Some(number).filter(|_| is_first));
        is_first
    }

    /// A family in its own field is one of the name, or the name says nothing. CycloneDX counts KMAC and SHAKE to SHA-3.
    pub(crate) fn contradict_family(&mut self) {
        let of_sha3 = self.parts.iter().any(|(it, _)| ["KMAC", "SHAKE"].contains(&it.family.name.as_str()));
        self.parts.retain(|(it, field)| !(of_sha3 && *field == 1 && it.family.name == "SHA-3"));
        let (of_name, of_field): (Vec<_>, Vec<_>) =
            self.parts.iter().filter(|(_, field)| *field < 2).partition(|(_, field)| *field == 0);
        let is_named = |one: &Part| {
            of_name.iter().any(|(it, _)| it.family == one.family || (is_on_curve(it) && is_on_curve(one)))
        };
        self.is_contradiction |= !of_name.is_empty() && !of_field.iter().all(|(one, _)| is_named(one));
    }

    /// Adds the hash functions among what it depends on, except those that post-quantum algorithms are made of.
    pub(crate) fn depend_on(&mut self, names: &[&str]) {
        let is_whole = |part: &Part| {
            part.family.strength.is_none()
                && !part.family.does.contains(&Use::Mac)
                && [Use::Signature, Use::KeyEstablishment].iter().any(|it| part.family.does.contains(it))
        };
        let is_made = self.parts.iter().any(|(part, _)| is_whole(part));
        if self.parts.is_empty() || self.parts.iter().all(|(part, _)| part.family.does == [Use::Hash]) {
            return;
        }
        for (one, _) in names.iter().flat_map(|name| Reading::of(&[name]).parts) {
            let of_standard = ["SHA-2", "SHA-3", "SHAKE"].contains(&one.family.name.as_str());
            let is_new = !self.parts.iter().any(|(it, _)| *it == one);
            if one.family.does == [Use::Hash] && is_new && !(is_made && of_standard) {
                self.parts.push((one, usize::MAX));
            }
        }
    }

    /// The parts, each once, with what they are for, and a marker of what is not known, contradictory or unstated.
    pub(crate) fn finish(mut self, primitive: Option<&str>) -> Vec<Part> {
        let has = |it: &&str| self.letters.contains(it);
        let is_suite =
            ["tlsrsawith", "tlsrsaexport", "tlsrsapsk", "sslrsawith", "sslrsaexport"].iter().any(has);
        let is_pkcs1 =
            is_suite || self.rsa_paddings.iter().any(|it| ["pkcs1v15", "pkcs1", "pkcs15"].contains(it));
        let is_transport = is_suite || ["oaep", "rsaes"].iter().any(has);
        let (is_ssh, is_group) = (has(&"sshrsa"), self.is_unknown && has(&"dhgroup"));
        let stated = primitive;
        let primitive = match is_transport {
            true => Some("kem"),
            false if has(&"rsassa") => Some("signature"),
            false => primitive,
        };
        let mut all = self.once();
        // As a signature of SSH it has SHA-1 (RFC 4253, section 6.6).
        if is_ssh && primitive == Some("signature") && all.len() == 1 {
            all.push(part(family("SHA-1"), vec![Use::Hash], None));
        }
        // Groups that are not known may be of anything.
        all.retain(|part| !(is_group && part.family.name == "DH"));
        if all.is_empty() {
            return if is_group { vec![marker("unknown")] } else { all };
        }
        one_curve(&mut all);
        self.check_paddings(&all);
        settle_uses(&mut all, self.modes.first().copied(), primitive);
        for part in &mut all {
            if part.family.name == "RSA" && is_pkcs1 {
                part.mode = Some("PKCS1");
            }
            if part.does == [Use::Aead] || part.does == [Use::Mac] {
                part.tag = self.tag;
            }
        }
        // Several modes contradict each other; each is judged.
        for mode in self.modes.iter().skip(1) {
            let other = |part: &Part| Part { mode: Some(mode), does: vec![Use::Cipher], ..part.clone() };
            let ciphers: Vec<Part> =
                all.iter().filter(|it| it.family.does == [Use::Cipher]).map(other).collect();
            all.extend(ciphers);
            self.is_contradiction = true;
        }
        self.is_contradiction |= combine(&mut all);
        let is_fit = suits(stated, &all);
        self.is_contradiction |= is_fit == Some(false) && !self.is_unknown;
        for (name, is) in [
            ("unknown", self.is_unknown || is_fit.is_none()),
            ("contradiction", self.is_contradiction),
            ("unstated", lacks_a_part(&all)),
        ] {
            all.extend(is.then(|| marker(name)));
        }
        all
    }

    /// The parts without those that say of another nothing more. Fields that give one thing two sizes contradict each other.
    fn once(&mut self) -> Vec<Part> {
        let parts = std::mem::take(&mut self.parts);
        let differ = |(one, at): &(Part, usize), (it, field): &(Part, usize)| {
            let is_same = one.family == it.family || (is_on_curve(one) && is_on_curve(it));
            at != field && is_same && one.size.is_some() && it.size.is_some() && one.size != it.size
        };
        self.is_contradiction |= parts.iter().any(|one| parts.iter().any(|other| differ(one, other)));
        let mut all: Vec<Part> = Vec::new();
        for (part, _) in parts {
            match all.iter_mut().find(|it| agree(it, &part) && it.family == part.family) {
                Some(own) => own.size = own.size.or(part.size),
                None => all.push(part),
            }
        }
        all
    }

    /// Paddings are of RSA or of a cipher, modes of a cipher; Java writes ECB also of RSA.
    fn check_paddings(&mut self, all: &[Part]) {
        let is_cipher = |part: &Part| part.family.does == [Use::Cipher];
        let has_rsa = all.iter().any(|part| part.family.name == "RSA");
        let has_cipher = all.iter().any(is_cipher);
        let is_des = all.iter().any(|part| part.family.name.ends_with("DES"));
        let is_stray = (!has_rsa && !self.rsa_paddings.is_empty())
            || (!has_cipher && !self.paddings.is_empty())
            || (!is_des && self.paddings.contains(&"ede"))
            || (!has_cipher && self.modes.iter().any(|mode| !(has_rsa && *mode == "ECB")));
        self.is_unknown |= is_stray;
    }
}

/// Whether a number may be a size of it. Small numbers behind a name of RSA are the hash function's.
fn is_size(family: &Family, number: u32) -> bool {
    match family.strength {
        Some(Strength::Modulus) => (768..=16384).contains(&number),
        _ => family.sizes.contains(&number),
    }
}

/// Whether a number behind its name is a size of it.
fn is_stated(family: &Family, number: u32) -> bool {
    !family.sizes.is_empty() && family.does != [Use::Protocol] && number >= 10
}
