//! Lengths that nobody means: sectors of any size and runs of any length, with no data or little of it. They are refused
//! or done, and never end in a wrapped product.

use crate::common::counting;
use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{BlockCipher16, Cbc, Ctr, Ecb, SectorMode, Xts};

/// Among them what wraps when it is multiplied by 8, 16 or 64, and their neighbours.
fn sizes() -> impl Iterator<Item = usize> {
    let powers = (0..usize::BITS).map(|exponent| 1 << exponent);
    powers.flat_map(|power: usize| [power - 1, power, power + 1, power.wrapping_mul(3), power.wrapping_neg()])
}

fn any_size<M: SectorMode>(mode: &M) {
    for sector_size in sizes() {
        for length in [0, 1, 16, 48, 512] {
            let mut data = counting(length);
            let done = mode.encrypt_sectors(1, 1, sector_size, &mut data);
            assert_eq!(
                mode.decrypt_sectors(1, 1, sector_size, &mut data).is_ok(),
                done.is_ok(),
                "{sector_size}"
            );
            assert_eq!(data, counting(length), "sectors of {sector_size} bytes, {length} bytes of data");
        }
    }
}

fn modes_of<C: BlockCipher16>() {
    let key = counting(32);
    any_size(&Ecb::<C>::new(&key).unwrap());
    any_size(&Cbc::<C>::new(&key).unwrap());
    any_size(&Ctr::<C>::new(&key).unwrap());
    any_size(&Xts::<C>::new(&counting(64)).unwrap());
}

#[test]
fn sectors_of_any_size() {
    modes_of::<Aes>();
    modes_of::<Aria>();
    modes_of::<Lea>();
}

/// Runs that are longer than the data, by the ciphers themselves.
fn any_run<C: BlockCipher16>() {
    let cipher = C::with_key(&counting(32)).unwrap();
    for run in sizes().filter(|run| *run > 0) {
        for blocks in [0, 1, 3, 33] {
            let plain: Vec<[u8; 16]> = (0..blocks).map(|number| [number; 16]).collect();
            let first = vec![[7; 16]; plain.len().div_ceil(run)];
            let mut data = plain.clone();
            cipher.encrypt_xex(&mut data, run, &first);
            cipher.decrypt_xex(&mut data, run, &first);
            assert_eq!(data, plain, "runs of {run}");
            cipher.xor_keystream(&mut data, run, &first);
            cipher.xor_keystream(&mut data, run, &first);
            assert_eq!(data, plain, "runs of {run}");
            data.chunks_mut(run).for_each(|blocks| cipher.encrypt_chained(&mut [7; 16], blocks));
            cipher.decrypt_chained(&mut data, run, &first);
            assert_eq!(data, plain, "runs of {run}");
        }
    }
}

#[test]
fn runs_of_any_length() {
    any_run::<Aes>();
    any_run::<Aria>();
    any_run::<Lea>();
}
