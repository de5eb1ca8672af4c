//! Which zones there are, and who delegates to whom.

use fieldtest_dnssec::zone::Role;
use fieldtest_dnssec::{Name, Zone};
use fieldtest_text::words;

use crate::InternetError;

words! {
    /// How far below the root a zone is, from the root down.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Level {
        /// The root.
        Root = "root",
        /// Top-level domains.
        Tld = "tld",
        /// Second-level domains, which have the hosts.
        Domain = "domain",
    }
}

/// How large an internet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Top-level domains.
    pub tlds: u32,
    /// Second-level domains of each.
    pub domains: u32,
    /// Hosts of each of these.
    pub hosts: u32,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape { tlds: 10, domains: 10, hosts: 2 }
    }
}

/// The most zones of one internet: a name server takes them all into memory, and each has two keys.
pub const MOST_ZONES: u64 = 100_000;
/// The most hosts of one zone.
pub const MOST_HOSTS: u32 = 10_000;

/// One zone.
#[derive(Debug, Clone)]
pub struct Delegated {
    /// Its name.
    pub name: Name,
    /// Its level.
    pub level: Level,
    /// The place of its parent among the zones; the root's is its own.
    pub parent: usize,
}

/// The zones of an internet: the root, then the top-level domains, then the second-level domains.
#[derive(Debug, Clone)]
pub struct Plan {
    zones: Vec<Delegated>,
    shape: Shape,
}

impl Plan {
    /// A plan of this shape. Of a `root` zone that is given, the first delegations that have a single label become the top-level
    /// domains, evenly spread; else they are made up.
    ///
    /// # Errors
    /// [`InternetError::Shape`] where there would be no zones, or too many, or more than the root has.
    pub fn new(shape: Shape, root: Option<&Zone>) -> Result<Plan, InternetError> {
        let Shape { tlds, domains, hosts } = shape;
        let all = 1 + u64::from(tlds) * (1 + u64::from(domains));
        let refused = |what: String| Err(InternetError::Shape(what));
        if tlds == 0 || domains == 0 || hosts == 0 {
            return refused(format!(
                "cannot make an internet of {tlds} TLDs, {domains} domains in each and {hosts} hosts in each of these; give at least 1 of each"
            ));
        }
        if all > MOST_ZONES || hosts > MOST_HOSTS {
            return refused(format!(
                "{tlds} TLDs with {domains} domains each are {all} zones of {hosts} hosts; the limits are {MOST_ZONES} zones and \
                 {MOST_HOSTS} hosts"
            ));
        }
        let names = match root {
            Some(root) => spread(root, tlds)?,
            None => (0..tlds)
                .filter_map(|number| Name::ROOT.child(label("tld", number, tlds).as_bytes()))
                .collect(),
        };
        let mut zones = vec![Delegated { name: Name::ROOT, level: Level::Root, parent: 0 }];
        zones.extend(names.into_iter().map(|name| Delegated { name, level: Level::Tld, parent: 0 }));
        for parent in 1..=tlds as usize {
            let name = zones[parent].name;
            let names =
                (0..domains).filter_map(|number| name.child(label("domain", number, domains).as_bytes()));
            let own: Vec<_> = names.map(|name| Delegated { name, level: Level::Domain, parent }).collect();
            zones.extend(own);
        }
        Ok(Plan { zones, shape })
    }

    /// All zones.
    pub fn zones(&self) -> &[Delegated] {
        &self.zones
    }

    /// Their numbers.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The zones of a level with their places.
    pub fn of_level(&self, level: Level) -> impl Iterator<Item = (usize, &Delegated)> {
        self.zones.iter().enumerate().filter(move |(_, zone)| zone.level == level)
    }

    /// The zones to which this one delegates.
    pub fn children(&self, parent: usize) -> impl Iterator<Item = (usize, &Delegated)> {
        self.zones.iter().enumerate().filter(move |(at, zone)| *at != 0 && zone.parent == parent)
    }

    /// The hosts of a second-level domain.
    pub fn hosts_of(&self, zone: &Delegated) -> Vec<Name> {
        let label = |number| if number == 0 { "www".to_owned() } else { format!("host{number}") };
        (0..self.shape.hosts).filter_map(|number| zone.name.child(label(number).as_bytes())).collect()
    }

    /// Every host.
    pub fn hosts(&self) -> Vec<Name> {
        self.of_level(Level::Domain).flat_map(|(_, zone)| self.hosts_of(zone)).collect()
    }
}

/// The label of one of so many siblings. They lie evenly along the alphabet, as a zone's names do more or
/// less: else one NSEC record denies nearly all random names, and aggressive use of it (RFC 8198) answers a
/// whole flood.
fn label(word: &str, number: u32, siblings: u32) -> String {
    const LETTERS: u64 = 26;
    let at = (2 * u64::from(number) + 1) * LETTERS.pow(3) / (2 * u64::from(siblings));
    let letter = |power| char::from(b'a' + (at / LETTERS.pow(power) % LETTERS) as u8);
    format!("{}{}{}-{word}{number}", letter(2), letter(1), letter(0))
}

fn spread(root: &Zone, wanted: u32) -> Result<Vec<Name>, InternetError> {
    if *root.apex() != Name::ROOT {
        return Err(InternetError::Shape(format!("the zone given as root is that of {}", root.apex())));
    }
    let all: Vec<Name> =
        root.owners().filter(|owner| owner.role() == Role::Delegation).map(|owner| owner.name()).collect();
    let all: Vec<Name> = all.into_iter().filter(|name| name.parent() == Some(Name::ROOT)).collect();
    let wanted = wanted as usize;
    if wanted > all.len() {
        return Err(InternetError::Shape(format!(
            "the root zone has {} delegations, but {wanted} TLDs are requested; request fewer",
            all.len()
        )));
    }
    Ok((0..wanted).map(|at| all[at * all.len() / wanted]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree() -> Result<(), InternetError> {
        let plan = Plan::new(Shape { tlds: 2, domains: 3, hosts: 2 }, None)?;
        assert_eq!(plan.zones().len(), 9);
        assert_eq!(plan.children(0).count(), 2);
        let names: Vec<String> = plan.children(2).map(|(_, zone)| zone.name.to_string()).collect();
        assert_eq!(names, ["eir-domain0.tna-tld1.", "naa-domain1.tna-tld1.", "vri-domain2.tna-tld1."]);
        assert_eq!(plan.hosts().len(), 12);
        assert_eq!(plan.hosts()[1].to_string(), "host1.eir-domain0.gna-tld0.");
        Ok(())
    }

    #[test]
    fn what_is_no_shape() {
        let shape = |tlds, domains, hosts| Plan::new(Shape { tlds, domains, hosts }, None).is_err();
        assert!(shape(0, 1, 1) && shape(1, 0, 1) && shape(1, 1, 0));
        assert!(shape(100_000, 1, 1) && shape(u32::MAX, u32::MAX, 1) && shape(1, 1, 10_001));
        assert!(!shape(1, 1, 1));
    }

    #[test]
    fn delegations_of_a_root_that_is_given() -> Result<(), Box<dyn std::error::Error>> {
        let text = ". 1 IN SOA a. b. 1 1 1 1 1\n. 1 IN NS a.\ncom. 1 IN NS a.com.\nnet. 1 IN NS a.net.\norg. 1 IN NS a.org.\n";
        let root = fieldtest_dnssec::read(text.as_bytes(), "root".as_ref(), None)?;
        let plan = Plan::new(Shape { tlds: 2, domains: 1, hosts: 1 }, Some(&root))?;
        assert_eq!(plan.zones()[2].name.to_string(), "net.");
        assert!(Plan::new(Shape { tlds: 4, domains: 1, hosts: 1 }, Some(&root)).is_err());
        Ok(())
    }
}
