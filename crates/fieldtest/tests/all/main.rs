//! All tests of the crate: one program, so that the libraries are linked once.
//!
//! The program as its users meet it: scripts of commands, bad input, full disks, Ctrl-C, pipes.

mod captures;
mod cbom;
mod disk;
mod dnssec;
mod engines;
mod examples;
mod extensions;
mod fleet;
mod fleet_names;
mod floods;
mod git;
mod git_faults;
mod git_odd;
mod ima;
mod ima_archives;
mod ima_inputs;
mod ima_packages;
mod ima_plans;
mod ima_stores;
mod kcmvp;
mod kept_outputs;
mod keys;
mod load;
mod manual;
mod outputs;
mod records;
mod reference;
mod report;
mod resolvers;
mod scratch;
mod scripts;
mod streams;
mod study;
mod tcp_ao;
mod terminal;
mod transition;
mod unfinished;
mod units;
mod usage;
mod zones;
