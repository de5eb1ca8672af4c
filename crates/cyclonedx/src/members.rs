//! The members that CycloneDX 1.6 and 1.7 give an asset of each type, and what may be in them. An asset with another member,
//! or with one of another shape, is looked at: what is not read may forbid to keep it.

use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use serde_json::Value;

/// Why an asset cannot be kept whatever it is made of, in a word and for a person.
pub(crate) type Remark = (&'static str, String);

/// Names of members, with what is in each.
type Members = &'static [(&'static str, Shape)];

enum Shape {
    Text,
    /// One of these.
    Word(&'static str),
    /// A list of texts.
    Texts,
    /// A list of some of these.
    Words(&'static str),
    /// A whole number from 0 on.
    Whole,
    /// `active`; all other states forbid.
    Active,
    /// A list of objects whose state is `active`: one of nobody else's states, or of a name of its own, is known.
    States,
    /// When something begins: not in the future.
    Begin,
    /// When something ends: not in the past.
    End,
    /// When it was revoked, which no date makes right.
    Revoked,
    Object(Members),
    Objects(Members),
    /// A list of references or objects.
    Named(Members),
    Any,
}

use Shape::{
    Active, Any, Begin, End, Named, Object, Objects, Revoked, States, Text, Texts, Whole, Word, Words,
};

/// The members of `cryptoProperties` by `assetType`.
const ASSETS: [(&str, Members); 4] = [
    (
        "algorithm",
        &[
            ("algorithmProperties", Object(ALGORITHM)),
            // The form from before CycloneDX 1.6 has the levels here.
            ("classicalSecurityLevel nistQuantumSecurityLevel", Whole),
        ],
    ),
    ("certificate", &[("certificateProperties", Object(CERTIFICATE))]),
    ("protocol", &[("protocolProperties", Object(PROTOCOL))]),
    ("related-crypto-material", &[("relatedCryptoMaterialProperties", Object(MATERIAL))]),
];

const ALL: Members = &[
    ("assetType oid", Text),
    // Where the form from before CycloneDX 1.6 found it, and with what.
    ("detectionContext scanner confidenceLevels", Any),
];

const ALGORITHM: Members = &[
    ("primitive algorithmFamily parameterSetIdentifier curve ellipticCurve mode padding variant", Text),
    ("classicalSecurityLevel nistQuantumSecurityLevel", Whole),
    (
        "cryptoFunctions",
        Words(
            "generate keygen encrypt decrypt digest tag keyderive sign verify encapsulate decapsulate other unknown",
        ),
    ),
    // Where it runs and who certified that: the algorithm is the same.
    ("executionEnvironment implementationPlatform implementationLevel certificationLevel", Any),
];

const CERTIFICATE: Members = &[
    ("signatureAlgorithmRef subjectPublicKeyRef", Text),
    ("relatedCryptographicAssets", RELATED),
    ("certificateState", States),
    ("creationDate activationDate notValidBefore", Begin),
    ("deactivationDate destructionDate notValidAfter", End),
    ("revocationDate", Revoked),
    // Whose it is and how it is stored; what a fingerprint is made with protects nothing.
    (
        "serialNumber subjectName issuerName certificateFormat certificateExtension certificateFileExtension",
        Text,
    ),
    ("certificateExtensions fingerprint", Any),
];

const MATERIAL: Members = &[
    (
        "type",
        Word(
            "private-key public-key secret-key key ciphertext signature digest initialization-vector nonce seed salt \
             shared-secret tag additional-data password credential token other unknown",
        ),
    ),
    ("algorithmRef format", Text),
    ("securedBy", Object(&[("mechanism algorithmRef", Text)])),
    ("size", Whole),
    ("relatedCryptographicAssets", RELATED),
    ("state", Active),
    ("creationDate activationDate updateDate", Begin),
    ("expirationDate", End),
    // Which one it is.
    ("id value", Text),
    ("fingerprint", Any),
];

const PROTOCOL: Members = &[
    ("type version", Text),
    (
        "cipherSuites",
        Objects(&[("name", Text), ("algorithms identifiers tlsGroups tlsSignatureSchemes", Texts)]),
    ),
    ("cryptoRefArray", Texts),
    ("relatedCryptographicAssets", RELATED),
    (
        "ikev2TransformTypes",
        Object(&[
            ("encr prf integ ke auth", Named(&[("name algorithm", Text), ("keyLength group", Whole)])),
            // How long numbers of packets are.
            ("esn", Any),
        ]),
    ),
];

const RELATED: Shape = Objects(&[("type ref", Text)]);

/// What the members of `cryptoProperties` say against keeping an asset.
pub(crate) fn remarks(crypto: &Value) -> Vec<Remark> {
    let mut all = Vec::new();
    let kind = crypto["assetType"].as_str().unwrap_or_default();
    match ASSETS.iter().find(|(name, _)| *name == kind) {
        Some((_, own)) => check(crypto, "cryptoProperties", &[ALL, own], &mut all),
        None => all.push(("unknown", "its assetType is none of CycloneDX".to_owned())),
    }
    all
}

fn check(of: &Value, at: &str, known: &[Members], all: &mut Vec<Remark>) {
    let Some(object) = of.as_object() else { return all.push(misshapen(at)) };
    // Many tools write null, or an empty object, for what they do not know.
    let is_empty = |value: &Value| value.is_null() || value.as_object().is_some_and(|it| it.is_empty());
    for (name, value) in object.iter().filter(|(_, value)| !is_empty(value)) {
        let has = |names: &str| names.split_whitespace().any(|it| it == name);
        match known.iter().copied().flatten().find(|(names, _)| has(names)) {
            Some((_, shape)) => shape.check(value, name, all),
            None => all.push(("unknown", format!("nothing reads its {name}"))),
        }
    }
}

fn misshapen(name: &str) -> Remark {
    ("unknown", format!("its {name} is not as CycloneDX writes it"))
}

impl Shape {
    fn check(&self, value: &Value, name: &str, all: &mut Vec<Remark>) {
        let is_one = |of: &Value, words: &str| {
            of.as_str().is_some_and(|of| words.split_whitespace().any(|it| it == of))
        };
        let is_each = |fits: &dyn Fn(&Value) -> bool| value.as_array().is_some_and(|it| it.iter().all(fits));
        let fits = match self {
            Any => true,
            Text => value.is_string(),
            Whole => value.is_u64(),
            Word(words) => is_one(value, words),
            Texts => is_each(&Value::is_string),
            Words(words) => is_each(&|it| is_one(it, words)),
            Objects(_) => is_each(&Value::is_object),
            Named(_) => is_each(&|it| it.is_string() || it.is_object()),
            Object(_) => value.is_object(),
            States => {
                let states = value.as_array().into_iter().flatten();
                let other = states.map(|it| &it["state"]).find(|it| *it != "active");
                all.extend(other.map(|it| ("state", format!("its {name} is {it}"))));
                value.is_array()
            }
            Active | Begin | End | Revoked => {
                all.extend(self.state(value, name));
                return;
            }
        };
        all.extend((!fits).then(|| misshapen(name)));
        match self {
            Object(members) if fits => check(value, name, &[members], all),
            Objects(members) | Named(members) => {
                let objects = value.as_array().into_iter().flatten().filter(|it| it.is_object());
                objects.for_each(|it| check(it, name, &[members], all));
            }
            _ => {}
        }
    }

    /// What a state or a date forbids.
    fn state(&self, value: &Value, name: &str) -> Option<Remark> {
        let now = Offset::UTC.to_datetime(jiff::Timestamp::now());
        let says = match (self, moment(value, matches!(self, End))) {
            (Active, _) if value == "active" => return None,
            (Active, _) => format!("its {name} is {value}"),
            (Revoked, _) => "it is revoked".to_owned(),
            (_, None) => format!("its {name} is not a date"),
            (Begin, Some(it)) if it > now => format!("its {name} is in the future"),
            (End, Some(it)) if it <= now => format!("its {name} is over"),
            _ => return None,
        };
        Some(("state", says))
    }
}

/// A moment in UTC, which is also meant where no offset is stated. A day is over when it ends.
fn moment(value: &Value, is_end: bool) -> Option<DateTime> {
    let text = value.as_str().filter(|it| !it.contains('['))?;
    let pieces = Pieces::parse(text).ok()?;
    let date = pieces.date();
    let at = match pieces.time() {
        Some(time) => date.to_datetime(time),
        None if is_end => date.at(23, 59, 59, 0),
        None => date.at(0, 0, 0, 0),
    };
    let offset = pieces.to_numeric_offset().map_or(0, Offset::seconds);
    Some(at.saturating_sub(SignedDuration::from_secs(offset.into())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Every member of every table, with a value of another shape and below a name that is none.
    #[test]
    fn every_member_is_read_or_said() {
        assert_eq!([json!({}), json!([]), json!({"assetType": "x"})].map(|it| remarks(&it).len()), [1; 3]);
        for (kind, own) in ASSETS {
            let (names, shape) = &own[0];
            let Object(members) = shape else { panic!("{names}") };
            assert_eq!(remarks(&json!({"assetType": kind, *names: {}, "oid": null})), []);
            assert_eq!(remarks(&json!({"assetType": kind, *names: {}, "keySize": 40})).len(), 1);
            for (other, _) in ASSETS.iter().filter(|(other, _)| *other != kind) {
                let field = ASSETS.iter().find(|(name, _)| name == other).map(|(_, it)| it[0].0);
                let mixed = json!({"assetType": kind, field.expect("its field"): {"x": 1}});
                assert_eq!(remarks(&mixed).len(), 1, "{mixed}");
            }
            for (name, shape) in
                members.iter().flat_map(|(names, it)| names.split(' ').map(move |name| (name, it)))
            {
                for value in [json!(-1), json!(1.5), json!({"x": 1}), json!(["x", [1]]), json!("\u{7}")] {
                    let is_any = matches!(shape, Any) || (matches!(shape, Text) && value.is_string());
                    let of = json!({"assetType": kind, *names: {name: value}});
                    let found = remarks(&of);
                    assert_eq!(found.is_empty(), is_any, "{of}: {found:?}");
                    assert!(
                        found.iter().all(|(_, why)| why.contains("x")
                            || why.contains(name)
                            || name == "revocationDate"),
                        "{found:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn moments_are_compared_with_the_present() {
        let now = jiff::Timestamp::now();
        let shift = |seconds: i64| (now + SignedDuration::from_secs(seconds)).to_string();
        let offset = |seconds: i64, offset: &str| {
            let hours: i64 = offset[..3].parse().expect("hours");
            shift(seconds + 3600 * hours).replace('Z', offset)
        };
        for (at, is_past) in [
            (shift(-60), Some(true)),
            (shift(60), Some(false)),
            (offset(-60, "+14:00"), Some(true)),
            (offset(60, "-12:00"), Some(false)),
            ("2020-01-01".into(), Some(true)),
            ("2020-01-01T00:00:00".into(), Some(true)),
            ("9999-12-31T23:59:59Z".into(), Some(false)),
            ("2020-02-30".into(), None),
            ("12020-01-01T00:00:00Z".into(), None),
            ("never".into(), None),
            (String::new(), None),
        ] {
            let says = |shape: Shape| shape.state(&json!(at), "date").is_some();
            assert_eq!(says(End), is_past != Some(false), "{at}");
            assert_eq!(says(Begin), is_past != Some(true), "{at}");
        }
        let today = now.to_string()[..10].to_owned();
        assert!(End.state(&json!(today), "date").is_none() && Begin.state(&json!(today), "date").is_none());
    }
}
