//! Core cycles of every cipher, mode and sector size: `cargo bench -p fieldtest-modes`, with a word of a row's name to
//! see only some.
#![allow(clippy::print_stdout)] // It is a program.

#[path = "../tests/common/aes_by.rs"]
mod aes_by;
#[path = "../../cpu/ruler/mod.rs"]
mod ruler;

use std::hint::black_box;

use aes_by::AesBy;
use fieldtest_aes::Path;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{BlockCipher16, Cbc, Ctr, Ecb, Error, SectorMode, Xts};
use ruler::cycles;

/// One sector of 4096 bytes, eight of 512, and one of 512, in both directions.
fn sectors(name: &str, mode: &str, code: &impl SectorMode) -> Result<(), Error> {
    let mut data = vec![7; 4096];
    let mut row = format!("{name:14} {mode:5}");
    for (size, length) in [(4096, 4096), (512, 4096), (512, 512)] {
        code.encrypt_sectors(1, 1, size, &mut data[..length])?;
        let encrypt = cycles(|| _ = black_box(code.encrypt_sectors(1, 1, size, &mut data[..length])));
        let decrypt = cycles(|| _ = black_box(code.decrypt_sectors(1, 1, size, &mut data[..length])));
        row += &format!(" {encrypt:9.0} {decrypt:9.0}");
    }
    println!("{row}");
    Ok(())
}

fn all_modes<C: BlockCipher16>(name: &str) -> Result<(), Error> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if !wanted.is_empty() && !wanted.iter().any(|word| name.contains(&**word)) {
        return Ok(());
    }
    let key: Vec<u8> = (0..64).collect();
    let half = &key[..32];
    sectors(name, "ECB", &Ecb::<C>::new(half)?)?;
    sectors(name, "CBC", &Cbc::<C>::new(half)?)?;
    sectors(name, "CTR", &Ctr::<C>::new(half)?)?;
    sectors(name, "XTS", &Xts::<C>::new(&key)?)
}

fn main() -> Result<(), Error> {
    println!("{:20} {:>19} {:>19} {:>19}", "cycles", "1 x 4096", "8 x 512", "1 x 512");
    println!("{:20}{}", "", format!(" {:>9} {:>9}", "encrypt", "decrypt").repeat(3));
    let names: Vec<String> = Path::available().map(|path| format!("AES {}", path.name())).collect();
    for (at, name) in names.iter().enumerate() {
        match at {
            0 => all_modes::<AesBy<0>>(name)?,
            1 => all_modes::<AesBy<1>>(name)?,
            2 => all_modes::<AesBy<2>>(name)?,
            _ => all_modes::<AesBy<3>>(name)?,
        }
    }
    all_modes::<Aria>("ARIA")?;
    all_modes::<Lea>("LEA")
}
