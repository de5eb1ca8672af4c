//! Core cycles of every cipher, mode and sector size: `cargo bench -p fieldtest-modes`, with a word of a row's name to
//! see only some. In the rows of GCM and CCM a fourth pair of columns is a message of 64 bytes.
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
use fieldtest_modes::{AeadMode, BlockCipher16, Cbc, Ccm, Cmac, Ctr, Ecb, Error, Gcm, SectorMode, Xts};
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

/// One message of 4096 bytes, eight of 512, one of 512 and one of 64, in both directions.
fn messages(name: &str, mode: &str, code: &impl AeadMode) -> Result<(), Error> {
    let mut row = format!("{name:14} {mode:5}");
    for (size, count) in [(4096, 1), (512, 8), (512, 1), (64, 1)] {
        let mut data = vec![7; size * count];
        let mut tag = [0; 16];
        let mut seal = |data: &mut [u8]| {
            data.chunks_mut(size).try_for_each(|message| code.seal(&[1; 12], &[2; 16], message, &mut tag))
        };
        let sealing = cycles(|| _ = black_box(seal(&mut data)));
        data.fill(7);
        seal(&mut data)?;
        let sealed = data.clone();
        let opening = cycles(|| {
            data.copy_from_slice(&sealed);
            for message in data.chunks_mut(size) {
                _ = black_box(code.open(&[1; 12], &[2; 16], message, &tag));
            }
        });
        row += &format!(" {sealing:9.0} {opening:9.0}");
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
    sectors(name, "XTS", &Xts::<C>::new(&key)?)?;
    messages(name, "GCM", &Gcm::<C>::new(half)?)?;
    messages(name, "CCM", &Ccm::<C>::new(half)?)?;
    let cmac = Cmac::<C>::new(half)?;
    let [page, sector] =
        [4096, 512].map(|size| cycles(|| _ = black_box(cmac.tag(&vec![7; size], &mut [0; 16]))));
    println!("{name:14} CMAC  {page:9.0} {:>29} {sector:9.0}", "");
    Ok(())
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
