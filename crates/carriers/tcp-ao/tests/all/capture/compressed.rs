//! Compressed captures are read like others, and damaged ones are refused.

use std::io::{Read, Write};

use fieldtest_tcp_ao::capture::{CaptureError, Fault, Problem, Reader, uncompressed};
use fieldtest_tcp_ao::sign::sign;
use fieldtest_tcp_ao::verify::{Report, Verifier, VerifyError, verify};

use super::traffic::{capture, key, pair, plan, session, verifier};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut out = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(1)).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

fn judged(bytes: &[u8]) -> Report {
    let mut reader = Reader::new(uncompressed(bytes).unwrap()).unwrap();
    verify(&mut reader, verifier(), |_| {}).unwrap()
}

type Compress = fn(&[u8]) -> Vec<u8>;

const FORMS: [(&str, Compress); 4] =
    [("as it is", <[u8]>::to_vec), ("gzip", gzip), ("xz", xz), ("Zstandard", zstandard)];

#[test]
fn every_form_verifies() {
    let file = capture(&session(&pair(), 200, 1000));
    for (name, compress) in FORMS {
        // In one piece, and in two, as programs that write in turn leave it.
        let whole = compress(&file);
        let parts = [compress(&file[..1000]), compress(&file[1000..])].concat();
        for bytes in [whole, parts] {
            let report = judged(&bytes);
            assert!(report.is_good(), "{name}: {}", report.counts);
            assert_eq!(report.counts.verified, 403);
        }
    }
}

#[test]
fn skippable_frames_are_skipped() {
    let frame = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9];
    let bytes = [&frame[..], &zstandard(b"one "), &frame, &zstandard(b"two")].concat();
    let mut text = String::new();
    uncompressed(bytes.as_slice()).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "one two");
}

/// What `zstd --long=28` and above writes, where it has so much to compress: the frame's header asks for the window
/// (RFC 8878, section 3.1.1.1.2).
#[test]
fn windows_that_are_too_large_are_named() {
    let file = capture(&session(&pair(), 20, 100));
    // No single segment, no checksum, no content size; a window of 2^28 bytes; a raw last block of one byte.
    let long = [0x28, 0xb5, 0x2f, 0xfd, 0, (28 - 10) << 3, 9, 0, 0, 7];
    let bytes = [&zstandard(&file)[..], &long].concat();
    let report = judged(&bytes);
    assert_eq!((report.counts.verified, report.problem_count), (43, 1));
    assert!(matches!(report.problems[0].fault, Fault::Window { needed: 0x1000_0000, .. }));
    let text = report.problems[0].to_string();
    assert!(text.contains("256 MiB") && text.contains("--long=31"), "{text}");
}

#[test]
fn damage_ends_in_an_error_and_never_in_less() {
    let content = [7; 5000];
    for (name, compress) in &FORMS[1..] {
        let bytes = compress(&content);
        for length in 6..bytes.len() {
            let mut out = Vec::new();
            let read = uncompressed(&bytes[..length]).and_then(|mut it| it.read_to_end(&mut out));
            assert!(read.is_err() || out == content, "{name} cut to {length}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let mut out = Vec::new();
            // Whatever comes of it, it comes to an end.
            let _ = uncompressed(damaged.as_slice()).and_then(|it| it.take(1 << 20).read_to_end(&mut out));
        }
    }
}

#[test]
fn other_compressions_are_named() {
    for (bytes, command) in [(&b"BZh91AY"[..], "bunzip2"), (&[4, 0x22, 0x4d, 0x18, 0, 0, 0], "lz4")] {
        let error = uncompressed(bytes).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(command), "{error}");
    }
}

/// What could be unpacked is judged, and then there is a fault: a capture that is cut off is no reason to say nothing.
#[test]
fn what_comes_before_the_damage_is_judged() {
    let file = capture(&session(&pair(), 200, 1000));
    for (name, compress) in &FORMS[1..] {
        let parts = [compress(&file[..100_000]), compress(&file[100_000..])].concat();
        let cut = parts[..parts.len() - 9].to_vec();
        let mut changed = parts.clone();
        let in_the_second = compress(&file[..100_000]).len() + 40;
        changed[in_the_second..].fill(0xa5);
        for (bytes, ends) in [(cut, true), (changed, false)] {
            let report = judged(&bytes);
            assert!(report.counts.verified > 150, "{name}: {}", report.counts);
            // Changed data unpacks to something, until the decoder or its checksum notices: how much depends on the decoder.
            if ends {
                assert_eq!(report.counts.bad(), 0, "{name}: {}", report.counts);
                assert_eq!(report.problem_count, 1, "{name}: {:?}", report.problems);
            }
            let damaged = |problem: &Problem| matches!(problem.fault, Fault::Damaged(_));
            assert!(report.problems.iter().any(damaged), "{name}: {:?}", report.problems);
            assert!(!report.is_good());
            let mut reader = Reader::new(uncompressed(bytes.as_slice()).unwrap()).expect(name);
            let (_, summary) = sign(&mut reader, Vec::new(), &plan(), &[]).unwrap();
            assert!(summary.problem_count == 1 || !ends && summary.problem_count > 1);
        }
    }
}

/// As for gzip: zeros are padding, and what else is behind is worth a warning.
#[test]
fn what_stands_behind_gzip_data() {
    let file = capture(&session(&pair(), 20, 100));
    for (behind, warnings) in
        [(&[0; 600][..], 0), (b"junk", 1), (b"\x1fjunk", 1), (b"\0\0junk", 1), (b"\0\x1f\x8b\x08", 1)]
    {
        let bytes = [&gzip(&file), behind].concat();
        let report = judged(&bytes);
        assert!(report.is_good(), "{behind:?}: {:?}", report.problems);
        assert_eq!((report.counts.verified, report.problems.len()), (43, warnings), "{behind:?}");
        assert!(report.problems.iter().all(|problem| problem.fault == Fault::Junk));
    }
}

/// The system's own errors are no damage.
#[test]
fn errors_of_the_system_stay_what_they_are() {
    struct Failing<'a>(&'a [u8]);
    impl Read for Failing<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            match self.0.read(out)? {
                0 => Err(std::io::Error::from_raw_os_error(5)),
                some => Ok(some),
            }
        }
    }
    let file = capture(&session(&pair(), 20, 100));
    for (name, compress) in FORMS {
        let bytes = compress(&file);
        let source = Failing(&bytes[..bytes.len() - 20]);
        let report = Reader::new(uncompressed(source).unwrap()).map_err(VerifyError::Capture);
        let report = report.and_then(|mut reader| {
            verify(&mut reader, Verifier::new(vec![key(61)], &[]), |_| {}).map(|_| ())
        });
        let Err(VerifyError::Capture(CaptureError::Read(error))) = report else {
            panic!("{name}: {report:?}")
        };
        assert_eq!(error.raw_os_error(), Some(5), "{name}");
    }
}
