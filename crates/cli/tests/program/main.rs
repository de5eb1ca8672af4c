//! The program as its users meet it: scripts of commands, bad input, full disks, Ctrl-C, pipes.

mod keys;
mod records;
mod scratch;
mod scripts;
mod streams;
mod study;
mod unfinished;
mod zones;
