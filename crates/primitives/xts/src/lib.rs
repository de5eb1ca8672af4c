#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

mod authenticate;
mod cbc;
mod ccm;
mod cipher;
mod cmac;
mod ctr;
mod cts;
mod ecb;
mod error;
mod gcm;
mod sectors;
mod xor;
mod xts;

pub use cbc::Cbc;
pub use ccm::Ccm;
pub use cipher::BlockCipher16;
pub use cmac::Cmac;
pub use ctr::Ctr;
pub use cts::CbcCts;
pub use ecb::Ecb;
pub use error::Error;
pub use gcm::Gcm;
pub use sectors::SectorMode;
pub use xts::Xts;

/// The sixteen bytes that a cipher works on.
pub type Block = [u8; 16];
