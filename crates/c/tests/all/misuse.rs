//! Wrong use is an error code: null pointers, short buffers, wrong handles, wrong names.

use std::ptr::{null, null_mut};

use crate::support::*;
use fieldtest_c::*;

#[test]
fn null_pointers() {
    let (algorithm, code) = serving("ed25519");
    let (secret, public) = pair(code);
    let key = given(|key| unsafe { ft_signing_key_new(code, secret.as_ptr(), secret.len(), key) });
    let mut handle = null();
    let mut made = null_mut();
    let mut length = 0;
    let mut room = [0; 64];
    unsafe {
        let results = [
            ft_algorithm_find(null(), &mut handle),
            ft_algorithm_find(c"ed25519".as_ptr(), null_mut()),
            ft_algorithm_size(null(), c"tag".as_ptr(), &mut length),
            ft_algorithm_size(algorithm, null(), &mut length),
            ft_algorithm_size(algorithm, c"signature".as_ptr(), null_mut()),
            ft_algorithm_fact_at(algorithm, 0, null_mut(), null_mut()),
            ft_implementation_find(null(), null(), null_mut()),
            ft_implementation_find(algorithm, null(), null_mut()),
            ft_generate(code, null_mut(), 32, &mut length, null_mut(), 32, &mut length),
            ft_generate(code, room.as_mut_ptr(), 32, null_mut(), room.as_mut_ptr(), 32, &mut length),
            ft_signing_key_new(null(), secret.as_ptr(), 32, &mut made),
            ft_signing_key_new(code, null(), 32, &mut made),
            ft_signing_key_new(code, secret.as_ptr(), 32, null_mut()),
            ft_sign(null(), b"m".as_ptr(), 1, room.as_mut_ptr(), 64, &mut length),
            ft_sign(key, null(), 1, room.as_mut_ptr(), 64, &mut length),
            ft_sign(key, b"m".as_ptr(), 1, null_mut(), 64, &mut length),
            ft_sign(key, b"m".as_ptr(), 1, room.as_mut_ptr(), 64, null_mut()),
            ft_sign_many(key, null(), 1, room.as_mut_ptr(), 64, &mut length),
            ft_sign_many(key, list(&[vec![1]]).as_ptr(), 1, null_mut(), 64, &mut length),
            ft_sign_many(key, list(&[vec![1]]).as_ptr(), 1, room.as_mut_ptr(), 64, null_mut()),
            ft_sign_many(key, &Bytes { data: null(), length: 1 }, 1, room.as_mut_ptr(), 64, &mut length),
        ];
        for (place, result) in results.into_iter().enumerate() {
            assert_eq!(result, FT_ENULL, "call {place}");
        }
        assert!(ft_algorithm_name(null()).is_null() && ft_implementation_at(null(), 0).is_null());
        assert_eq!((ft_algorithm_kind(null()), ft_implementation_count(null())), (0, 0));
        // Nothing to free, and an empty message, are all right.
        well(ft_signing_key_free(null_mut()));
        well(ft_sign(key, null(), 0, room.as_mut_ptr(), 64, &mut length));
        let verifying = given(|key| ft_verifying_key_new(code, public.as_ptr(), 32, key));
        well(ft_verify(verifying, null(), 0, room.as_ptr(), 64));
        well(ft_verifying_key_free(verifying));
        well(ft_signing_key_free(key));
    }
}

#[test]
fn short_buffers() {
    let (algorithm, code) = serving("ml-dsa-44");
    let (secret, _) = pair(code);
    let key = given(|key| unsafe { ft_signing_key_new(code, secret.as_ptr(), secret.len(), key) });
    let full = size(algorithm, c"signature");
    for room in [0, 1, full - 1] {
        let (mut bytes, mut length) = (vec![0xee; full], 0);
        let result = unsafe { ft_sign(key, b"m".as_ptr(), 1, bytes.as_mut_ptr(), room, &mut length) };
        assert_eq!((result, length), (FT_EBUFFER, full));
        assert!(bytes.iter().all(|byte| *byte == 0xee), "something was written");
        assert!(
            detail().contains(&full.to_string()) && detail().contains(&format!(" {room}")),
            "{}",
            detail()
        );
    }
    // Both lengths are told, and neither key is written, whichever lacks room.
    for (secret_room, public_room) in [(31, 1312), (32, 1311), (0, 0)] {
        let (mut secret, mut public) = (vec![0xee; secret_room], vec![0xee; public_room]);
        let mut lengths = [0; 2];
        let [secret_length, public_length] = &mut lengths;
        let result = unsafe {
            let (secret, public) = (secret.as_mut_ptr(), public.as_mut_ptr());
            ft_generate(code, secret, secret_room, secret_length, public, public_room, public_length)
        };
        assert_eq!((result, lengths), (FT_EBUFFER, [32, 1312]));
        assert!(secret.iter().chain(&public).all(|byte| *byte == 0xee), "something was written");
    }
    well(unsafe { ft_signing_key_free(key) });
}

#[test]
fn wrong_handles() {
    let (algorithm, code) = serving("ed25519");
    let (secret, public) = pair(code);
    let signing = given(|key| unsafe { ft_signing_key_new(code, secret.as_ptr(), secret.len(), key) });
    let verifying = given(|key| unsafe { ft_verifying_key_new(code, public.as_ptr(), public.len(), key) });
    let mut length = 0;
    let mut room = [0; 64];
    unsafe {
        let m = b"m".as_ptr();
        assert_eq!(ft_sign(verifying.cast(), m, 1, room.as_mut_ptr(), 64, &mut length), FT_EHANDLE);
        assert_eq!(ft_verify(signing.cast(), m, 1, m, 1), FT_EHANDLE);
        assert_eq!(ft_signing_key_free(verifying.cast()), FT_EHANDLE);
        assert_eq!(ft_stream_update(algorithm.cast(), m, 1), FT_EHANDLE);
        assert_eq!(ft_sign(room.as_ptr().cast(), m, 1, room.as_mut_ptr(), 64, &mut length), FT_EHANDLE);
        let odd = room.as_ptr().map_addr(|at| at | 1);
        assert_eq!(ft_verify(odd.cast(), m, 1, m, 1), FT_EHANDLE);
        assert!(ft_algorithm_name(code.cast()).is_null());
        assert_eq!(ft_algorithm_size(code.cast(), c"tag".as_ptr(), &mut length), FT_EHANDLE);
        // The right handle of the wrong kind of algorithm.
        assert_eq!(ft_digest(code, m, 1, room.as_mut_ptr(), 64, &mut length), FT_EKIND);
        let mut key = null_mut();
        assert_eq!(ft_mac_key_new(code, m, 1, &mut key), FT_EKIND);
        assert!(detail().contains("MAC"), "{}", detail());
        well(ft_signing_key_free(signing));
        well(ft_verifying_key_free(verifying));
    }
}

#[test]
fn wrong_names_keys_and_lengths() {
    let (algorithm, code) = serving("ml-dsa-44");
    let (mut handle, mut other) = (null(), null());
    let mut key: *mut SigningKey = code.cast_mut().cast();
    let mut length = 0;
    unsafe {
        assert_eq!(ft_algorithm_find(c"ml-dsa-4".as_ptr(), &mut handle), FT_EUNKNOWN);
        assert!(detail().contains("did you mean 'ml-dsa-44'?"), "{}", detail());
        assert_eq!(ft_algorithm_find(c"\xff\xfe".as_ptr(), &mut handle), FT_EARGUMENT);
        assert_eq!(ft_algorithm_find_number(c"dnssec-iana".as_ptr(), 300, &mut handle), FT_EUNKNOWN);
        assert_eq!(ft_algorithm_find_number(c"dns".as_ptr(), 18, &mut handle), FT_EUNKNOWN);
        assert_eq!(ft_algorithm_size(algorithm, c"digest".as_ptr(), &mut length), FT_EUNKNOWN);
        assert_eq!(ft_implementation_find(algorithm, c"openssl-host".as_ptr(), &mut other), FT_EUNKNOWN);
        assert!(ft_algorithm_at(usize::MAX).is_null() && ft_implementation_at(algorithm, 99).is_null());
        well(ft_algorithm_find(c"uov-is-pkc".as_ptr(), &mut handle));
        assert_eq!(ft_implementation_find(handle, null(), &mut other), FT_ENOCODE);
        // No memory has room for these.
        let mut signing: *mut SigningKey = std::ptr::null_mut();
        let (mut secret, mut public) = ([0; 32], [0; 1312]);
        let (mut own, mut others) = (0, 0);
        well(ft_generate(code, secret.as_mut_ptr(), 32, &mut own, public.as_mut_ptr(), 1312, &mut others));
        well(ft_signing_key_new(code, secret.as_ptr(), own, &mut signing));
        let messages = [const { Bytes { data: std::ptr::null(), length: 0 } }; 5];
        let (mut room, mut lengths) = ([0u8; 8], [0; 5]);
        let stride = usize::MAX / 2;
        let many =
            ft_sign_many(signing, messages.as_ptr(), 5, room.as_mut_ptr(), stride, lengths.as_mut_ptr());
        assert_eq!(many, FT_EARGUMENT);
        let hash = serving("sha-256").1;
        assert_eq!(ft_digest_many(hash, messages.as_ptr(), 5, room.as_mut_ptr(), stride), FT_EARGUMENT);
        let mut verifying: *mut VerifyingKey = std::ptr::null_mut();
        well(ft_verifying_key_new(code, public.as_ptr(), others, &mut verifying));
        let long = vec![0; 17 << 20];
        assert_eq!(ft_verify(verifying, null(), 0, long.as_ptr(), long.len()), FT_EWRONG);
        well(ft_verifying_key_free(verifying));
        // What cannot be made of another kind's code is NULL, too.
        let mut stale: *mut SigningKey = hash.cast_mut().cast();
        assert_eq!(ft_signing_key_new(hash, secret.as_ptr(), own, &mut stale), FT_EKIND);
        assert!(stale.is_null());
        well(ft_signing_key_free(signing));
        // A key that is none leaves no handle behind.
        assert_eq!(ft_signing_key_new(code, b"short".as_ptr(), 5, &mut key), FT_EKEY);
        assert!(key.is_null() && detail().contains("32"), "{}", detail());
        let mut digest = [0; 32];
        let hash = serving("sha-256").1;
        assert_eq!(
            ft_digest(hash, b"m".as_ptr(), usize::MAX, digest.as_mut_ptr(), 32, &mut length),
            FT_EARGUMENT
        );
        assert_eq!(ft_digest_many(hash, list(&[vec![1]]).as_ptr(), 1, digest.as_mut_ptr(), 31), FT_EBUFFER);
        assert_eq!(
            ft_digest_many(hash, list(&[vec![1]]).as_ptr(), usize::MAX / 2, digest.as_mut_ptr(), 32),
            FT_EARGUMENT
        );
    }
}
