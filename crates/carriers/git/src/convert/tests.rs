//! The cases that real repositories have, with IDs made up: a SHA-1 ID is 40 times a digit, its SHA-256 ID 64 times.

use super::{Converter, Names, Refusal, UnknownHeaders, for_each_reference};
use crate::{Format, ObjectId, ObjectType, test_hashes};

fn sha1() -> Format {
    Format { name: "sha1".into(), hash: test_hashes::sha1() }
}

fn sha256() -> Format {
    Format { name: "sha256".into(), hash: test_hashes::sha256() }
}

/// Knows every ID that repeats one byte; `ff` is unknown, and every submodule is.
struct Repeated {
    new_len: usize,
    submodules: bool,
}

impl Names for Repeated {
    fn object(&self, old: &[u8]) -> Option<ObjectId> {
        let first = *old.first()?;
        let known = first != 0xff && old.iter().all(|&byte| byte == first);
        known.then(|| ObjectId::from_bytes(&vec![first; self.new_len])).flatten()
    }

    fn submodule(&self, old: &[u8]) -> Option<ObjectId> {
        self.submodules.then(|| self.object(old)).flatten()
    }
}

const TO_SHA256: Repeated = Repeated { new_len: 32, submodules: true };
const TO_SHA1: Repeated = Repeated { new_len: 20, submodules: true };

fn converter() -> Converter {
    Converter::new(&sha1(), &sha256(), UnknownHeaders::Refuse)
}

fn convert(kind: ObjectType, old: &[u8]) -> Result<Vec<u8>, Refusal> {
    let mut new = Vec::new();
    converter().convert(kind, old, &TO_SHA256, &mut new).map(|()| new)
}

fn back(kind: ObjectType, new: &[u8]) -> Vec<u8> {
    let mut old = Vec::new();
    converter().inverse().convert(kind, new, &TO_SHA1, &mut old).expect("it converts back");
    old
}

/// `{1}` stands for an ID of ones in the format at hand.
fn with_ids(text: &str, id_len: usize) -> Vec<u8> {
    ["1", "2", "3"]
        .into_iter()
        .fold(text.to_owned(), |text, digit| text.replace(&format!("{{{digit}}}"), &digit.repeat(2 * id_len)))
        .into_bytes()
}

#[track_caller]
fn converts(kind: ObjectType, old: &str, new: &str) {
    let (old, new) = (with_ids(old, 20), with_ids(new, 32));
    let converted = convert(kind, &old).expect("it converts");
    assert_eq!(String::from_utf8_lossy(&converted), String::from_utf8_lossy(&new));
    assert_eq!(converted, new);
    let back = back(kind, &new);
    assert_eq!(String::from_utf8_lossy(&back), String::from_utf8_lossy(&old));
    assert_eq!(back, old);
}

const PEOPLE: &str =
    "author A <a@example.org> 1700000000 +0100\ncommitter C <c@example.org> 1700000001 -0330\n";
const PGP: &str = "-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n";
const SSH: &str = "-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n";

/// A header of several lines.
fn folded(header: &str, text: &str) -> String {
    format!("{header} {}\n", text.trim_end().replace('\n', "\n "))
}

#[track_caller]
fn commit_keeps(headers: &str, message: &str) {
    let commit = format!("tree {{1}}\nparent {{2}}\nparent {{3}}\n{PEOPLE}{headers}{message}");
    converts(ObjectType::Commit, &commit, &commit);
}

#[test]
fn a_commit_keeps_everything_but_ids() {
    commit_keeps("", "\nA message\n");
    commit_keeps("", "\nNo newline at the end");
    commit_keeps("", "\nCRLF\r\nlines\r\n");
    commit_keeps("", "\nzero \0 byte; tree 1111111111111111111111111111111111111111\n\n\n");
    commit_keeps("", "\n");
    commit_keeps("", "");
    commit_keeps("encoding ISO-8859-1\n", "\nText\n");
}

#[test]
fn a_commit_keeps_signatures_over_both_forms() {
    commit_keeps(&folded("gpgsig", PGP), "\nSigned\n");
    commit_keeps(&folded("gpgsig-sha256", PGP), "\nSigned\n");
    commit_keeps(&(folded("gpgsig", PGP) + &folded("gpgsig-sha256", SSH)), "\nSigned twice\n");
}

#[test]
fn a_header_that_might_name_an_object_is_refused_by_name() {
    let commit = with_ids(&format!("tree {{1}}\n{PEOPLE}jj:trees x\n more\n\nMessage\n"), 20);
    let refusal = convert(ObjectType::Commit, &commit).unwrap_err();
    assert_eq!(refusal, Refusal::UnknownHeader { headers: vec!["jj:trees".into()] });

    // All of them, each once, and before what else hinders: who keeps one is not to come upon the next.
    let unknown = "f".repeat(40);
    let all = format!(
        "tree {{1}}\nparent {unknown}\n{PEOPLE}predecessor x\njj:trees x\npredecessor y\n\nMessage\n"
    );
    let refusal = convert(ObjectType::Commit, &with_ids(&all, 20)).unwrap_err();
    assert_eq!(refusal, Refusal::UnknownHeader { headers: vec!["predecessor".into(), "jj:trees".into()] });
    assert!(refusal.to_string().contains(r#"["predecessor", "jj:trees"]"#), "{refusal}");

    for kept in [UnknownHeaders::Keep, UnknownHeaders::KeepOnly(&["jj:trees"])] {
        let keeping = Converter::new(&sha1(), &sha256(), kept);
        let mut new = Vec::new();
        keeping.convert(ObjectType::Commit, &commit, &TO_SHA256, &mut new).expect("it is kept");
        assert!(new.ends_with(b"\njj:trees x\n more\n\nMessage\n"));
    }
    let keeping_another = Converter::new(&sha1(), &sha256(), UnknownHeaders::KeepOnly(&["jj:tree"]));
    assert!(keeping_another.convert(ObjectType::Commit, &commit, &TO_SHA256, &mut Vec::new()).is_err());
}

#[test]
fn headers_that_are_known_to_name_no_object_are_kept() {
    for header in
        ["change-id zzz", "gitbutler-conflicted 2", "HG:rename-source hg\n more", "jj:conflict-labels a\n b"]
    {
        let commit = with_ids(&format!("tree {{1}}\n{PEOPLE}{header}\n\nMessage\n"), 20);
        let new = convert(ObjectType::Commit, &commit).expect("it is kept");
        assert!(new.ends_with(format!("\n{header}\n\nMessage\n").as_bytes()), "{header}");
    }
    // The whole name counts.
    let commit = with_ids(&format!("tree {{1}}\n{PEOPLE}change-idea zzz\n\nMessage\n"), 20);
    assert!(convert(ObjectType::Commit, &commit).is_err());
}

#[test]
fn a_commit_without_what_git_needs_is_refused() {
    let refused = |text: &str| convert(ObjectType::Commit, &with_ids(text, 20)).unwrap_err();
    assert!(matches!(refused("tree 1111\n\n"), Refusal::Malformed { offset: 0, .. }));
    assert!(matches!(refused("tree {1}"), Refusal::Malformed { offset: 0, .. }));
    assert!(matches!(refused("tree {1}\nparent \n\n"), Refusal::UnknownHeader { .. }));
    assert!(matches!(refused("tree {1}\ngpgsig x\n y"), Refusal::Malformed { offset: 46, .. }));
    let unknown = "f".repeat(40);
    let refusal = refused(&format!("tree {{1}}\nparent {unknown}\n\n"));
    assert_eq!(
        refusal,
        Refusal::Unmapped { role: "parent".into(), id: unknown.parse().expect("an ID of 20 bytes") }
    );
}

const TAG: &str = "type commit\ntag v1\ntagger T <t@example.org> 1700000000 +0000\n";

#[test]
fn a_tag_exchanges_its_signatures() {
    let head = format!("object {{1}}\n{TAG}");
    let (pgp_header, ssh_header) = (folded("gpgsig", PGP), folded("gpgsig-sha256", SSH));
    let converts = |old: &str, new: &str| {
        converts(ObjectType::Tag, &format!("{head}{old}"), &format!("{head}{new}"));
    };
    converts("\nUnsigned\n", "\nUnsigned\n");
    converts("", "");
    converts(&format!("\nSigned\n{PGP}"), &format!("{pgp_header}\nSigned\n"));
    converts(&format!("{ssh_header}\nFor SHA-256\n"), &format!("\nFor SHA-256\n{SSH}"));
    converts(&format!("{ssh_header}\nBoth\n{PGP}"), &format!("{pgp_header}\nBoth\n{SSH}"));
    converts(&format!("\n{PGP}"), &format!("{pgp_header}\n"));
}

/// Of two that look like signatures only the last is one. Git's rules do not lead back from here: what is quoted
/// stands at the end then and looks like a signature over the new form.
#[test]
fn a_quoted_signature_stays_in_the_message() {
    let head = format!("object {{1}}\n{TAG}");
    let new = convert(ObjectType::Tag, &with_ids(&format!("{head}\nQuoted:\n{SSH}{PGP}"), 20));
    let pgp_header = folded("gpgsig", PGP);
    assert_eq!(new, Ok(with_ids(&format!("{head}{pgp_header}\nQuoted:\n{SSH}"), 32)));
}

#[test]
fn a_tag_whose_conversion_would_lose_something_is_refused() {
    let tag = format!("object {{1}}\n{TAG}gpgsig x\n\nMessage\n");
    let refusal = convert(ObjectType::Tag, &with_ids(&tag, 20)).unwrap_err();
    assert_eq!(refusal, Refusal::OwnSignatureInHeader { header: "gpgsig".into() });
    let tag = format!("object {{1}}\n{TAG}\nMessage\n-----BEGIN PGP SIGNATURE-----\n\0\n");
    assert!(matches!(convert(ObjectType::Tag, &with_ids(&tag, 20)), Err(Refusal::Lossy { .. })));
    assert!(matches!(convert(ObjectType::Tag, b"object 11\n"), Err(Refusal::Malformed { offset: 0, .. })));
}

#[test]
fn an_embedded_tag_is_converted_with_its_signature() {
    let commit =
        |tag: &str| format!("tree {{1}}\nparent {{2}}\n{PEOPLE}{}\nMerge\n", folded("mergetag", tag));
    let pgp_header = folded("gpgsig", PGP);
    converts(
        ObjectType::Commit,
        &commit(&format!("object {{2}}\n{TAG}\nSigned\n{PGP}")),
        &commit(&format!("object {{2}}\n{TAG}{pgp_header}\nSigned")),
    );
}

fn tree(entries: &[(&str, u8)], id_len: usize) -> Vec<u8> {
    entries.iter().flat_map(|(head, byte)| [head.as_bytes(), b"\0", &vec![*byte; id_len]].concat()).collect()
}

#[test]
fn a_tree_keeps_modes_as_they_are() {
    let entries = [("100664 a", 1), ("100644 b\n", 2), ("040000 c", 3), ("40000 d", 3), ("160000 e", 4)];
    assert_eq!(convert(ObjectType::Tree, &tree(&entries, 20)), Ok(tree(&entries, 32)));
    assert_eq!(convert(ObjectType::Tree, b""), Ok(vec![]));
}

#[test]
fn a_submodule_without_a_map_is_named() {
    let names = Repeated { new_len: 32, submodules: false };
    let refusal = converter()
        .convert(ObjectType::Tree, &tree(&[("160000 lib", 0x11)], 20), &names, &mut Vec::new())
        .unwrap_err();
    assert_eq!(
        refusal,
        Refusal::Submodule { path: "lib".into(), id: "11".repeat(20).parse().expect("an ID of 20 bytes") }
    );
}

#[test]
fn a_malformed_tree_is_refused_where_it_is() {
    for bad in [&b"100644 \0"[..], b"1006x4 a\0", b" a\0", b"100644a\0", b"100644 a", b"100644 a\0short"] {
        let old = [tree(&[("100644 good", 1)], 20), bad.to_vec()].concat();
        assert!(
            matches!(convert(ObjectType::Tree, &old), Err(Refusal::Malformed { offset: 32, .. })),
            "{bad:?}"
        );
    }
}

#[test]
fn references_are_what_a_conversion_looks_up() {
    let found = |kind, content: &[u8]| {
        let mut found = Vec::new();
        for_each_reference(kind, content, 20, &mut |id| found.push(id[0]));
        found
    };
    let commit = with_ids(
        &format!("tree {{1}}\nparent {{2}}\n{PEOPLE}mergetag object {{3}}\n type commit\n\ntree {{3}}\n"),
        20,
    );
    assert_eq!(found(ObjectType::Commit, &commit), [0x11, 0x22, 0x33]);
    assert_eq!(found(ObjectType::Tree, &tree(&[("100644 a", 7), ("160000 s", 8)], 20)), [7]);
    assert_eq!(found(ObjectType::Tag, &with_ids("object {2}\n", 20)), [0x22]);
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn name() -> impl Strategy<Value = String> {
        "[a-z \n]{1,12}"
    }

    proptest! {
        #[test]
        fn trees_come_back(entries in prop::collection::vec(("[0-7]{1,7}", name(), 0u8..=254), 0..40)) {
            let entries: Vec<_> = entries.iter().map(|(mode, name, id)| (format!("{mode} {name}"), *id)).collect();
            let entries: Vec<_> = entries.iter().map(|(head, id)| (head.as_str(), *id)).collect();
            let new = convert(ObjectType::Tree, &tree(&entries, 20)).expect("it converts");
            prop_assert_eq!(&new, &tree(&entries, 32));
            prop_assert_eq!(back(ObjectType::Tree, &new), tree(&entries, 20));
        }

        #[test]
        fn commits_and_tags_come_back(
            parents in 0usize..4,
            signed in any::<bool>(),
            message in "(\n[ -~\n\0]{0,200})?",
        ) {
            let signature = if signed { PGP } else { "" };
            let message = format!("{message}\n{signature}");
            let body = if message.starts_with('\n') { message } else { format!("\n{message}") };
            let parents = "parent {2}\n".repeat(parents);
            let commit = with_ids(&format!("tree {{1}}\n{parents}{PEOPLE}{body}"), 20);
            let tag = with_ids(&format!("object {{1}}\n{TAG}{body}"), 20);
            for (kind, old) in [(ObjectType::Commit, commit), (ObjectType::Tag, tag)] {
                let new = convert(kind, &old).expect("it converts");
                prop_assert_eq!(back(kind, &new), old);
            }
        }

        #[test]
        fn anything_is_answered(content in prop::collection::vec(any::<u8>(), 0..200), begin in 0usize..6) {
            let begins = ["", "tree ", "object ", "100644 a\0", "tree 1111111111111111111111111111111111111111\nmergetag ",
                "object 1111111111111111111111111111111111111111\ngpgsig-sha256 "];
            let content = [begins[begin].as_bytes(), &content].concat();
            for kind in ObjectType::ALL {
                let _ = convert(kind, &content);
                for_each_reference(kind, &content, 20, &mut |_| {});
            }
        }
    }
}

#[test]
fn every_harmless_header_has_its_source_in_the_documentation() {
    let documentation = include_str!("../../../../../docs/git.md");
    for name in super::commit::HARMLESS {
        let named = |line: &str| line.starts_with('|') && line.contains(&format!("`{name}`"));
        assert!(documentation.lines().any(named), "{name}");
    }
}
