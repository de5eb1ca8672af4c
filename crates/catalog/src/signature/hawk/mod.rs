//! HAWK 1.0. It is broken and withdrawn: it is here so that published results can be repeated.

mod hawk512;
mod own;
mod vectors;

use fieldtest_hawk::{Hawk256, Hawk512, Hawk1024, ParameterSet};
use fieldtest_text::own::OWN;

use super::{Family, List, Prove};

pub(super) fn family() -> Family {
    let mut hawk_512 = own::<Hawk512>(|code| vectors::whole_file(&vectors::HAWK_512, code));
    hawk_512.prove = vectors::later;
    hawk_512.add("hawk512", "hawk512", hawk512::Hawk512);
    vec![
        ("hawk-256", own::<Hawk256>(|code| vectors::whole_file(&vectors::HAWK_256, code)).all),
        ("hawk-512", hawk_512.all),
        ("hawk-1024", own::<Hawk1024>(|code| vectors::whole_file(&vectors::HAWK_1024, code)).all),
    ]
}

fn own<P: ParameterSet + Send + Sync + 'static>(prove: Prove) -> List {
    let mut list = List::proven_by(prove);
    list.add(OWN, "fieldtest-hawk", own::Hawk::<P>::new());
    list
}
