//! What the way through libfieldtest costs: the same operation through the shared library and by the catalog's own traits.
//!
//! `cargo run --release -p fieldtest-c --example boundary target/lab/c/usr/lib/libfieldtest.so.0`

// Functions of a shared library are called, and the processor's counter is read.
#![allow(unsafe_code)]
// An example prints.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::ffi::{CString, c_char, c_int};
use std::hint::black_box;
use std::ptr;

use fieldtest_c::{Algorithm, FT_OK, Implementation, MacKey, SigningKey, VerifyingKey};
use fieldtest_catalog::{Wanted, host, mac, signature};
use libloading::{Library, Symbol};

/// Calls of one window, short enough for many windows to pass without an interrupt.
const CALLS: u32 = 64;
const WINDOWS: u32 = 2000;

type Made = Result<(), Box<dyn Error>>;
type New<K> = unsafe extern "C" fn(*const Implementation, *const u8, usize, *mut *mut K) -> c_int;
type Find = unsafe extern "C" fn(*const c_char, *mut *const Algorithm) -> c_int;
type FindImplementation =
    unsafe extern "C" fn(*const Algorithm, *const c_char, *mut *const Implementation) -> c_int;
type Sign = unsafe extern "C" fn(*const SigningKey, *const u8, usize, *mut u8, usize, *mut usize) -> c_int;
type Verify = unsafe extern "C" fn(*const VerifyingKey, *const u8, usize, *const u8, usize) -> c_int;
type Tag = unsafe extern "C" fn(*const MacKey, *const u8, usize, *mut u8, usize) -> c_int;

fn main() -> Made {
    let path = std::env::args().nth(1).ok_or("name the shared library")?;
    host::look_only_for([]);
    // SAFETY: the library's initialisers are those of Rust's standard library and of what is compiled in.
    let library = unsafe { Library::new(&path) }.map_err(|error| format!("{path}: {error}"))?;
    println!("{:<28}{:>12}{:>12}{:>12}", "cycles of the time stamp", "direct", "through C", "the way");
    tags(&library, "siphash-2-4-128")?;
    tags(&library, "aes-128-cmac-96")?;
    signatures(&library, "ecdsa-p256")?;
    signatures(&library, "ml-dsa-44")
}

/// The implementation that serves, in the library.
fn serving(library: &Library, name: &str) -> Result<*const Implementation, Box<dyn Error>> {
    let name = CString::new(name)?;
    let (mut algorithm, mut code) = (ptr::null(), ptr::null());
    // SAFETY: the types are the header's; texts and places are our own.
    unsafe {
        let find: Symbol<'_, Find> = library.get(b"ft_algorithm_find")?;
        well(find(name.as_ptr(), &mut algorithm))?;
        let find: Symbol<'_, FindImplementation> = library.get(b"ft_implementation_find")?;
        well(find(algorithm, ptr::null(), &mut code))?;
    }
    Ok(code)
}

fn prepared<K>(
    library: &Library,
    function: &str,
    algorithm: &str,
    key: &[u8],
) -> Result<*mut K, Box<dyn Error>> {
    let code = serving(library, algorithm)?;
    let mut made = ptr::null_mut();
    // SAFETY: as above.
    unsafe {
        let new: Symbol<'_, New<K>> = library.get(function.as_bytes())?;
        well(new(code, key.as_ptr(), key.len(), &mut made))?;
    }
    Ok(made)
}

fn tags(library: &Library, name: &str) -> Made {
    let code = mac::find(name)?.served(Wanted::Any)?;
    let mut traffic_key = Vec::new();
    code.code.derive(&[7; 16], b"context", &mut traffic_key)?;
    let direct = code.code.prepare(&traffic_key)?;
    let key: *mut MacKey = prepared(library, "ft_mac_key_new", name, &traffic_key)?;
    // SAFETY: the type is the header's.
    let tag: Symbol<'_, Tag> = unsafe { library.get(b"ft_mac_tag")? };
    let (message, mut out) = ([9; 16], [0; 8]);
    compare(
        &format!("{name}: tag"),
        &mut |out| direct.tag(black_box(&message), out).is_ok(),
        // SAFETY: a key of this library, and memory of our own.
        &mut |out| unsafe { tag(key, black_box(&message).as_ptr(), 16, out.as_mut_ptr(), 8) == FT_OK },
        &mut out,
    )
}

fn signatures(library: &Library, name: &str) -> Made {
    let code = signature::find(name)?.served(Wanted::Any)?;
    let pair = code.code.generate()?;
    let (signing, verifying) = (code.code.signing_key(&pair.secret)?, code.code.verifying_key(&pair.public)?);
    let key: *mut SigningKey = prepared(library, "ft_signing_key_new", name, &pair.secret)?;
    let public: *mut VerifyingKey = prepared(library, "ft_verifying_key_new", name, &pair.public)?;
    // SAFETY: the types are the header's.
    let (sign, verify): (Symbol<'_, Sign>, Symbol<'_, Verify>) =
        unsafe { (library.get(b"ft_sign")?, library.get(b"ft_verify")?) };
    let message = [9; 32];
    let mut signature = Vec::new();
    signing.sign(&message, &mut signature)?;
    let right = signature.clone();
    let length = right.len();
    compare(
        &format!("{name}: verify"),
        &mut |_| verifying.verify(black_box(&message), &right).is_ok(),
        // SAFETY: a key of this library, and memory of our own.
        &mut |_| unsafe { verify(public, black_box(&message).as_ptr(), 32, right.as_ptr(), length) == FT_OK },
        &mut [],
    )?;
    let mut out = vec![0; length];
    let mut made = 0;
    compare(
        &format!("{name}: sign"),
        &mut |_| signing.sign(black_box(&message), &mut signature).is_ok(),
        // SAFETY: as above.
        &mut |out| unsafe {
            sign(key, black_box(&message).as_ptr(), 32, out.as_mut_ptr(), length, &mut made) == FT_OK
        },
        &mut out,
    )
}

type Operation<'a> = &'a mut dyn FnMut(&mut [u8]) -> bool;

/// Both ways in turn. The least of many windows is what neither interrupts nor neighbours added to.
fn compare<'a>(what: &str, direct: Operation<'a>, through: Operation<'a>, out: &mut [u8]) -> Made {
    let mut best = [f64::INFINITY; 2];
    let mut windows = WINDOWS;
    let begun = std::time::Instant::now();
    while windows > 0 && begun.elapsed().as_secs() < 3 {
        windows -= 1;
        for (best, operation) in best.iter_mut().zip([&mut *direct, &mut *through]) {
            let start = counter();
            for _ in 0..CALLS {
                if !operation(black_box(out)) {
                    return Err(format!("{what} failed").into());
                }
            }
            let end = counter();
            *best = best.min((end - start) as f64 / f64::from(CALLS));
        }
    }
    println!("{what:<28}{:>12.0}{:>12.0}{:>12.0}", best[0], best[1], best[1] - best[0]);
    Ok(())
}

#[cfg(target_arch = "x86_64")]
fn counter() -> u64 {
    // SAFETY: the instruction is on every processor of this architecture.
    unsafe { std::arch::x86_64::_rdtsc() }
}

/// Elsewhere nanoseconds stand for cycles.
#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    u64::try_from(START.get_or_init(std::time::Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

fn well(code: c_int) -> Made {
    match code {
        FT_OK => Ok(()),
        code => Err(format!("libfieldtest returned {code}").into()),
    }
}
