#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod cbc;
mod ctr;
mod ecb;
mod error;
mod sectors;
mod xts;

pub use cbc::Cbc;
pub use ctr::Ctr;
pub use ecb::Ecb;
pub use error::Error;
pub use fieldtest_block::{Block, BlockCipher16};
pub use sectors::SectorMode;
pub use xts::Xts;
