//! A cipher for tests, and a medium whose power fails at every write.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex};

use fieldtest_kinds::cipher::{Cipher, CipherKey, Tweaks};

use crate::hash::Hash;
use crate::spec::CipherSpec;
use crate::store::Store;

type Outcome<T> = std::result::Result<T, fieldtest_kinds::Error>;

/// Bytes of the cipher's key.
pub(crate) const KEY: usize = 16;

/// Any cipher does whose ciphertexts depend on key and place.
struct Toy;
struct ToyKey(Vec<u8>);

impl Cipher for Toy {
    fn key_len(&self) -> usize {
        KEY
    }

    fn prepare(&self, key: &[u8]) -> Outcome<Box<dyn CipherKey>> {
        Ok(Box::new(ToyKey(key.to_vec())))
    }
}

impl CipherKey for ToyKey {
    fn encrypt(&self, tweaks: Tweaks, sector: usize, data: &mut [u8]) -> Outcome<()> {
        for (number, sector) in (0..).zip(data.chunks_mut(sector)) {
            for (at, piece) in (0_u32..).zip(sector.chunks_mut(32)) {
                Hash::Sha256.digest(&[&self.0, &tweaks.of(number), &at.to_le_bytes()], |pad| {
                    piece.iter_mut().zip(pad).for_each(|(byte, pad)| *byte ^= pad);
                });
            }
        }
        Ok(())
    }

    fn decrypt(&self, tweaks: Tweaks, sector: usize, data: &mut [u8]) -> Outcome<()> {
        self.encrypt(tweaks, sector, data)
    }
}

/// [`Toy`] for every specification in XTS.
pub(crate) fn toys(spec: &CipherSpec, key_len: usize) -> Option<Arc<dyn Cipher>> {
    (key_len == KEY && spec.mode() == "xts").then(|| Arc::new(Toy) as Arc<dyn Cipher>)
}

#[derive(Debug, Clone)]
pub(crate) enum Event {
    Write(u64, Vec<u8>),
    Barrier,
}

pub(crate) struct Recorder {
    pub(crate) file: File,
    pub(crate) events: Mutex<Vec<Event>>,
}

impl Store for Recorder {
    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read(buffer, offset)
    }

    fn write(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.events.lock().unwrap().push(Event::Write(offset, bytes.to_vec()));
        self.file.write(bytes, offset)
    }

    fn barrier(&self) -> io::Result<()> {
        self.events.lock().unwrap().push(Event::Barrier);
        Ok(())
    }
}

pub(crate) fn apply(image: &mut [u8], offset: u64, bytes: &[u8]) {
    let start = usize::try_from(offset).unwrap();
    image[start..start + bytes.len()].copy_from_slice(bytes);
}

/// Every state that the medium can be found in, where pieces of `atom` bytes of the data are whole or not there at all.
pub(crate) fn states(before: &[u8], events: &[Event], data: u64, atom: usize) -> Vec<Vec<u8>> {
    let mut durable = before.to_vec();
    let mut states = vec![durable.clone()];
    for window in events.split(|event| matches!(event, Event::Barrier)) {
        let writes: Vec<(u64, &[u8])> = window
            .iter()
            .filter_map(|event| match event {
                Event::Write(offset, bytes) => Some((*offset, &bytes[..])),
                Event::Barrier => None,
            })
            .collect();
        let with = |chosen: &dyn Fn(usize) -> bool| {
            let mut image = durable.clone();
            for (number, (offset, bytes)) in writes.iter().enumerate() {
                if chosen(number) {
                    apply(&mut image, *offset, bytes);
                }
            }
            image
        };
        for (number, (offset, bytes)) in writes.iter().enumerate() {
            states.push(with(&|it| it == number));
            states.push(with(&|it| it != number));
            states.push(with(&|it| it <= number));
            // Headers and key slots are torn at sectors of 512 bytes whatever the data's medium does.
            let atom = if *offset < data { 512 } else { atom };
            let pieces = bytes.len().div_ceil(atom);
            let torn: [&dyn Fn(usize) -> bool; 4] =
                [&|it| it == 0, &|it| it < pieces / 2, &|it| it >= pieces / 2, &|it| it % 2 == 0];
            for there in torn {
                let mut image = with(&|it| it < number);
                for (piece, part) in bytes.chunks(atom).enumerate().filter(|(piece, _)| there(*piece)) {
                    apply(&mut image, offset + (piece * atom) as u64, part);
                }
                states.push(image);
            }
        }
        let all = with(&|_| true);
        durable = all;
    }
    states.push(durable);
    states
}
