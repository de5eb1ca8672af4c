#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod aead;
mod cbc;
mod ccm;
mod cmac;
mod ctr;
mod ecb;
mod error;
mod gcm;
mod sectors;
mod xts;

pub use aead::AeadMode;
pub use cbc::Cbc;
pub use ccm::Ccm;
pub use cmac::Cmac;
pub use ctr::Ctr;
pub use ecb::Ecb;
pub use error::Error;
pub use fieldtest_block::{Block, BlockCipher16};
pub use gcm::Gcm;
pub use sectors::SectorMode;
pub use xts::Xts;
