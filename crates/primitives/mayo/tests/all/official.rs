//! The official answers: NIST's program makes 100 keys, messages and signatures from one seed, and the whole file that
//! it writes is made again here and hashed.

use data_encoding::HEXUPPER;
use fieldtest_aes::{Aes, BlockCipher16 as _};
use fieldtest_mayo::{ParameterSet, Path, SigningKey};
use sha2::{Digest, Sha256};

/// NIST's generator of the answers: CTR_DRBG with AES-256, without derivation function and reseeding (SP 800-90A,
/// section 10.2.1).
struct Drbg {
    key: [u8; 32],
    counter: u128,
}

impl Drbg {
    fn new(entropy: &[u8; 48]) -> Self {
        let mut drbg = Self { key: [0; 32], counter: 0 };
        drbg.update(entropy);
        drbg
    }

    fn blocks(&mut self, blocks: &mut [[u8; 16]]) {
        let aes = Aes::new(&self.key).expect("the key has 32 bytes");
        for block in blocks {
            self.counter = self.counter.wrapping_add(1);
            *block = self.counter.to_be_bytes();
            aes.encrypt(core::slice::from_mut(block));
        }
    }

    fn update(&mut self, data: &[u8; 48]) {
        let mut state = [[0; 16]; 3];
        self.blocks(&mut state);
        let state = state.as_flattened_mut();
        state.iter_mut().zip(data).for_each(|(state, data)| *state ^= data);
        self.key.copy_from_slice(&state[..32]);
        self.counter = u128::from_be_bytes(state[32..].try_into().expect("16 bytes are left"));
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut blocks = vec![[0; 16]; length.div_ceil(16)];
        self.blocks(&mut blocks);
        self.update(&[0; 48]);
        blocks.as_flattened()[..length].to_vec()
    }
}

/// The file's entries for the first `count` keys.
fn entries(set: ParameterSet, count: usize) -> Vec<String> {
    let paths: Vec<_> = Path::available().collect();
    let mut seeds = Drbg::new(&core::array::from_fn(|i| i as u8));
    let entry = |number: usize| {
        let seed = seeds.bytes(48);
        let message = seeds.bytes(33 * (number + 1));
        let mut drbg = Drbg::new(seed.as_slice().try_into().expect("48 bytes were drawn"));
        let key = SigningKey::new(set, &drbg.bytes(set.secret_key_len())).expect("the length is right");
        let randomizer = drbg.bytes(set.randomizer_len());
        // The paths take turns: all see many of the entries.
        let path = paths[number % paths.len()];
        let public = key.public_key_on(path);
        let mut signed = key.prepare_on(path).sign(&message, &randomizer).expect("the key signs");
        public.prepare_on(path).verify(&message, &signed).expect("the signature is right");
        signed.extend_from_slice(&message);
        format!(
            "count = {number}\nseed = {}\nmlen = {}\nmsg = {}\npk = {}\nsk = {}\nsmlen = {}\nsm = {}\n",
            HEXUPPER.encode(&seed),
            message.len(),
            HEXUPPER.encode(&message),
            HEXUPPER.encode(public.as_bytes()),
            HEXUPPER.encode(key.as_bytes()),
            signed.len(),
            HEXUPPER.encode(&signed),
        )
    };
    (0..count).map(entry).collect()
}

fn sha256(text: &str) -> String {
    HEXUPPER.encode(&Sha256::digest(text)).to_lowercase()
}

/// The whole files of round 2, as in the directory `KAT` of the authors' repository (PQCMayo/MAYO-C, commit 4b7cd94).
#[test]
fn whole_files_of_round_2() {
    for (set, name, digest) in [
        (ParameterSet::ONE, "MAYO_1", "4e56d600d7c0027952dd40725cb9ff05c0b5b10550dcdd72b17ce904f70e86de"),
        (ParameterSet::TWO, "MAYO_2", "a68435c4f30e4b0ed64ce8c82eb1d732fbad91399accf3416409542e57bdc966"),
        (ParameterSet::THREE, "MAYO_3", "6727eb49619fd83f22882b767622e2328e1f6b45fc34fcf320d9a5105a70f06d"),
        (ParameterSet::FIVE, "MAYO_5", "828e5c3e0632f03a2a3d25fe552a29b0a1372b7e7327d4a56ed0bb24696930ac"),
    ] {
        let entries = entries(set, 100).concat().replace("count = ", "\ncount = ");
        assert_eq!(sha256(&format!("# {name}\n{entries}\n")), digest, "{set}");
    }
}

/// Round 3: of its files only the hashes of the first entry are known, `nistkat-sha256` in the directory
/// `integration/liboqs` of the authors' repository (commit 74de637).
#[test]
fn first_entries_of_round_3() {
    for (set, digest) in [
        (ParameterSet::ROUND3_ONE, "860cb113d7f5d7c8cb34d8f2a4845eea3480d6a0add3c8aada3186061c9e1288"),
        (ParameterSet::ROUND3_TWO, "fd06cbf912ccf0d146760cb539149d536ac52c73192ad2fcd7957a3bc844cb69"),
        (ParameterSet::ROUND3_THREE, "c53b5f752f39b23b10d0e173f5853549e2e80716e0257633407871c9950b990f"),
        (ParameterSet::ROUND3_FIVE, "4bfe37eca0e02b69c3c41da84023f414c9a5b54df104da0792cea54facbc6d94"),
    ] {
        assert_eq!(sha256(&entries(set, 1).concat()), digest, "{set}");
    }
}
