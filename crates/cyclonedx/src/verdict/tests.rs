use fieldtest_catalog::entries;
use fieldtest_catalog::policies::policies;

use super::*;
use crate::read::parse;

fn policy(id: &str) -> &'static Policy {
    policies().iter().find(|it| it.id == id).expect("a policy")
}

/// `replace 2030`, `replace` of what is due, `look unlisted`, `keep`.
fn written(verdict: &Verdict) -> String {
    match (verdict.mark, verdict.by) {
        (Mark::Replace, Some(by)) => format!("replace {by}"),
        (Mark::Look, _) => format!("look {}", verdict.reason),
        (mark, _) => mark.word().to_owned(),
    }
}

fn of(components: &str, id: &str) -> Vec<String> {
    let text = format!(r#"{{"bomFormat":"CycloneDX","specVersion":"1.7","components":[{components}]}}"#);
    let inventory = parse(text.as_bytes()).expect("a CBOM");
    verdicts(&inventory, policy(id), &entries()).iter().map(written).collect()
}

/// The verdicts of all policies on an algorithm of this name and primitive, worked out by hand from the documents.
#[test]
fn policies_are_applied_as_they_are_written() {
    for (name, primitive, is) in [
        ("RSA-1024", "signature", "2013, 2013, 2023, replace, replace"),
        ("RSA-2048", "signature", "2030, 2031, 2023, 2030, 2030"),
        ("RSA-3072", "signature", "2035, 2031, 2035, 2030, 2030"),
        ("RSA-3072", "kem", "2035, 2031, 2031, 2030, 2030"),
        ("SHA1withRSA", "signature", "2013, replace, replace, replace, replace"),
        ("ECDSA-P256", "signature", "2035, 2031, 2035, 2030, 2030"),
        ("Ed25519", "signature", "2035, 2031, 2035, 2030, replace"),
        ("DSA-3072", "signature", "2024, 2031, 2029, 2030, replace"),
        ("X25519", "key-agree", "2035, 2031, 2031, 2030, replace"),
        ("RSA-512", "signature", "2013, replace, 2023, replace, replace"),
        ("DH-512", "key-agree", "2013, replace, 2022, replace, replace"),
        ("AES-512", "block-cipher", "unlisted, unlisted, unlisted, unlisted, unlisted"),
        ("DH-14", "key-agree", "unlisted, unlisted, unlisted, unlisted, unlisted"),
        ("RSAES-PKCS1-v1_5", "pke", "2023, 2031, 2023, 2030, 2030"),
        ("P-192", "key-agree", "2013, 2013, 2015, replace, replace"),
        ("secp112r1", "signature", "2013, 2013, 2015, replace, replace"),
        ("WEP-AES-256", "", "replace, replace, replace, replace, replace"),
        ("Skipjack-SHA256", "", "replace, replace, replace, replace, replace"),
        ("GeMSS-SHA3-256", "", "replace, replace, replace, replace, replace"),
        ("SHA-0", "hash", "replace, replace, replace, replace, replace"),
        ("ADH-AES256-SHA", "", "replace, replace, replace, replace, replace"),
        ("AES-256-OCB", "ae", "rule, rule, rule, rule, rule"),
        ("AES-256-GMAC-64", "mac", "rule, unlisted, rule, unlisted, unlisted"),
        ("ECDSA-P224", "signature", "2030, 2031, 2015, replace, 2030"),
        ("secp256k1", "key-agree", "2035, 2031, 2031, 2030, replace"),
        ("brainpoolP256r1", "signature", "2035, 2031, 2035, 2030, 2030"),
        ("SIKE", "kem", "replace, replace, replace, replace, replace"),
        ("SIDH-p434", "key-agree", "replace, replace, replace, replace, replace"),
        ("Rainbow", "signature", "replace, replace, replace, replace, replace"),
        ("Dual_EC_DRBG", "drbg", "replace, replace, replace, replace, replace"),
        ("AES-256-GCM-64", "ae", "rule, unlisted, rule, unlisted, unlisted"),
        ("HMAC-SHA256/64", "mac", "keep, unlisted, rule, unlisted, 2030"),
        ("HMAC-MD5", "mac", "replace, 2031, replace, replace, replace"),
        ("DH-2048", "key-agree", "2030, 2031, 2022, 2030, 2030"),
        ("ML-KEM-768", "kem", "keep, 2031, rule, rule, 2030"),
        ("ML-KEM-1024", "kem", "keep, keep, rule, rule, keep"),
        ("X25519MLKEM768", "kem", "keep, rule, keep, keep, rule"),
        ("ML-DSA-44", "signature", "keep, 2031, rule, rule, replace"),
        ("ML-DSA-87", "signature", "keep, keep, rule, rule, keep"),
        ("SLH-DSA-SHA2-192s", "signature", "keep, 2031, keep, keep, replace"),
        ("AES-128-GCM", "ae", "keep, 2031, keep, keep, 2030"),
        ("AES-256-XTS", "block-cipher", "keep, keep, keep, keep, keep"),
        ("AES-256-ECB", "block-cipher", "rule, rule, rule, rule, replace"),
        ("AES", "block-cipher", "keep, ambiguous, keep, keep, ambiguous"),
        ("DESede", "block-cipher", "2023, replace, replace, replace, replace"),
        ("RC4", "stream-cipher", "replace, replace, replace, replace, replace"),
        ("MD5", "hash", "replace, replace, replace, replace, replace"),
        ("SHA-1", "hash", "2030, replace, replace, replace, replace"),
        ("SHA-224", "hash", "2030, 2031, unlisted, replace, 2030"),
        ("SHA-256", "hash", "keep, 2031, keep, keep, 2030"),
        ("SHA-384", "hash", "keep, keep, keep, keep, keep"),
        ("HMAC-SHA-1", "mac", "2030, 2031, rule, replace, replace"),
        ("HMAC-SHA-256", "mac", "keep, unlisted, keep, unlisted, 2030"),
        ("ChaCha20-Poly1305", "ae", "unlisted, 2031, unlisted, unlisted, replace"),
        ("HAWK-256", "signature", "replace, replace, replace, replace, replace"),
        ("MAYO-one", "signature", "status, status, status, status, status"),
        ("FooCipher", "", "unknown, unknown, unknown, unknown, unknown"),
        ("SecP192r1MLKEM768", "kem", "2013, 2013, 2015, replace, replace"),
        ("MLKEM768-RSA2048", "kem", "keep, rule, 2023, 2030, rule"),
        ("ML-KEM-768+X25519+SIKE", "kem", "replace, replace, replace, replace, replace"),
        ("MLDSA65-Ed25519-MD5", "signature", "replace, replace, replace, replace, replace"),
        ("curveSM2MLKEM768", "kem", "unlisted, 2031, unlisted, unlisted, replace"),
        ("LMS-SHA1-M20-H10", "signature", "2013, replace, replace, replace, replace"),
        ("SHA-512@MD5", "hash", "replace, replace, replace, replace, replace"),
        ("AES-256-GCM-ECB", "", "rule, rule, rule, rule, replace"),
        ("1024-bit RSA", "pke", "2013, 2013, 2023, replace, replace"),
        ("256-bit AES-GCM", "ae", "keep, keep, keep, keep, keep"),
        ("ANSI X9.31 RNG", "drbg", "2015, unlisted, unlisted, unlisted, unlisted"),
        ("ECDSA-c2pnb163v1", "signature", "2013, 2013, 2015, replace, replace"),
        ("SM4-GCM", "ae", "unlisted, 2031, unlisted, unlisted, replace"),
        ("AES-256-CMAC-16", "mac", "rule, unlisted, rule, unlisted, unlisted"),
    ] {
        let asset = format!(
            r#"{{"type":"cryptographic-asset","name":"{name}","cryptoProperties":{{"assetType":"algorithm",
                "algorithmProperties":{{"primitive":"{primitive}"}}}}}}"#
        );
        let all = ["nist", "cnsa", "bsi", "anssi", "asd"].map(|id| of(&asset, id).join(" and "));
        assert_eq!(all.join(", ").replace("replace 2", "2").replace("look ", ""), is, "{name}");
    }
}

/// No policy keeps what has a word, a number or a primitive that nothing accounts for, or lacks a part.
#[test]
fn what_is_not_accounted_for_is_not_kept() {
    let names = "AES-256-GCM-noauth AES-256-GCM-none AES-256-GCM-PKCS1v15 ML-KEM-1024-draft ML-KEM-1024-90s ML-DSA-87-r3 \
        64-bit-AES SHA-512/128 SHA-512-64-bit SHAKE256-64 KMAC256-8 AES-256-CCM-4 HMAC-SHA-512-0 HMAC HKDF PBKDF2 \
        Hash_DRBG CTR_DRBG SHA-512-CBC AES-256-GCM-16-9 SLH-DSA-SHA2-64s LMS_SHA256_M8_H10 AES-256-GCM@insecure AES-256-GCM-* \
        SHA-512? LMS_SHA256_M32_H10-N-Hash";
    let names = names.split_whitespace().map(|name| (name, ""));
    let contradict =
        [("SHA-512", "block-cipher"), ("AES-256-GCM", "hash"), ("AES-256-CBC", "ae"), ("SHA-512", "x")];
    for (policy, (name, primitive)) in
        policies().iter().flat_map(|it| names.clone().chain(contradict).map(move |name| (it, name)))
    {
        let found = of_parts(policy, &parts(name, Some(primitive))).expect("a verdict");
        assert!(found.mark != Mark::Keep, "{}: {name} {primitive}", policy.id);
    }
}

/// What takes the place of a MAC, a KDF or a generator is one, whatever of it is to go.
#[test]
fn the_kind_stays() {
    for (name, id, does) in [
        ("AES-128-CMAC", "cnsa", Use::Mac),
        ("HKDF-SHA256", "asd", Use::Kdf),
        ("PBKDF2-HMAC-SHA1", "nist", Use::Password),
        ("Dual_EC_DRBG", "bsi", Use::Drbg),
        ("Dual_EC_DRBG", "nist", Use::Drbg),
        ("Hash_DRBG-SHA1", "nist", Use::Drbg),
        ("CTR_DRBG-3DES", "nist", Use::Drbg),
        ("SHA1withRSA", "nist", Use::Signature),
    ] {
        let found = of_parts(policy(id), &parts(name, None)).expect("a verdict");
        let proposed = policy(id).instead(does);
        assert!(
            found.mark == Mark::Replace && found.instead.keys().eq(proposed.map(|_| &does)),
            "{name}: {found:?}"
        );
    }
}

/// Certificates, keys and protocols are what they refer to, and a reference that leads nowhere is said.
#[test]
fn references_are_followed() {
    let asset = |kind: &str, id: &str, more: &str| {
        format!(
            r#"{{"type":"cryptographic-asset","name":"{id}","bom-ref":"{id}","cryptoProperties":{{"assetType":"{kind}"{more}}}}}"#
        )
    };
    let protocol =
        |id: &str, more: &str| asset("protocol", id, &format!(r#","protocolProperties":{{{more}}}"#));
    let all = [
        asset("algorithm", "RSA-2048", ""),
        asset("algorithm", "ML-DSA-65", ""),
        asset(
            "related-crypto-material",
            "k",
            r#","relatedCryptoMaterialProperties":{"algorithmRef":"RSA-2048"}"#,
        ),
        asset("related-crypto-material", "iv", ""),
        asset(
            "certificate",
            "c",
            r#","certificateProperties":{"signatureAlgorithmRef":"ML-DSA-65","subjectPublicKeyRef":"k"}"#,
        ),
        asset("certificate", "d", r#","certificateProperties":{"signatureAlgorithmRef":"gone"}"#),
        asset("certificate", "e", ""),
        protocol("t", r#""type":"tls","version":"1.3""#),
        protocol("u", r#""type":"tls","version":"TLSv1.1""#),
        protocol("SSLv3", r#""type":"tls""#),
        protocol("v", r#""type":"tls""#),
        protocol(
            "w",
            r#""type":"tls","version":"1.2","cipherSuites":[{"name":"TLS_DHE_RSA_WITH_AES_128_CBC_SHA"}]"#,
        ),
        protocol("x", r#""type":"tls","version":"1.3","cryptoRefArray":["c"]"#),
        protocol(
            "y",
            r#""type":"ike","version":"v2","ikev2TransformTypes":{"encr":[{"algorithm":"ML-DSA-65"}],"esn":true}"#,
        ),
        protocol("z", r#""type":"ssh","version":"2.0""#),
        asset("algorithm", "ML-KEM-768", ""),
        protocol("q", r#""type":"tls","version":"1.3","cryptoRefArray":["ML-DSA-65","ML-KEM-768"]"#),
        protocol(
            "OpenSSL",
            r#""type":"tls","version":"1.2","cipherSuites":[{"name":"TLS_RSA_WITH_AES_128_GCM_SHA256"}]"#,
        ),
    ];
    let is = "replace 2030, keep, replace 2030, look unstated, replace 2030, look missing, look unstated, look unstated, replace, \
        replace, look unstated, replace 2030, replace 2030, look unstated, look unstated, keep, look unstated, replace 2023";
    assert_eq!(of(&all.join(","), "nist").join(", "), is);
}

/// Properties count, and those that say other things than the name or what nobody knows are looked at.
#[test]
fn properties_complete_names_and_contradict_them() {
    const ROWS: &str = r#"
        BIKE-SHA384 | a | {"primitive":"kem"} | look unknown
        NTRUEncrypt-AES256 | a | {} | look unknown
        BLS-MD5 | a | {} | replace
        AES | a | {"parameterSetIdentifier":"256","mode":"cbc"} | keep
        AES-256-GCM | a | {"parameterSetIdentifier":"128"} | look contradiction
        AES-256-GCM | a | {"mode":"cbc"} | look contradiction
        AES-256 | a | {"mode":"other"} | look rule
        AES-256-XTS | a | {"mode":"other"} | keep
        ECDSA P-521 | a | {"curve":"P-192"} | replace 2013
        ECDSA | a | {"curve":"1.2.840.10045.3.1.1"} | replace 2013
        ECDSA | a | {"curve":"sm2p256v1"} | replace 2035
        ECDSA | a | {"ellipticCurve":"wtls/wap-wsg-idm-ecid-wtls8"} | replace 2013
        SHA-512 | a | {"parameterSetIdentifier":"256"} | look contradiction
        AES-256-GCM | a | {"algorithmFamily":"ML-KEM"} | look contradiction
        hash | a | {"algorithmFamily":"MD","parameterSetIdentifier":"5"} | replace
        DH | a | {"parameterSetIdentifier":"Group 2"} | replace 2013
        ECDSA | a | {"ellipticCurve":"gost/GOST R 34.10-2001"} | replace 2035
        AES-256-GCM | a | {"padding":"raw"} | keep
        Vigenere | a | {},"oid":"2.16.840.1.101.3.4.1.46" | look unknown
        AES-256-GCM | a | {},"oid":"1.2.840.113549.3.4" | replace
        AES-128-GCM | a | {},"oid":"2.16.840.1.101.3.4.1.46" | look contradiction
        AES-256-GCM | a | {},"oid":"1.2.3" | look unknown
        key | k | {"size":40,"algorithmRef":"HMAC-SHA512"} | look unlisted
        key | k | {"size":512,"algorithmRef":"AES-256-XTS"} | keep
        key | k | {"size":256,"algorithmRef":"AES-256-XTS"} | look contradiction
        key | k | {"size":256,"algorithmRef":"AES-256","securedBy":{"algorithmRef":"RSA"}} | replace 2030
        key | k | {"size":256,"algorithmRef":"AES-256","securedBy":{"algorithmRef":"gone"}} | look missing
        c | c | {"signatureAlgorithmRef":"AES-256","subjectPublicKeyRef":"AES-256"} | look contradiction
        RSA-0 | a | {} | look contradiction
        HS256 | a | {} | keep
        RS256 | a | {} | replace 2030
        HMAC-SHA256-16 | a | {} | look rule
        HMAC-SHA256 40-bit key | a | {} | look unknown
        64-bit HMAC-SHA256 | a | {} | look unknown
        key | k | {"size":1024,"algorithmRef":"RSA"} | replace 2013
        key | k | {"size":40,"algorithmRef":"AES-256"} | look contradiction
        c | c | {"signatureAlgorithmRef":"ML-DSA-87"} | look unstated
        TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | keep
        TLS | p | {"cipherSuites":[{"tlsGroups":["secp192r1"]}]} | replace 2013
        TLS | p | {"cipherSuites":[{"tlsSignatureSchemes":["rsa_pkcs1_sha1"]}]} | replace 2013
        TLS | p | {"cipherSuites":[{"identifiers":["0x00","0x04"]}]} | replace
        TLS | p | {"cipherSuites":[{"identifiers":["0xEE","0xEE"]}]} | look unknown
        TLS | p | {"cipherSuites":[{"name":"TLS_FOO_WITH_BAR"}]} | look unknown
        TLS | p | {"cipherSuites":[{"name":"TLS_DH_anon_WITH_AES_256_GCM_SHA384"}]} | replace
        TLS | p | {"cipherSuites":[{"name":"AES256-GCM-SHA384"}]} | replace 2023
        IKE | p | {"ikev2TransformTypes":{"ke":[{"group":2}]}} | replace 2013
        IKE | p | {"ikev2TransformTypes":{"encr":[{"name":"ENCR_3DES"}]}} | replace 2023
        SSH | p | {"type":"ssh","version":"1.5"} | replace
        TLSv1.0 | p | {"type":"tls","version":"1.3","cryptoRefArray":["ML-DSA-87"]} | replace
        TLS | p | {"cipherSuites":[{"name":"TLS_SHA384_SHA384"}]} | replace
        TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","identifiers":["0xFE","0xFE"]}]} | look unknown
        TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","identifiers":["0x13","0x01"]}]} | look contradiction
        TLS | p | {"cipherSuites":[{"identifiers":["0x13","0x02","0x00","0x05"]}]} | replace
        TLS | p | {"cipherSuites":[{"name":"TLS_EMPTY_RENEGOTIATION_INFO_SCSV"},{"identifiers":["0x3a","0x3a"]},{"tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | look unstated
        SSH | p | {"cipherSuites":[{"name":"aes256-gcm@openssh.com"}]} | look unstated
        Kerberos RC4-HMAC | p | {"type":"other"} | replace
        ML-DSA-87 SHA-256 | a | {"parameterSetIdentifier":"44"} | look contradiction
        TLS | p | {"type":"tls","version":"1.3,1.0","cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | replace
        TLS | p | {"type":"tls","version":"1.3 draft","cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | look unknown
        TLSv1.3 with RC4 | p | {"type":"tls","version":"1.3","cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | look contradiction
        SSH | p | {"type":"tls","version":"1.3","cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | look contradiction
        TLS | p | {"bogus":"RC4","cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | look unknown
        TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":"secp192r1","tlsSignatureSchemes":["mldsa87"]}],"cryptoRefArray":["ML-KEM-1024"]} | look unknown
        TLS | p | {"cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]},"oid":"1.2.840.113549.3.4" | look contradiction
        256-bit AES key | k | {"size":256,"algorithmRef":"AES-256"},"oid":"2.16.840.1.101.3.4.1" | keep
        key | k | {"size":256,"algorithmRef":"AES-256"},"oid":"1.2.840.113549.3.4" | look contradiction
        key | k | {"size":256,"algorithmRef":"AES-256"},"oid":"1.2.3" | look unknown
        key | k | {"size":256,"algorithmRef":"AES-256"},"algorithmProperties":{"x":1} | look unknown
        key | k | {"size":"40","algorithmRef":"AES-256"} | look unknown
        key | k | {"size":256,"algorithmRef":"AES-256","format":"RC2-40"} | look contradiction
        key | k | {"type":"digest","algorithmRef":"AES-256"} | look contradiction
        AES-128 key | k | {"size":256,"algorithmRef":"AES-256"} | look contradiction
        weak 40-bit key | k | {"size":256,"algorithmRef":"AES-256"} | look contradiction
        sha1WithRSA cert | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87"} | look contradiction
        ML-DSA cert | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87"} | keep
        AES-256-GCM | a | {"classicalSecurityLevel":128} | look contradiction
        AES-256-GCM | a | {"classicalSecurityLevel":256} | keep
        AES-256-GCM | a | {},"classicalSecurityLevel":40 | look contradiction
        SHA-512 | a | {"classicalSecurityLevel":256} | keep
        SHA-512 | a | {"classicalSecurityLevel":128} | look contradiction
        ECDSA | a | {"ellipticCurve":"nist/P-521","curve":"secp112r1"} | replace 2013
        ML-KEM-1024 | a | {"nistQuantumSecurityLevel":0} | look contradiction
        ML-KEM-1024 | a | {"nistQuantumSecurityLevel":5} | keep
        SHA-384 | a | {"cryptoFunctions":["sign"]} | look contradiction
        SHA-384 | a | {"cryptoFunctions":["digest","keygen"]} | keep
        AES | a | {"variant":"DES-CBC"} | replace
        SecP256r1MLKEM768 | a | {} | keep
        p384_mlkem1024 | a | {"primitive":"combiner"} | keep
        HMAC-SHA-512 key:40 | a | {} | look unknown
        key | k | {"algorithmRef":"ML-DSA-87","type":"private-key"} | keep
        key | k | {"algorithmRef":"ML-DSA-87","type":"private-key","state":"pre-activation"} | look state
        key | k | {"algorithmRef":"ML-DSA-87","type":"private-key","size":40} | look contradiction
        key | k | {"algorithmRef":"ML-DSA-87","type":"secret-key"} | look contradiction
        key | k | {"algorithmRef":"HMAC-SHA512","type":"public-key"} | look contradiction
        key | k | {"algorithmRef":"AES-256","type":"secret-key","securedBy":{"mechanism":"None"}} | look unstated
        c | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87","certificateState":[{"state":"active"}],"notValidAfter":"9999-12-31T23:59:59Z"} | keep
        c | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87","certificateState":[{"state":"active"},{"state":"revoked"}]} | look state
        c | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87","destructionDate":"2020-01-01T00:00:00Z"} | look state
        c | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87","notValidBefore":"9999-01-01T00:00:00Z"} | look state
        X25519-ML-KEM-768-ML-KEM-512 | a | {} | look contradiction
        TLS12-PRF | a | {} | look unstated
        TLS12-PRF-SHA384 | a | {} | look unstated
        HMAC-SHA256 | a | {"parameterSetIdentifier":"40"} | look unknown
        HMAC-SHA256 keylen 64 | a | {} | look unknown
        HmacSHA512/224 | a | {} | replace 2030
        HmacSHA512/256 | a | {} | keep
        AES-256-GCM | a | {"nistQuantumSecurityLevel":1} | keep
        key | k | {"size":256,"algorithmRef":"AES-256","securedBy":{"mechanism":"XOR"}} | look unstated
        key | k | {"size":256,"algorithmRef":"AES-256","securedBy":{"mechanism":"Cloud HSM"}} | keep
        key | k | {"size":256,"algorithmRef":"AES-256","securedBy":{"mechanism":"AES-256-GCM"}} | keep
        key | k | {"type":"secret-key","algorithmRef":"AES-256","value":"hunter2"} | look disclosed
        key | k | {"type":"ciphertext","algorithmRef":"ML-DSA-87"} | look contradiction
        key | k | {"type":"private-key","algorithmRef":"ML-DSA-87","size":128} | look contradiction
        key | k | {"type":"signature","algorithmRef":"ML-DSA-87","size":64} | look contradiction
        c | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87","certificateState":[{"state":"active","reason":"new"}]} | keep
        c | c | {"signatureAlgorithmRef":"ML-DSA-87","subjectPublicKeyRef":"ML-DSA-87","certificateState":[{"name":"active"}]} | look state
        TLS | p | {"type":"tls","version":"1.3, ssl","cipherSuites":[{"name":"TLS_AES_256_GCM_SHA384","tlsGroups":["mlkem1024"],"tlsSignatureSchemes":["mldsa87"]}]} | look unknown
        IKE | p | {"ikev2TransformTypes":{"encr":[{"name":"ENCR_AES_CBC","keyLength":256}],"integ":[{"name":"NONE"}],"ke":[{"name":"mlkem1024"}],"auth":[{"name":"ML-DSA-87"}]}} | look contradiction
        IKE | p | {"ikev2TransformTypes":{"encr":[{"name":"ENCR_AES_GCM_16","keyLength":256}],"integ":[{"name":"NONE"}],"ke":[{"name":"mlkem1024"}],"auth":[{"name":"ML-DSA-87"}]}} | keep
        IKE | p | {"ikev2TransformTypes":{"encr":[{"name":"ENCR_AES_CBC","keyLength":256}],"integ":[{"name":"AUTH_HMAC_SHA2_512_256"}],"ke":[{"name":"mlkem1024"}],"auth":[{"name":"ML-DSA-87"}]}} | keep
    "#;
    for row in ROWS.trim().lines() {
        let row: Vec<&str> = row.split('|').map(str::trim).collect();
        let [name, kind, properties, is] = row[..] else { panic!("{row:?}") };
        let (kind, field) = match kind {
            "k" => ("related-crypto-material", "relatedCryptoMaterial"),
            "c" => ("certificate", "certificate"),
            "p" => ("protocol", "protocol"),
            _ => ("algorithm", "algorithm"),
        };
        let version = if name == "TLS" { "1.3" } else { "2" };
        let typed = format!(r#"{{"type":"{}","version":"{version}","#, name.to_ascii_lowercase());
        let is_bare = kind == "protocol" && !properties.contains("\"type\"");
        let properties = if is_bare { properties.replacen('{', &typed, 1) } else { properties.to_owned() };
        let asset = |kind: &str, name: &str, field: &str, properties: &str| {
            format!(
                r#"{{"type":"crypto-asset","name":"{name}","bom-ref":"{name}","cryptoProperties":{{"assetType":"{kind}","{field}Properties":{properties}}}}}"#
            )
        };
        let referred = ["RSA", "AES-256", "ML-DSA-87", "ML-KEM-1024", "HMAC-SHA512", "AES-256-XTS"]
            .map(|it| asset("algorithm", it, "algorithm", "{}"));
        let own = asset(kind, name, field, &properties).replacen("\"bom-ref\":\"", "\"bom-ref\":\"own ", 1);
        let all = [own, referred.join(",")].join(",");
        assert_eq!(of(&all, "nist")[0], is, "{name} {properties}");
    }
}

/// A name and an object identifier that are of different things are settled only where both have one verdict.
#[test]
fn what_contradicts_itself_is_looked_at() {
    let asset = r#"{"type":"cryptographic-asset","name":"SHA384","cryptoProperties":{"assetType":"algorithm",
        "oid":"2.16.840.1.101.3.4.2.9"}}"#;
    assert_eq!(of(asset, "nist"), ["look contradiction"]);
    assert_eq!(of(asset, "cnsa"), ["look rule"]);
    // A hash function that is depended on is the asset's own.
    let used = r#"{"type":"crypto-asset","name":"HMAC","bom-ref":"h"},{"type":"crypto-asset","name":"MD5","bom-ref":"m"}],
        "dependencies":[{"ref":"h","dependsOn":["m"]}"#;
    assert_eq!(of(used, "nist"), ["replace", "replace"]);
    // Of several with one bom-ref, a reference means each.
    let all = ["SHA-384", "MD5"].map(|name| {
        let asset =
            r#"{"type":"crypto-asset","bom-ref":"a","cryptoProperties":{"assetType":"algorithm"},"name""#;
        format!(r#"{asset}:"{name}"}}"#)
    });
    let key = r#"{"type":"crypto-asset","name":"k","cryptoProperties":{"assetType":"related-crypto-material",
        "relatedCryptoMaterialProperties":{"algorithmRef":"a"}}},{"type":"library","name":"l","bom-ref":"a"}"#;
    assert_eq!(of(&all.join(","), "nist"), ["look contradiction", "replace"]);
    assert_eq!(of(&[&*all[0], key].join(","), "nist"), ["look contradiction", "look contradiction"]);
}

/// Over all pairs of the catalog: a replacement is of the kind, or authenticates where nothing did; it withstands what
/// its predecessor withstands; and it is no weaker than what is no weaker.
#[test]
fn nothing_is_replaced_by_something_weaker() {
    let all = entries();
    for (old, new) in all.iter().flat_map(|old| all.iter().map(move |new| (old, new))) {
        let (old, new) = (old.as_ref(), new.as_ref());
        if old.name() == new.name() {
            assert!(protects_no_less(new, old), "{}", old.name());
        }
        if !protects_no_less(new, old) {
            continue;
        }
        let said = format!("{} in place of {}", new.name(), old.name());
        let authenticates = |entry: &dyn Entry| entry.kind() == "aead" || entry.kind() == "mac";
        assert!(new.kind() == old.kind() || (old.kind() == "cipher" && new.kind() == "aead"), "{said}");
        assert!(authenticates(new) || !authenticates(old), "{said}");
        assert!(new.strength() >= old.strength() && new.level() >= old.level(), "{said}");
        assert!(new.post_quantum() == Some(true) || old.post_quantum() != Some(true), "{said}");
    }
}
