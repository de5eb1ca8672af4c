//! Whole configurations, on fixed randomness and time.

use std::io::Write;

use anyhow::{Context, Result};
use clap::Parser;
use fieldtest_catalog::mac;
use fieldtest_tcp_ao::message::Coverage;
use fieldtest_tcp_ao::verify::KeySpec;

use super::*;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    chain: KeyChain,
}

fn parse(typed: &str) -> Result<KeyChain> {
    Ok(Typed::try_parse_from(["keys"].into_iter().chain(typed.split_whitespace()))?.chain)
}

/// A chain at noon of 1 January 2027, whose keys are 00 01 02 …, 01 02 03 … and so on.
fn fixed(args: &KeyChain) -> Result<(Chain<'static>, &'static Facts)> {
    let mut first = 0;
    chain(args, "2027-01-01T12:00:00.25Z".parse()?, &mut |bytes| {
        bytes.iter_mut().zip(first..).for_each(|(byte, value)| *byte = value);
        first += 1;
        Ok(())
    })
}

fn written(typed: &str) -> Result<(String, Vec<String>)> {
    let args = parse(typed)?;
    let (chain, facts) = fixed(&args)?;
    let (text, warnings) = write(&chain, args.system, facts)?;
    Ok((text.to_string(), warnings))
}

fn error(typed: &str) -> String {
    written(typed).err().map(|error| error.to_string()).unwrap_or_default()
}

const FIRST: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

#[test]
fn keys_of_every_algorithm_are_read_back() -> Result<()> {
    let algorithms = mac::all().iter().map(|algorithm| algorithm.facts);
    for facts in algorithms.filter(|facts| !facts.kind.is_tcp_md5()) {
        let typed = format!("-a {} --first-id 254 -n 2 --peer 2001:db8::1 --exclude-options", facts.name);
        let (chain, _) = fixed(&parse(&typed)?)?;
        let (text, _) = write(&chain, System::Fieldtest, facts)?;
        assert_eq!(lines(&text).count(), 2);
        for (line, key) in lines(&text).zip(&chain.keys) {
            let spec: KeySpec = line.parse()?;
            assert_eq!((spec.id, &spec.algorithm, spec.mac_len), (key.id, &facts.name, None));
            assert_eq!(spec.master_key, key.secret);
            assert_eq!(spec.coverage, Coverage::AoOnly);
            assert_eq!(spec.prefixes, ["2001:db8::1".parse()?]);
        }
    }
    Ok(())
}

/// The catalog lists a system wherever its configuration can be written.
#[test]
fn a_system_is_among_those_that_implement_the_algorithm() {
    let systems = [("bird", "BIRD", " --mac-length 12"), ("gobgp", "GoBGP", ""), ("linux", "Linux", "")];
    for facts in mac::all().iter().map(|algorithm| algorithm.facts).filter(|it| !it.kind.is_tcp_md5()) {
        for (system, name, more) in systems {
            let is_written = written(&format!("-n 1 -a {} --for {system}{more}", facts.name)).is_ok();
            let is_listed = facts.kind.implemented_by.contains_key(name);
            assert!(!is_written || is_listed, "{} for {system}", facts.name);
        }
    }
}

#[test]
fn the_gateway_reads_its_keys() -> Result<()> {
    let (text, warnings) = written("--for gateway --mac-length 16 --peer 192.0.2.7")?;
    assert!(warnings.is_empty());
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(text.as_bytes())?;
    let set = super::super::gateway::keys::read(file.path(), None)?;
    let ids: Vec<_> = set.iter().map(|mkt| (mkt.send_id(), mkt.receive_id())).collect();
    assert_eq!(ids, [(1, 1), (2, 2), (3, 3)]);
    let first = set.iter().next().context("no key")?;
    assert_eq!((first.mac_len(), first.master_key().len()), (16, 32));
    assert_eq!(first.remote(), Some("192.0.2.7".parse()?));
    Ok(())
}

#[test]
fn lines_say_when_a_key_is_used() -> Result<()> {
    let (text, _) = written("-n 1 --lifetime 30 --overlap 2")?;
    let times = "# sent from 2027-01-01T12:00:00Z until 2027-01-31T12:00:00Z, \
                 accepted from 2026-12-30T12:00:00Z until 2027-02-02T12:00:00Z";
    assert!(text.contains(times), "{text}");
    assert!(text.ends_with(&format!("\n1:aes-128-cmac-96:{FIRST}\n")), "{text}");
    Ok(())
}

#[test]
fn bird_has_keys_with_preferences() -> Result<()> {
    let (text, warnings) = written("--for bird -n 2 --first-id 9 --peer 192.0.2.7")?;
    assert!(warnings.is_empty());
    let second = "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20";
    let expected = [
        "authentication ao;".to_owned(),
        "keys {".to_owned(),
        "key {".to_owned(),
        "id 9;".to_owned(),
        format!("secret hex:{FIRST};"),
        "algorithm cmac aes128;".to_owned(),
        "preferred;".to_owned(),
        "};".to_owned(),
        "key {".to_owned(),
        "id 10;".to_owned(),
        format!("secret hex:{second};"),
        "algorithm cmac aes128;".to_owned(),
        "};".to_owned(),
        "};".to_owned(),
    ];
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines, expected);
    Ok(())
}

#[test]
fn what_breaks_is_said() -> Result<()> {
    let (_, warnings) = written("--for bird -a hmac-sha512-128")?;
    assert!(warnings.iter().any(|w| w.contains("7.2") && w.contains("hmac(sha512)")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("--mac-length 12")), "{warnings:?}");
    assert!(written("--for linux -a hmac-sha256-linux")?.1.is_empty());
    assert!(written("-a gmac-aes-128")?.1.iter().any(|w| w.contains("nonce")));
    assert!(written("--for rfc8177 -a hmac-sha256-128 --exclude-options")?.1.len() == 2);
    Ok(())
}

#[test]
fn what_a_system_does_not_have_is_refused() {
    for (typed, part) in [
        ("--for linux -a kmac256-128", "it supports aes-128-cmac-96"),
        ("--for bird -a hmac-sha3-256-128", "BIRD does not support hmac-sha3-256-128"),
        ("--for gobgp -a hmac-sha512-128", "GoBGP does not support"),
        ("--for rfc8177 -a blake3-128", "RFC 8177 does not support"),
        ("--for bird --exclude-options", "always cover"),
        ("--for bird --mac-length 16", "12 bytes only"),
        ("--for gobgp --mac-length 16", "with MACs of 12 bytes only"),
        ("--for linux --key-bytes 81", "80 bytes"),
        ("--for linux -a hmac-sha1-96 --mac-length 20", "more than 16 bytes"),
        ("-a hmac-md5-96 --mac-length 16", " 1 to 12"),
        ("-a aes-128-cmac-96 --mac-length 17", " 1 to 16"),
        ("-a hmac-sha256-128 --key-bytes 16", "master key"),
        ("-a tcp-md5", "fieldtest list mac"),
        ("-a aes-128-cmac", "aes-128-cmac-96"),
        ("--first-id 254", "255"),
        ("--start tomorrow", "2026-12-31T23:59:59Z"),
        ("--name a\"b", "a\"b"),
    ] {
        let error = error(typed);
        assert!(error.contains(part), "{typed}: {error}");
    }
}

#[test]
fn bird_takes_what_its_grammar_has_and_linux_what_it_ever_had() {
    let all = mac::all().iter().map(|algorithm| algorithm.facts);
    let known: Vec<&str> =
        all.filter(|it| it.kind.tcp_ao.linux.is_some()).map(|it| it.name.as_str()).collect();
    for (system, missing) in [("linux", &[][..]), ("bird", &["hmac-sha224-128", "hmac-sha3-256-128"][..])] {
        let refused = known.iter().filter(|name| written(&format!("--for {system} -a {name}")).is_err());
        let mut refused: Vec<_> = refused.copied().collect();
        refused.sort_unstable();
        assert_eq!(refused, missing, "{system}");
    }
}

#[test]
fn gobgp_takes_the_keys_in_base64() -> Result<()> {
    let (text, _) = written("--for gobgp -n 1 -a hmac-sha256-linux --exclude-options --name fabric")?;
    let keychain = "[[keychains]]
  [keychains.config]
    name = \"fabric\"
";
    let key = "  [[keychains.keys]]
    [keychains.keys.config]
      key-id = 1
      receive-id = 1
      crypto-algorithm = \"hmac_sha_256_128\"
      secret-key = \"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\"
      exclude-tcp-options = true
";
    assert!(text.contains(keychain) && text.ends_with(key), "{text}");
    assert!(written("--for gobgp -a hmac-sha256-linux --mac-length 12")?.0.contains("\"hmac_sha_256_96\""));
    Ok(())
}

#[test]
fn linux_has_one_initialiser_for_each_key() -> Result<()> {
    let (text, _) = written("--for linux -n 2 --peer 2001:db8::7 --exclude-options")?;
    for (part, times) in [
        (".alg_name = \"cmac(aes128)\"", 2),
        (".set_current = 1", 1),
        (".prefix = 128", 2),
        (".maclen = 12", 2),
        (".keyflags = TCP_AO_KEYF_EXCLUDE_OPT", 2),
        (".keylen = 32", 2),
        (".sndid = 2", 1),
        (".rcvid = 2", 1),
        ("inet_pton(AF_INET6, \"2001:db8::7\"", 1),
        ("0x1f,\n", 1),
    ] {
        assert_eq!(text.matches(part).count(), times, "{part} in {text}");
    }
    Ok(())
}

#[test]
fn rfc8177_is_json_of_its_model() -> Result<()> {
    let (text, warnings) = written("--for rfc8177 -n 1 --key-bytes 16")?;
    assert!(warnings.is_empty());
    let json: serde_json::Value = serde_json::from_str(&text)?;
    let chain = &json["ietf-key-chain:key-chains"]["key-chain"][0];
    assert_eq!(chain["name"], "tcp-ao");
    let expected = serde_json::json!({
        "key-id": "1",
        "lifetime": {
            "send-lifetime": {
                "start-date-time": "2027-01-01T12:00:00Z",
                "end-date-time": "2027-04-01T12:00:00Z",
            },
            "accept-lifetime": {
                "start-date-time": "2026-12-31T12:00:00Z",
                "end-date-time": "2027-04-02T12:00:00Z",
            },
        },
        "crypto-algorithm": "ietf-key-chain:aes-cmac-prf-128",
        "key-string": { "hexadecimal-string": "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f" },
    });
    assert_eq!(chain["key"], serde_json::json!([expected]));
    Ok(())
}

#[test]
fn the_text_never_grows() -> Result<()> {
    for (system, name) in [
        (System::Fieldtest, "fieldtest"),
        (System::Gateway, "gateway"),
        (System::Linux, "linux"),
        (System::Bird, "bird"),
        (System::Gobgp, "gobgp"),
        (System::Rfc8177, "rfc8177"),
    ] {
        let args = parse(&format!(
            "--for {name} -n 64 --key-bytes 80 --peer 2001:db8:1111:2222:3333:4444:5555:6666"
        ))?;
        let (chain, facts) = fixed(&args)?;
        let (text, _) = write(&chain, system, facts)?;
        let (plain, _) = fixed(&parse(&format!("--for {name} -n 64 --key-bytes 80"))?)?;
        let room = write(&plain, System::Fieldtest, facts)?.0.capacity();
        assert_eq!(text.capacity(), room, "{name}");
    }
    Ok(())
}
