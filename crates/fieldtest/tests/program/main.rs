//! The program as its users meet it: scripts of commands, bad input, full disks, Ctrl-C, pipes.

mod captures;
mod cbom;
mod disk;
mod dnssec;
mod engines;
mod examples;
mod git;
mod git_faults;
mod git_odd;
mod ima;
mod ima_archives;
mod ima_inputs;
mod ima_plans;
mod keys;
mod manual;
mod outputs;
mod records;
mod scratch;
mod scripts;
mod streams;
mod study;
mod tcp_ao;
mod terminal;
mod transition;
mod unfinished;
mod zones;
