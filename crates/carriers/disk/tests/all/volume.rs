//! A volume behaves like a vector of bytes, whatever its sectors and segments.

use std::fs;
use std::thread;

use crate::common::*;
use fieldtest_disk::{Access, Container, Error, Numbering, SectorCipher, Volume};
use proptest::prelude::*;

const DATA: usize = 64 << 10;

fn volume(directory: &std::path::Path, sector_size: u32) -> Volume {
    let path = directory.join("container");
    create(&path, DATA as u64, &parameters("aes-xts-plain64", 32, sector_size));
    volume_of(&path, Access::Write)
}

#[derive(Debug, Clone)]
enum Step {
    Read { offset: usize, length: usize },
    Write { offset: usize, length: usize, seed: u64 },
    Zeros { offset: usize, length: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let range = (0..DATA, 0..9000_usize, any::<bool>()).prop_map(|(offset, length, aligned)| {
        let (offset, length) = if aligned { (offset & !511, length & !511) } else { (offset, length) };
        (offset, length.min(DATA - offset))
    });
    (range, 0..4_u8, any::<u64>()).prop_map(|((offset, length), kind, seed)| match kind {
        0 => Step::Read { offset, length },
        1 => Step::Zeros { offset, length },
        _ => Step::Write { offset, length, seed },
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_volume_is_a_vector(
        sector_size in prop::sample::select(vec![512, 1024, 2048, 4096]),
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let volume = volume(directory.path(), sector_size);
        let mut model = pattern(DATA, 9);
        volume.write_at(&model, 0).unwrap();
        for step in steps {
            match step {
                Step::Read { offset, length } => {
                    let mut read = vec![0; length];
                    volume.read_at(&mut read, offset as u64).unwrap();
                    prop_assert_eq!(&read, &model[offset..offset + length]);
                }
                Step::Write { offset, length, seed } => {
                    let data = pattern(length, seed);
                    volume.write_at(&data, offset as u64).unwrap();
                    model[offset..offset + length].copy_from_slice(&data);
                }
                Step::Zeros { offset, length } => {
                    volume.write_zeros(offset as u64, length as u64).unwrap();
                    model[offset..offset + length].fill(0);
                }
            }
        }
        prop_assert_eq!(beginning(&volume, DATA), model);
    }
}

/// Many threads write neighbouring parts of the same sectors; none may lose another's bytes.
#[test]
fn threads_share_sectors() {
    let directory = tempfile::tempdir().unwrap();
    let volume = volume(directory.path(), 4096);
    volume.write_zeros(0, DATA as u64).unwrap();
    const THREADS: usize = 4;
    thread::scope(|scope| {
        for number in 0..THREADS {
            let volume = &volume;
            scope.spawn(move || {
                let mine = vec![u8::try_from(number).unwrap() + 1; 512];
                for round in 0..20 {
                    for block in (number..DATA / 512).step_by(THREADS) {
                        let offset = (block * 512) as u64;
                        volume.write_at(&mine, offset).unwrap();
                        let mut read = [0; 512];
                        volume.read_at(&mut read, offset).unwrap();
                        assert_eq!(read[..], mine[..], "round {round}, block {block}");
                    }
                }
            });
        }
    });
    let read = beginning(&volume, DATA);
    for (block, bytes) in read.chunks(512).enumerate() {
        assert!(bytes.iter().all(|&byte| usize::from(byte) == block % THREADS + 1), "block {block}");
    }
}

/// IEEE 1619-2007, appendix B, vector 4: AES-128-XTS of data unit 0 under the keys of vector 4.
#[test]
fn sectors_of_a_plain_volume_are_those_of_the_standard() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plain");
    fs::write(&path, vec![0; 3 * 512]).unwrap();
    let keys = "2718281828459045235360287471352631415926535897932384626433832795";
    let keys = data_encoding::HEXLOWER.decode(keys.as_bytes()).unwrap();
    let numbering = Numbering { sector_size: 512, iv_tweak: 0, large_sectors: false };
    let spec = "aes-xts-plain64".parse().unwrap();
    let open = |access| {
        let cipher = SectorCipher::find_numbered(&spec, 32, numbering, &ciphers).unwrap();
        Volume::open_plain(&path, access, 512, cipher.with_key(&keys).unwrap())
    };
    let volume = open(Access::Write).unwrap();
    assert_eq!(volume.size(), 1024);
    let plaintext: Vec<u8> = (0..512).map(|number| (number % 256) as u8).collect();
    volume.write_at(&plaintext, 0).unwrap();
    assert!(matches!(open(Access::Read), Err(Error::InUse(_))));
    let file = fs::read(&path).unwrap();
    assert_eq!(
        data_encoding::HEXLOWER.encode(&file[512..544]),
        "27a7479befa1d476489f308cd4cfa6e2a96e4bbe3208ff25287dd3819616e89c"
    );
    assert_eq!(file[..512], [0; 512]);
}

/// A header with three segments, each with its own sectors; then one of them is in the clear.
#[test]
fn segments_follow_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("container");
    let key = create(&path, 64 << 10, &parameters("aes-xts-plain64", 32, 512));
    let mut json = metadata(&path);
    json["segments"] = serde_json::json!({
        "0": {"type": "crypt", "offset": "16793600", "size": "8192", "iv_tweak": "3",
              "encryption": "aes-xts-plain64", "sector_size": 4096},
        "1": {"type": "crypt", "offset": "16777216", "size": "4096", "iv_tweak": "0",
              "encryption": "aes-xts-plain64", "sector_size": 1024},
        "2": {"type": "crypt", "offset": "16801792", "size": "dynamic", "iv_tweak": "16",
              "encryption": "aes-xts-plain64", "sector_size": 512},
    });
    json["digests"]["0"]["segments"] = serde_json::json!(["0", "1", "2"]);
    replace_metadata(&path, &json.to_string());
    let container = Container::open(&path, Access::Write).unwrap();
    let volume = container.into_volume(&key, &ciphers).unwrap();
    let rest = (64 << 10) - 8192 - 16_384;

    assert_eq!(volume.size(), 8192 + 4096 + rest);
    let data = pattern(usize::try_from(volume.size()).unwrap(), 10);
    volume.write_at(&data, 0).unwrap();
    let mut read = vec![0; 9000];
    volume.read_at(&mut read, 5000).unwrap();
    assert_eq!(read, data[5000..14_000]);
    drop(volume);

    json["segments"]["1"] = serde_json::json!({"type": "linear", "offset": "16777216", "size": "4096"});
    json["digests"]["0"]["segments"] = serde_json::json!(["0", "2"]);
    replace_metadata(&path, &json.to_string());
    let before = fs::read(&path).unwrap();
    let open = |access| Container::open(&path, access).unwrap().into_volume(&key, &ciphers);
    let read = beginning(&open(Access::Read).unwrap(), data.len());
    assert!(read[..8192] == data[..8192] && read[12_288..] == data[12_288..]);
    assert!(read[8192..12_288] == before[16 << 20..][..4096], "the linear segment is read as it is");
    let refused = open(Access::Write);
    assert!(matches!(refused, Err(Error::Unsupported { what, .. }) if what.contains("segment 1 ")));
    assert!(fs::read(&path).unwrap() == before);
}
