//! Every mode over many sectors against its definition block by block, for every cipher and every path of AES, and
//! against RustCrypto's implementations.

use crate::aes_by::AesBy;
use aes::cipher::{KeyInit, KeyIvInit, StreamCipher};
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{Block, BlockCipher16, Cbc, Ctr, Ecb, Error, SectorMode, Xts};
use proptest::collection::vec;
use proptest::prelude::*;

/// Sectors with what they are encrypted under.
#[derive(Debug, Clone)]
struct Job {
    key: Vec<u8>,
    first: u128,
    step: u64,
    sector_size: usize,
    data: Vec<u8>,
}

/// Any sectors of whole blocks, together up to 600 blocks.
fn job() -> impl Strategy<Value = Job> {
    let sizes = prop_oneof![Just(512), Just(4096), (1usize..70).prop_map(|blocks| 16 * blocks)];
    let key = prop_oneof![vec(any::<u8>(), 32), vec(any::<u8>(), 48), vec(any::<u8>(), 64)];
    let first = prop_oneof![any::<u128>(), any::<u64>().prop_map(u128::from), u128::MAX - 9..u128::MAX];
    let steps = prop_oneof![Just(1), Just(8), any::<u64>()];
    (sizes, key, first, steps)
        .prop_flat_map(|(sector_size, key, first, step)| {
            let sectors = 0..=(9600 / sector_size).min(150);
            (Just((sector_size, key, first, step)), sectors, any::<u64>())
        })
        .prop_map(|((sector_size, key, first, step), sectors, seed)| Job {
            key,
            first,
            step,
            sector_size,
            data: noise(seed, sectors * sector_size),
        })
}

/// Bytes without a pattern.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    std::iter::successors(Some(seed), next).map(|state| (state >> 56) as u8).take(length).collect()
}

impl Job {
    /// `sector` called on every sector with its number, sixteen bytes long.
    fn by_sector(&self, sector: impl Fn(Block, &mut [u8])) -> Vec<u8> {
        let mut data = self.data.clone();
        let mut number = self.first;
        for bytes in data.chunks_mut(self.sector_size) {
            sector(number.to_le_bytes(), bytes);
            number = number.wrapping_add(self.step.into());
        }
        data
    }

    /// The mode gives what is expected, and takes it back.
    fn agrees(&self, mode: &impl SectorMode, name: &str, expected: &[u8]) {
        let mut data = self.data.clone();
        mode.encrypt_sectors(self.first, self.step, self.sector_size, &mut data).unwrap();
        assert!(
            data == expected,
            "{name} encrypts otherwise: {} bytes each {}",
            data.len(),
            self.sector_size
        );
        mode.decrypt_sectors(self.first, self.step, self.sector_size, &mut data).unwrap();
        assert!(
            data == self.data,
            "{name} decrypts otherwise: {} bytes each {}",
            data.len(),
            self.sector_size
        );
    }

    /// All modes of sectors against their definitions.
    fn all_modes<C: BlockCipher16>(&self) {
        let key = &self.key[..self.key.len() / 2];
        let cipher = C::with_key(key).unwrap();
        let tweak_cipher = C::with_key(&self.key[key.len()..]).unwrap();
        let encrypt = |cipher: &C, block: Block| {
            let mut blocks = [block];
            cipher.encrypt(&mut blocks);
            blocks[0]
        };
        let xor = |a: Block, b: Block| (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes();

        let expected = self.by_sector(|_, sector| {
            sector.as_chunks_mut().0.iter_mut().for_each(|block| *block = encrypt(&cipher, *block));
        });
        self.agrees(&Ecb::<C>::new(key).unwrap(), "ECB", &expected);

        let expected = self.by_sector(|number, sector| {
            let mut before = number;
            for block in sector.as_chunks_mut().0 {
                *block = encrypt(&cipher, xor(*block, before));
                before = *block;
            }
        });
        self.agrees(&Cbc::<C>::new(key).unwrap(), "CBC", &expected);

        let expected = self.by_sector(|number, sector| {
            let mut counter = u128::from_be_bytes(number);
            for block in sector.as_chunks_mut().0 {
                *block = xor(*block, encrypt(&cipher, counter.to_be_bytes()));
                counter = counter.wrapping_add(1);
            }
        });
        self.agrees(&Ctr::<C>::new(key).unwrap(), "CTR", &expected);

        let expected = self.by_sector(|number, sector| {
            let mut mask = encrypt(&tweak_cipher, number);
            for block in sector.as_chunks_mut().0 {
                *block = xor(encrypt(&cipher, xor(*block, mask)), mask);
                let number = u128::from_le_bytes(mask);
                mask = (number << 1 ^ if number >> 127 == 1 { 0x87 } else { 0 }).to_le_bytes();
            }
        });
        self.agrees(&Xts::<C>::new(&self.key).unwrap(), "XTS", &expected);
    }
}

/// The sector as RustCrypto's XTS encrypts it.
fn by_xts_mode(key: &[u8], tweak: Block, sector: &mut [u8]) {
    let (data, tweaks) = key.split_at(key.len() / 2);
    match data.len() {
        16 => xts_mode::Xts128::new(
            aes::Aes128::new_from_slice(data).unwrap(),
            aes::Aes128::new_from_slice(tweaks).unwrap(),
        )
        .encrypt_sector(sector, tweak.into()),
        24 => xts_mode::Xts128::new(
            aes::Aes192::new_from_slice(data).unwrap(),
            aes::Aes192::new_from_slice(tweaks).unwrap(),
        )
        .encrypt_sector(sector, tweak.into()),
        _ => xts_mode::Xts128::new(
            aes::Aes256::new_from_slice(data).unwrap(),
            aes::Aes256::new_from_slice(tweaks).unwrap(),
        )
        .encrypt_sector(sector, tweak.into()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn modes_of_sectors(job in job()) {
        job.all_modes::<AesBy<0>>();
        job.all_modes::<AesBy<1>>();
        job.all_modes::<AesBy<2>>();
        job.all_modes::<AesBy<3>>();
        job.all_modes::<Aes>();
        job.all_modes::<Aria>();
        job.all_modes::<Lea>();
    }

    #[test]
    fn xts_of_any_size(job in job(), size in 16usize..600, seed: u64) {
        let job = Job { sector_size: size, data: noise(seed, size * (2000 / size)), ..job };
        let expected = job.by_sector(|number, sector| by_xts_mode(&job.key, number, sector));
        job.agrees(&Xts::<AesBy<0>>::new(&job.key).unwrap(), "XTS", &expected);
        job.agrees(&Xts::<Aes>::new(&job.key).unwrap(), "XTS", &expected);
    }

    #[test]
    fn ctr_of_any_length(key: [u8; 32], counter: Block, message in vec(any::<u8>(), 0..5000)) {
        let mut expected = message.clone();
        ctr::Ctr128BE::<aes::Aes256>::new(&key.into(), &counter.into()).apply_keystream(&mut expected);
        let mut found = message;
        Ctr::<Aes>::new(&key).unwrap().apply(&counter, &mut found);
        prop_assert_eq!(found, expected);
    }
}

/// Sectors that are no whole blocks: CTR takes them, the others refuse.
#[test]
fn partial_blocks() {
    let key = [7; 16];
    let mut data = vec![1; 3 * 100];
    Ctr::<Aes>::new(&key).unwrap().encrypt_sectors(5, 1, 100, &mut data).unwrap();
    for (number, sector) in (5_u128..).zip(data.chunks(100)) {
        let mut alone = [1; 100];
        Ctr::<Aes>::new(&key).unwrap().apply(&number.to_le_bytes(), &mut alone);
        assert_eq!(sector, alone);
    }
    for size in [0, 100] {
        let refused = Cbc::<Aes>::new(&key).unwrap().encrypt_sectors(5, 1, size, &mut data);
        assert!(matches!(refused, Err(Error::SectorSize { found, .. }) if found == size));
        let refused = Ecb::<Aes>::new(&key).unwrap().decrypt_sectors(5, 1, size, &mut data);
        assert!(matches!(refused, Err(Error::SectorSize { found, .. }) if found == size));
    }
}
