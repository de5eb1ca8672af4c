//! Calls in any order with any arguments that a C compiler takes: handles of every kind in every place, NULL, lengths and names that are
//! wrong. A property test and a fuzz target draw them from bytes.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::LazyLock;

use fieldtest_c::*;

use super::*;

/// One algorithm of every kind and form that is done in microseconds, with a key pair where it has some. Addresses, since pointers
/// belong to one thread.
struct Known {
    algorithm: usize,
    code: usize,
    keys: Vec<Vec<u8>>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let of = |name: &&str| {
        let (algorithm, code) = serving(name);
        let keys = match unsafe { ft_algorithm_kind(algorithm) } {
            FT_SIGNATURE => <[Vec<u8>; 2]>::from(pair(code)).to_vec(),
            FT_CIPHER => vec![(0..size(algorithm, c"key")).map(|i| i.to_le_bytes()[0]).collect()],
            _ => vec![vec![7; 32], vec![9; 16]],
        };
        Known { algorithm: algorithm as usize, code: code as usize, keys }
    };
    let names = ["ed25519", "ecdsa-p256", "ml-dsa-44", "mayo-2", "hawk-256", "rsa-2048", "uov"];
    let others = ["hmac-sha256-128", "aes-128-cmac-96", "siphash-2-4", "sha-256", "blake3", "aes-256-xts"];
    let exists = |name: &&&str| {
        let name = std::ffi::CString::new(**name).expect("a name");
        unsafe { ft_algorithm_find(name.as_ptr(), &mut null()) == FT_OK }
    };
    let all: Vec<Known> = names.iter().chain(&others).filter(exists).map(of).collect();
    assert!(all.len() >= 10, "{} algorithms of the names above", all.len());
    all
});

/// Bytes of the test's own around every output, which nothing may change.
const GUARD: usize = 32;
const ROOM: usize = 4096;

/// What frees a handle, and so says what it is.
type Free = fn(*mut c_void) -> c_int;

const SIGNING: Free = |key| unsafe { ft_signing_key_free(key.cast()) };
const VERIFYING: Free = |key| unsafe { ft_verifying_key_free(key.cast()) };
const MAC: Free = |key| unsafe { ft_mac_key_free(key.cast()) };
const CIPHER: Free = |key| unsafe { ft_cipher_key_free(key.cast()) };
const STREAM: Free = |stream| unsafe { ft_stream_free(stream.cast()) };

struct Draw<'d> {
    from: &'d [u8],
    /// Handles that are to be freed at the end, with what frees them.
    made: Vec<(*mut c_void, Free)>,
    input: Vec<u8>,
    output: Vec<u8>,
    /// How much of the output the last call was given.
    given: usize,
    numbers: [usize; 8],
}

impl Draw<'_> {
    fn byte(&mut self) -> usize {
        let Some((first, rest)) = self.from.split_first() else { return 0 };
        self.from = rest;
        usize::from(*first)
    }

    /// A pointer that should be such a handle: mostly it is, at times another one or none.
    fn handle<T>(&mut self, wanted: Free) -> *const T {
        let at = self.byte();
        let fitting: Vec<_> = self.made.iter().filter(|made| std::ptr::fn_addr_eq(made.1, wanted)).collect();
        let any: Vec<_> = self.made.iter().collect();
        let known = &KNOWN[at % KNOWN.len()];
        let one = |of: &[&(*mut c_void, Free)]| {
            of.get(at % of.len().max(1)).map_or(null(), |made| made.0.cast_const())
        };
        let (fitting, any) = (one(&fitting), one(&any));
        let pointer: *const c_void = match self.byte() % 16 {
            0 => null(),
            1 => self.input.as_ptr().cast(),
            2 => known.algorithm as *const c_void,
            3 => known.code as *const c_void,
            4 => any,
            _ => fitting,
        };
        pointer.cast()
    }

    fn algorithm(&mut self) -> *const Algorithm {
        match self.byte() % 8 {
            0 => self.handle(STREAM),
            at => KNOWN[(at * 7 + self.byte()) % KNOWN.len()].algorithm as *const Algorithm,
        }
    }

    fn code(&mut self) -> *const Implementation {
        match self.byte() % 8 {
            0 => self.handle(STREAM),
            at => KNOWN[(at * 7 + self.byte()) % KNOWN.len()].code as *const Implementation,
        }
    }

    fn input(&mut self) -> (*const u8, usize) {
        match self.byte() % 10 {
            0 => (null(), self.byte()),
            1 => (null(), 0),
            2 => (self.input.as_ptr(), usize::MAX - self.byte()),
            3 | 4 => {
                let known = &KNOWN[self.byte() % KNOWN.len()];
                let key = &known.keys[self.byte() % known.keys.len()];
                (key.as_ptr(), key.len())
            }
            _ => (self.input.as_ptr(), self.byte() * 3),
        }
    }

    /// An implementation, mostly with a key of its own.
    fn code_and_key(&mut self) -> (*const Implementation, (*const u8, usize)) {
        if self.byte().is_multiple_of(4) {
            return (self.code(), self.input());
        }
        let known = &KNOWN[self.byte() % KNOWN.len()];
        let key = &known.keys[self.byte() % known.keys.len()];
        (known.code as *const Implementation, (key.as_ptr(), key.len()))
    }

    fn room(&mut self) -> (*mut u8, usize) {
        let length = self.byte() * 16;
        self.given = length;
        match self.byte() % 10 {
            0 => {
                self.given = 0;
                (null_mut(), length)
            }
            _ => (self.output[GUARD..].as_mut_ptr(), length),
        }
    }

    fn number(&mut self) -> *mut usize {
        match self.byte() % 12 {
            0 => null_mut(),
            _ => &raw mut self.numbers[0],
        }
    }

    fn text(&mut self) -> *const c_char {
        let texts =
            [c"ml-dsa-44", c"signature", c"dnssec-iana", c"", c"\xff", c"aws-lc", c"digest", c"title"];
        match self.byte() % 12 {
            0 => null(),
            at => texts[at % texts.len()].as_ptr(),
        }
    }

    fn list(&mut self) -> (Vec<Bytes>, usize) {
        let all: Vec<Bytes> = (0..self.byte() % 5)
            .map(|_| {
                let (data, length) = self.input();
                Bytes { data, length }
            })
            .collect();
        let count = match self.byte() % 8 {
            0 => usize::MAX / 2,
            _ => all.len(),
        };
        (all, count)
    }

    fn keep<T>(&mut self, code: c_int, handle: *mut T, free: Free) -> c_int {
        assert_eq!(code == FT_OK, !handle.is_null());
        if !handle.is_null() {
            self.made.push((handle.cast(), free));
        }
        code
    }

    fn call(&mut self) -> c_int {
        unsafe {
            match self.byte() % 24 {
                0 => ft_algorithm_find(self.text(), &mut null()),
                1 => ft_algorithm_find_number(self.text(), 18, &mut null()),
                2 => ft_algorithm_size(self.algorithm(), self.text(), self.number()),
                3 => ft_algorithm_fact(self.algorithm(), self.text(), &mut null()),
                4 => ft_algorithm_fact_at(self.algorithm(), self.byte(), &mut null(), &mut null()),
                5 => ft_implementation_find(self.algorithm(), self.text(), &mut null()),
                6 => ft_key_forms(self.code(), &mut 0, &mut 0),
                7 => {
                    let (secret, room) = self.room();
                    let code = self.code();
                    // One output lies behind the other; of RSA it would take too long.
                    if code as usize == KNOWN[5].code {
                        return FT_OK;
                    }
                    let half = room / 2;
                    let public = if secret.is_null() { secret } else { secret.add(half) };
                    ft_generate(code, secret, half, self.number(), public, half, &raw mut self.numbers[1])
                }
                8 | 9 => {
                    let (mut key, (code, (bytes, length))) = (null_mut(), self.code_and_key());
                    let result = ft_signing_key_new(code, bytes, length, &mut key);
                    self.keep(result, key, SIGNING)
                }
                10 | 11 => {
                    let (mut key, (code, (bytes, length))) = (null_mut(), self.code_and_key());
                    let result = ft_verifying_key_new(code, bytes, length, &mut key);
                    self.keep(result, key, VERIFYING)
                }
                12 => {
                    let (mut key, (code, (bytes, length))) = (null_mut(), self.code_and_key());
                    let result = ft_mac_key_new(code, bytes, length, &mut key);
                    self.keep(result, key, MAC)
                }
                13 => {
                    let (mut key, (code, (bytes, length))) = (null_mut(), self.code_and_key());
                    let result = ft_cipher_key_new(code, bytes, length, &mut key);
                    self.keep(result, key, CIPHER)
                }
                14 => {
                    let (mut stream, code) = (null_mut(), self.code());
                    let result = ft_stream_new(code, &mut stream);
                    self.keep(result, stream, STREAM)
                }
                15 => {
                    let ((message, length), (data, room)) = (self.input(), self.room());
                    ft_sign(self.handle(SIGNING), message, length, data, room, self.number())
                }
                16 => {
                    let ((message, length), (signature, long)) = (self.input(), self.input());
                    ft_verify(self.handle(VERIFYING), message, length, signature, long)
                }
                17 => {
                    let ((messages, count), (data, room)) = (self.list(), self.room());
                    let stride = room / messages.len().max(1);
                    ft_sign_many(self.handle(SIGNING), messages.as_ptr(), count, data, stride, self.number())
                }
                18 => {
                    let ((messages, count), (signatures, _)) = (self.list(), self.list());
                    let count = if count > 9 { count } else { count.min(signatures.len()) };
                    ft_verify_many(
                        self.handle(VERIFYING),
                        messages.as_ptr(),
                        signatures.as_ptr(),
                        count,
                        self.number(),
                    )
                }
                19 => {
                    let ((message, length), (data, room)) = (self.input(), self.room());
                    ft_digest(self.code(), message, length, data, room, self.number())
                }
                20 => {
                    let (data, room) = self.room();
                    let (piece, length) = self.input();
                    match self.byte() % 3 {
                        0 => ft_stream_finish(self.handle(STREAM), data, room, self.number()),
                        _ => ft_stream_update(self.handle(STREAM), piece, length),
                    }
                }
                21 => {
                    let ((message, length), (data, room)) = (self.input(), self.room());
                    match self.byte() % 2 {
                        0 => ft_mac_tag(self.handle(MAC), message, length, data, room / 16),
                        _ => ft_mac_verify(self.handle(MAC), message, length, data, room / 16),
                    }
                }
                22 => {
                    let ((messages, count), (data, room)) = (self.list(), self.room());
                    let stride = room / messages.len().max(1);
                    match self.byte() % 2 {
                        0 => ft_mac_tag_many(self.handle(MAC), messages.as_ptr(), count, data, stride),
                        _ => ft_digest_many(self.code(), messages.as_ptr(), count, data, stride),
                    }
                }
                _ => {
                    let (data, room) = self.room();
                    let size = [0, 16, 512, 1000, usize::MAX][self.byte() % 5];
                    let tweak = if self.byte().is_multiple_of(9) { null() } else { self.input.as_ptr() };
                    match self.byte() % 2 {
                        0 => ft_cipher_encrypt(self.handle(CIPHER), tweak, u64::MAX, size, data, room),
                        _ => ft_cipher_decrypt(self.handle(CIPHER), tweak, 1, size, data, room),
                    }
                }
            }
        }
    }
}

/// Makes the calls that these bytes say. Every one ends with a code, and nothing is written where it should not be.
pub(crate) fn run(from: &[u8]) {
    let mut draw = Draw {
        from,
        made: Vec::new(),
        input: (0..1024_u32).map(|i| (i % 241).to_le_bytes()[0]).collect(),
        output: vec![0xee; GUARD + ROOM + GUARD],
        given: 0,
        numbers: [0; 8],
    };
    while !draw.from.is_empty() {
        draw.given = 0;
        draw.output.fill(0xee);
        let result = draw.call();
        assert!((FT_EINTERNAL + 1..=FT_OK).contains(&result), "{result}: {}", detail());
        let around = draw.output[..GUARD].iter().chain(&draw.output[GUARD + draw.given..]);
        assert!(around.copied().all(|byte| byte == 0xee), "written outside of {} bytes", draw.given);
    }
    for (handle, free) in draw.made {
        well(free(handle));
    }
}
