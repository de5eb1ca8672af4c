//! Each cipher, mode and key length against Crypto++, in turns: `lab/cryptopp.sh --speed` builds the other side and runs this. A word or
//! two of a row say that others are left out: `lab/cryptopp.sh --speed LEA XTS`.
#![allow(clippy::print_stdout)] // It is a program.

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use fieldtest_aes::Aes;
use fieldtest_aria::Aria;
use fieldtest_lea::Lea;
use fieldtest_modes::{AeadMode, BlockCipher16, Cbc, Ccm, Cmac, Ctr, Ecb, Gcm, SectorMode, Xts};

type Outcome<T> = Result<T, Box<dyn Error>>;

const PAGE: usize = 4096;
/// Turns of both, and nanoseconds of one.
const TURNS: usize = 60;
const TURN: f64 = 500_000.0;

/// Crypto++ in a process of its own, which has the clock for itself: nothing of the pipe is in its times.
struct Rival {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Rival {
    fn start(program: &str) -> Outcome<Rival> {
        let mut child =
            Command::new(program).arg("time").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take().ok_or("no pipe")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        Ok(Rival { child, requests, answers })
    }

    fn ask(&mut self, request: &str) -> Outcome<String> {
        writeln!(self.requests, "{request}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        if answer.is_empty() { Err("Crypto++'s program ended".into()) } else { Ok(answer.trim().to_owned()) }
    }

    /// Nanoseconds of a page.
    fn page(&mut self, count: u32) -> Outcome<f64> {
        Ok(self.ask(&format!("run {count}"))?.parse::<f64>()? / f64::from(count))
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Nanoseconds of a page.
fn page(count: u32, work: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    (0..count).for_each(|_| work());
    start.elapsed().as_secs_f64() * 1e9 / f64::from(count)
}

/// As many pages as take a turn.
fn count(nanoseconds: f64) -> u32 {
    (TURN / nanoseconds).clamp(1.0, 1e6) as u32
}

/// Takes turns, and prints how many times as long Crypto++ takes: the median of the turns' ratios, and the interval in which it lies with
/// 95 % (order statistics: 60 turns, the 22nd and the 39th). What disturbs a turn disturbs both.
fn compare(rival: &mut Rival, row: &str, sector: usize, work: &mut dyn FnMut()) -> Outcome<()> {
    let answer = rival.ask(&format!("{row} {sector}"))?;
    if answer != "ready" {
        return Err(answer.into());
    }
    page(10, work);
    let ours = count(page(10, work));
    let theirs = count(rival.page(10)?);
    let mut turns = Vec::with_capacity(TURNS);
    for turn in 0..TURNS {
        // Either goes first in every other turn.
        let (a, b) = if turn % 2 == 0 {
            let a = page(ours, work);
            (a, rival.page(theirs)?)
        } else {
            let b = rival.page(theirs)?;
            (page(ours, work), b)
        };
        turns.push((b / a, a, b));
    }
    let mut least = (f64::MAX, f64::MAX);
    for (_, a, b) in &turns {
        least = (least.0.min(*a), least.1.min(*b));
    }
    turns.sort_by(|one, other| one.0.total_cmp(&other.0));
    let [low, median, high] = [21, TURNS / 2, 38].map(|at| turns[at].0);
    let (ours, theirs) = least;
    println!("{row:19} {sector:5} {ours:9.0} {theirs:9.0} {median:8.2} [{low:.2}, {high:.2}]");
    Ok(())
}

fn sectors(rival: &mut Rival, row: &str, mode: &impl SectorMode) -> Outcome<()> {
    let mut data = vec![7; PAGE];
    for size in [PAGE, 512] {
        compare(rival, row, size, &mut || {
            _ = black_box(match row.contains("decrypt") {
                true => mode.decrypt_sectors(0, 1, size, &mut data),
                false => mode.encrypt_sectors(0, 1, size, &mut data),
            });
        })?;
    }
    Ok(())
}

fn messages(rival: &mut Rival, row: &str, mode: &impl AeadMode) -> Outcome<()> {
    let mut data = vec![7; PAGE];
    for size in [PAGE, 512] {
        compare(rival, row, size, &mut || {
            for (number, message) in (0..).zip(data.chunks_mut(size)) {
                let mut nonce = [0; 12];
                nonce[0] = number;
                _ = black_box(mode.seal(&nonce, &[2; 20], message, &mut [0; 16]));
            }
        })?;
    }
    Ok(())
}

/// As the other side calls them.
const MODES: [&str; 10] =
    ["ECB", "ECB-decrypt", "CBC", "CBC-decrypt", "CTR", "XTS", "XTS-decrypt", "GCM", "CCM", "CMAC"];

fn all_modes<C: BlockCipher16>(rival: &mut Rival, cipher: &str, wanted: &[String]) -> Outcome<()> {
    let bytes: Vec<u8> = (0..64).collect();
    for length in [16, 24, 32] {
        let key = &bytes[..length];
        for mode in MODES {
            let row = format!("{cipher} {mode} {length}");
            if !wanted.iter().all(|word| row.split(' ').any(|it| it == word)) {
                continue;
            }
            match mode {
                "ECB" | "ECB-decrypt" => sectors(rival, &row, &Ecb::<C>::new(key)?)?,
                "CBC" | "CBC-decrypt" => sectors(rival, &row, &Cbc::<C>::new(key)?)?,
                "CTR" => sectors(rival, &row, &Ctr::<C>::new(key)?)?,
                "XTS" | "XTS-decrypt" => sectors(rival, &row, &Xts::<C>::new(&bytes[..2 * length])?)?,
                "GCM" => messages(rival, &row, &Gcm::<C>::new(key)?)?,
                "CCM" => messages(rival, &row, &Ccm::<C>::new(key)?)?,
                _ => {
                    let (cmac, data) = (Cmac::<C>::new(key)?, vec![7; PAGE]);
                    for size in [PAGE, 512] {
                        compare(rival, &row, size, &mut || {
                            for message in data.chunks(size) {
                                _ = black_box(cmac.tag(message, &mut [0; 16]));
                            }
                        })?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let Ok(program) = std::env::var("CRYPTOPP") else {
        println!("skipped: lab/cryptopp.sh --speed builds Crypto++'s side and says where it is, in CRYPTOPP");
        return Ok(());
    };
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut rival = Rival::start(&program)?;
    println!("nanoseconds of a page of 4096 bytes, the least of {TURNS} turns; the ratio is the median's");
    println!("{:19} {:>5} {:>9} {:>9} {:>8}", "", "bytes", "fieldtest", "Crypto++", "ratio");
    all_modes::<Lea>(&mut rival, "LEA", &wanted)?;
    all_modes::<Aria>(&mut rival, "ARIA", &wanted)?;
    all_modes::<Aes>(&mut rival, "AES", &wanted)
}
