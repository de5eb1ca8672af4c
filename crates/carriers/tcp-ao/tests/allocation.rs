//! Once the buffers have grown, no segment costs an allocation. The allocator counts for a whole process, so this one has no
//! other test.

// A global allocator can only be written with unsafe code; this one counts and otherwise does what the system's does.
#![allow(unsafe_code)]

#[path = "common/stack.rs"]
mod stack;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use fieldtest_kinds::Error;
use fieldtest_kinds::mac::{Mac, MacKey};
use fieldtest_tcp_ao::{Batch, Mkt, Packet, Session};
use stack::{ACK, End, handshake};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `System.alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: `pointer` came from `System.alloc` above, and the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Adds the bytes up, so that the libraries under real MACs do not count.
struct Total;

impl Mac for Total {
    fn derive(&self, _: &[u8], context: &[u8], traffic_key: &mut Vec<u8>) -> Result<(), Error> {
        traffic_key.clear();
        traffic_key.extend_from_slice(context);
        Ok(())
    }
    fn prepare(&self, _: &[u8]) -> Result<Box<dyn MacKey>, Error> {
        Ok(Box::new(Total))
    }
    fn longest_tag(&self) -> usize {
        36
    }
}

impl MacKey for Total {
    fn tag(&self, message: &[u8], tag: &mut [u8]) -> Result<(), Error> {
        tag.fill(message.iter().fold(0, |sum, byte| sum.wrapping_add(*byte)));
        Ok(())
    }
}

fn ends() -> (End, End) {
    let mac: Arc<dyn Mac> = Arc::new(Total);
    let mkt = |send, receive| Arc::new(Mkt::new(send, receive, b"key", Arc::clone(&mac), 12).unwrap());
    let mut a = End::new("192.0.2.1:40000", "192.0.2.2:179", 1, [mkt(1, 2)]);
    let mut b = End::new("192.0.2.2:179", "192.0.2.1:40000", 2, [mkt(2, 1)]);
    handshake(&mut a, &mut b);
    (a, b)
}

fn allocations_of(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn signing_and_verifying_single_segments() {
    let (mut a, mut b) = ends();
    let bare: Vec<_> = (0..50).map(|n| a.segment(ACK, a.next + n, &stack::DATA_OPTIONS, &[1; 90])).collect();
    let mut out = Vec::new();
    let mut once = |a: &mut Session, b: &mut Session| {
        for bare in &bare {
            a.sign(bare, &mut out).unwrap();
            a.seal(&mut out).unwrap();
            b.verify(&out).unwrap();
            out[50] ^= 1;
            b.verify(&out).unwrap_err();
        }
    };
    once(&mut a.session, &mut b.session);
    assert_eq!(allocations_of(|| once(&mut a.session, &mut b.session)), 0);
}

#[test]
fn signing_and_verifying_batches() {
    let (a, b) = ends();
    let bare: Vec<_> = (0..50).map(|n| a.segment(ACK, a.next + n, &stack::DATA_OPTIONS, &[1; 90])).collect();
    let bare: Vec<_> = bare.iter().map(|bytes| (0, Packet::parse(bytes).unwrap().unwrap())).collect();
    let (mut a, mut b) = ([a.session], [b.session]);
    let (mut signing, mut verifying) = (Batch::new(), Batch::new());
    let (mut out, mut signed, mut verified) = (Vec::new(), Vec::new(), Vec::new());

    signing.sign(&mut a, &bare, &mut out, &mut signed);
    assert_eq!(allocations_of(|| signing.sign(&mut a, &bare, &mut out, &mut signed)), 0);

    let packets = signed.iter().map(|signed| (0, out[signed.as_ref().unwrap().bytes.clone()].to_vec()));
    let (mut packets, mut sealed) = (packets.collect::<Vec<_>>(), Vec::new());
    signing.seal(&mut a, &mut packets, &mut sealed);
    assert_eq!(allocations_of(|| signing.seal(&mut a, &mut packets, &mut sealed)), 0);
    assert!(sealed.iter().all(Result::is_ok));

    let received: Vec<_> = signed
        .iter()
        .map(|signed| (0, Packet::parse(&out[signed.as_ref().unwrap().bytes.clone()]).unwrap().unwrap()))
        .collect();
    verifying.verify(&mut b, &received, &mut verified);
    assert_eq!(allocations_of(|| verifying.verify(&mut b, &received, &mut verified)), 0);
    assert!(verified.iter().all(Result::is_ok));
}
