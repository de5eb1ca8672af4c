//! Every algorithm of every kind through its C functions: what one makes the other accepts, and nothing else.

use std::ffi::CString;
use std::ptr;

use crate::support::*;
use fieldtest_c::*;

fn of_kind(kind: std::ffi::c_int) -> Vec<*const Algorithm> {
    let all = (0..ft_algorithm_count()).map(|place| ft_algorithm_at(place));
    all.filter(|it| unsafe { ft_algorithm_kind(*it) == kind && ft_implementation_count(*it) > 0 }).collect()
}

fn implementations(algorithm: *const Algorithm) -> Vec<(String, *const Implementation)> {
    let all = (0..unsafe { ft_implementation_count(algorithm) })
        .map(|place| unsafe { ft_implementation_at(algorithm, place) });
    let name = |it| unsafe {
        format!("{} {}", text(ft_algorithm_name(algorithm)), text(ft_implementation_name(it)))
    };
    all.map(|it| (name(it), it)).collect()
}

/// Bytes of stack that every call has enough of, as docs/c.md and the manual page say.
const STACK: usize = 512 << 10;

#[test]
fn signatures_on_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(signatures);
    thread.expect("a thread").join().expect("what it said");
}

fn signatures() {
    for algorithm in of_kind(FT_SIGNATURE) {
        let longest = size(algorithm, c"signature");
        for (name, code) in implementations(algorithm) {
            if name.starts_with("slh-dsa-sha2-128s") {
                continue; // three seconds a signature; its sister goes the same way
            }
            let (secret, public) = pair(code);
            let signing =
                given(|key| unsafe { ft_signing_key_new(code, secret.as_ptr(), secret.len(), key) });
            let verifying =
                given(|key| unsafe { ft_verifying_key_new(code, public.as_ptr(), public.len(), key) });
            let again = output(8192, |data, room, length| unsafe {
                ft_signing_key_public(signing, data, room, length)
            });
            assert_eq!(again, public, "{name}");
            let message = b"there and back";
            let sign = |room| {
                output(room, |data, room, length| unsafe {
                    ft_sign(signing, message.as_ptr(), message.len(), data, room, length)
                })
            };
            let mut signature = sign(longest);
            let verify = |signature: &[u8]| unsafe {
                ft_verify(verifying, message.as_ptr(), message.len(), signature.as_ptr(), signature.len())
            };
            well(verify(&signature));
            signature[longest / 3] ^= 4;
            assert_eq!(verify(&signature), FT_EWRONG, "{name}");
            assert_eq!(verify(&[]), FT_EWRONG, "{name}");
            unsafe {
                well(ft_signing_key_free(signing));
                well(ft_verifying_key_free(verifying));
            }
        }
    }
}

#[test]
fn many_signatures_at_once() {
    for name in ["ml-dsa-44", "ecdsa-p256", "falcon-512"] {
        let (algorithm, code) = serving(name);
        let (secret, public) = pair(code);
        let signing = given(|key| unsafe { ft_signing_key_new(code, secret.as_ptr(), secret.len(), key) });
        let verifying =
            given(|key| unsafe { ft_verifying_key_new(code, public.as_ptr(), public.len(), key) });
        let messages: Vec<Vec<u8>> = (0..5).map(|i| vec![i; 10 * usize::from(i)]).collect();
        let stride = size(algorithm, c"signature") + 3;
        let (mut room, mut lengths) = (vec![0; stride * messages.len()], [0; 5]);
        let list = list(&messages);
        well(unsafe {
            ft_sign_many(signing, list.as_ptr(), 5, room.as_mut_ptr(), stride, lengths.as_mut_ptr())
        });
        let mut signatures: Vec<Vec<u8>> =
            room.chunks(stride).zip(lengths).map(|(bytes, length)| bytes[..length].to_vec()).collect();
        let verify = |signatures: &[Vec<u8>], wrong: &mut usize| unsafe {
            ft_verify_many(verifying, list.as_ptr(), crate::support::list(signatures).as_ptr(), 5, wrong)
        };
        let mut wrong = usize::MAX;
        well(verify(&signatures, &mut wrong));
        signatures.swap(2, 4);
        assert_eq!((verify(&signatures, &mut wrong), wrong), (FT_EWRONG, 2), "{name}");
        let short = stride - 4;
        let code = unsafe {
            ft_sign_many(signing, list.as_ptr(), 5, room.as_mut_ptr(), short, lengths.as_mut_ptr())
        };
        assert_eq!(code, FT_EBUFFER, "{name}");
        unsafe {
            well(ft_signing_key_free(signing));
            well(ft_verifying_key_free(verifying));
        }
    }
}

#[test]
fn digests() {
    for algorithm in of_kind(FT_HASH) {
        let length = size(algorithm, c"digest");
        for (name, code) in implementations(algorithm) {
            let messages: Vec<Vec<u8>> = (0..6).map(|i| vec![7; i * 200]).collect();
            let whole: Vec<Vec<u8>> = messages
                .iter()
                .map(|it| {
                    output(length, |data, room, length| unsafe {
                        ft_digest(code, it.as_ptr(), it.len(), data, room, length)
                    })
                })
                .collect();
            let mut many = vec![0; 6 * length];
            well(unsafe { ft_digest_many(code, list(&messages).as_ptr(), 6, many.as_mut_ptr(), length) });
            assert_eq!(many, whole.concat(), "{name}");
            for (message, whole) in messages.iter().zip(&whole) {
                let stream = given(|stream| unsafe { ft_stream_new(code, stream) });
                for piece in message.chunks(77) {
                    well(unsafe { ft_stream_update(stream, piece.as_ptr(), piece.len()) });
                }
                let mut needed = 0;
                let short = unsafe { ft_stream_finish(stream, ptr::null_mut(), 0, &mut needed) };
                assert_eq!((short, needed), (FT_EBUFFER, length), "{name}");
                let digest = output(needed, |data, room, length| unsafe {
                    ft_stream_finish(stream, data, room, length)
                });
                assert_eq!(&digest, whole, "{name}");
                assert_eq!(unsafe { ft_stream_update(stream, ptr::null(), 0) }, FT_EFINISHED, "{name}");
                well(unsafe { ft_stream_free(stream) });
            }
        }
    }
}

#[test]
fn tags() {
    for algorithm in of_kind(FT_MAC) {
        let length = size(algorithm, c"tag");
        for (name, code) in implementations(algorithm) {
            let master = [5; 32];
            let traffic = output(256, |data, room, length| unsafe {
                ft_mac_derive(code, master.as_ptr(), 32, b"context".as_ptr(), 7, data, room, length)
            });
            let key = given(|key| unsafe { ft_mac_key_new(code, traffic.as_ptr(), traffic.len(), key) });
            // Those with a nonce take it from the message.
            let messages: Vec<Vec<u8>> = (0..6).map(|i| vec![3; 16 + i * 50]).collect();
            let mut many = vec![0; 6 * length];
            well(unsafe { ft_mac_tag_many(key, list(&messages).as_ptr(), 6, many.as_mut_ptr(), length) });
            for (message, tag) in messages.iter().zip(many.chunks_mut(length)) {
                let mut one = vec![0; length];
                well(unsafe { ft_mac_tag(key, message.as_ptr(), message.len(), one.as_mut_ptr(), length) });
                assert_eq!(one, tag, "{name}");
                let verify = |tag: &[u8]| unsafe {
                    ft_mac_verify(key, message.as_ptr(), message.len(), tag.as_ptr(), tag.len())
                };
                well(verify(tag));
                tag[length - 1] ^= 1;
                assert_eq!(verify(tag), FT_EWRONG, "{name}");
                assert_eq!(verify(&[]), FT_EARGUMENT, "{name}");
            }
            well(unsafe { ft_mac_key_free(key) });
        }
    }
}

#[test]
fn sectors() {
    for algorithm in of_kind(FT_CIPHER) {
        for (name, code) in implementations(algorithm) {
            let secret: Vec<u8> = (0..size(algorithm, c"key")).map(|i| i.to_le_bytes()[0]).collect();
            let key = given(|key| unsafe { ft_cipher_key_new(code, secret.as_ptr(), secret.len(), key) });
            let plain: Vec<u8> = (0..4096_u32).map(|i| (i % 251).to_le_bytes()[0]).collect();
            let (tweak, mut data) = ([9; 16], plain.clone());
            let length = data.len();
            well(unsafe { ft_cipher_encrypt(key, tweak.as_ptr(), 1, 512, data.as_mut_ptr(), length) });
            assert_ne!(data, plain, "{name}");
            well(unsafe { ft_cipher_decrypt(key, tweak.as_ptr(), 1, 512, data.as_mut_ptr(), length) });
            assert_eq!(data, plain, "{name}");
            for size in [0, 4095, 1 << 40] {
                let code =
                    unsafe { ft_cipher_encrypt(key, tweak.as_ptr(), 1, size, data.as_mut_ptr(), length) };
                assert_eq!((code, &data), (FT_EARGUMENT, &plain), "{name}");
            }
            well(unsafe { ft_cipher_key_free(key) });
        }
    }
}

#[test]
fn facts_and_proofs() {
    let (algorithm, code) = serving("ML-DSA 44");
    assert_eq!(text(unsafe { ft_algorithm_name(algorithm) }), "ml-dsa-44");
    assert_eq!(unsafe { ft_algorithm_level(algorithm) }, 2);
    assert_eq!(size(algorithm, c"public-key"), 1312);
    let mut number = 0;
    well(unsafe { ft_algorithm_number(algorithm, c"dnssec-iana".as_ptr(), &mut number) });
    assert_eq!(number, 18);
    let again = found(|place| unsafe { ft_algorithm_find_number(c"dnssec-iana".as_ptr(), 18, place) });
    assert_eq!(again, algorithm);
    let fact = |name: &str| {
        let name = CString::new(name).expect("a name");
        text(found(|place| unsafe { ft_algorithm_fact(algorithm, name.as_ptr(), place) }))
    };
    assert_eq!((fact("standard").as_str(), fact("NIST level").as_str()), ("FIPS 204", "2"));
    let mut notes = 0;
    loop {
        let mut texts = [ptr::null(); 4];
        let [date, severity, sentence, source] = &mut texts;
        if unsafe { ft_algorithm_note_at(algorithm, notes, date, severity, sentence, source) } != FT_OK {
            break;
        }
        assert!(texts.into_iter().all(|it| !text(it).is_empty()));
        notes += 1;
    }
    assert!(notes > 0);
    let mut answers = 0;
    well(unsafe { ft_implementation_prove(code, &mut answers) });
    assert!(answers > 0);
    // Nothing of the host was loaded into this process.
    for place in 0..ft_algorithm_count() {
        for (name, _) in implementations(ft_algorithm_at(place)) {
            assert!(!name.ends_with("-host") && !name.ends_with("linux"), "{name}");
        }
    }
}

#[test]
fn two_threads_under_one_prepared_key() {
    let (algorithm, code) = serving("ml-dsa-44");
    let (secret, public) = pair(code);
    let signing =
        given(|key| unsafe { ft_signing_key_new(code, secret.as_ptr(), secret.len(), key) }) as usize;
    let verifying =
        given(|key| unsafe { ft_verifying_key_new(code, public.as_ptr(), public.len(), key) }) as usize;
    let longest = size(algorithm, c"signature");
    std::thread::scope(|scope| {
        for thread in 0..2_u8 {
            scope.spawn(move || {
                for round in 0..50_u8 {
                    let message = [thread, round];
                    let signature = output(longest, |data, room, length| unsafe {
                        ft_sign(signing as *const _, message.as_ptr(), 2, data, room, length)
                    });
                    let verify = |message: &[u8]| unsafe {
                        ft_verify(verifying as *const _, message.as_ptr(), 2, signature.as_ptr(), longest)
                    };
                    well(verify(&message));
                    assert_eq!(verify(&[thread, round + 1]), FT_EWRONG);
                }
            });
        }
    });
    unsafe {
        well(ft_signing_key_free(signing as *mut _));
        well(ft_verifying_key_free(verifying as *mut _));
    }
}
