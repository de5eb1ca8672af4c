//! Requests of the Korean validation programme for cryptographic modules (KCMVP), answered.
//!
//! Who has a module validated is given request files (`.req`), which ask for what a cipher makes of keys and texts, and hands in
//! response files (`.rsp`). They come in three tests of the modes ECB, CBC and CTR: known answers (KAT), messages of many blocks
//! (MMT), and 100 × 1,000 encryptions one after the other, each of which depends on the last (MCT, the Monte Carlo test); and for
//! GCM, CCM and CMAC in what is sealed, opened, tagged and verified. The form is that of NIST's CAVP in its older days, with names
//! of its own. The programme's own description is Korean and has to be asked for (“암호알고리즘 검증기준 V3.0”,
//! <https://seed.kisa.or.kr/kisa/kcmvp/EgovVerification.do>); the answer files that KISA publishes beside it show the form of block
//! ciphers, and those of others who were validated that of the rest.
//!
//! Which cipher, mode and test a request is of stands in its file's name alone: [`Asked`].
//!
//! ```
//! use fieldtest_kcmvp::{Asked, Code, answer};
//!
//! let asked: Asked = "LEA128(ECB)KAT.req".parse()?;
//! let lea = fieldtest_catalog::cipher::find(&asked.algorithm())?.implementation("fieldtest")?;
//! let request = "KEY = 00000000000000000000000000000000\nPT = 80000000000000000000000000000000\n";
//! let answered = answer(request.as_bytes(), asked, Code::Cipher(&*lea.code))?;
//! let answers = String::from_utf8(answered.text)?;
//! assert!(answers.ends_with("\nCT = CE8DCF04DD60982B1D8F5035FD534DE2\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod answer;
mod checked_question;
mod error;
mod modes;
mod monte_carlo;
mod question;
mod request_name;

pub use answer::{Answered, Code, SHORTEST_TAG, answer};
pub use error::Error;
pub use request_name::{Asked, Mode, Task};
