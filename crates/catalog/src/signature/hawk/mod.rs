//! HAWK 1.0. It is broken and withdrawn: it is here so that published figures can be repeated.

mod hawk512;
mod own;
mod vectors;

use fieldtest_kinds::own::OWN;
use fieldtest_hawk::{Hawk256, Hawk512, Hawk1024};

use super::{Family, implementation};
use crate::version;

pub(super) fn family() -> Family {
    let version = || version::of("fieldtest-hawk");
    vec![
        (
            "hawk-256",
            vec![implementation(OWN, version(), own::Hawk::<Hawk256>::new(), |code| {
                vectors::whole_file(&vectors::HAWK_256, code)
            })],
        ),
        (
            "hawk-512",
            vec![
                implementation(OWN, version(), own::Hawk::<Hawk512>::new(), |code| {
                    vectors::whole_file(&vectors::HAWK_512, code)
                }),
                implementation("hawk512", version::of("hawk512"), hawk512::Hawk512, vectors::later),
            ],
        ),
        (
            "hawk-1024",
            vec![implementation(OWN, version(), own::Hawk::<Hawk1024>::new(), |code| {
                vectors::whole_file(&vectors::HAWK_1024, code)
            })],
        ),
    ]
}
