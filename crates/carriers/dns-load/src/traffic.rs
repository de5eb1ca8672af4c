//! Questions: from a list, or made up of a zone's names as a server's traffic is.

use std::sync::Arc;

use fieldtest_dnssec::zone::Role;
use fieldtest_dnssec::{Name, Rtype, Zone};
use thiserror::Error;

use crate::popularity::Zipf;
use crate::query::{Question, rtype_of};
use crate::random::Random;
use crate::read::text::List;

/// Traffic that cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the variants and their fields are
pub enum TrafficError {
    /// The zone has nothing to ask for.
    #[error("{0} has no names below its apex; give another zone")]
    NoNames(String),
    #[error("invalid types '{0}': expected types with weights, such as A:60,AAAA:30,DS:10")]
    Types(String),
    #[error("invalid percentage '{0}': expected 0 to 100")]
    Share(String),
    #[error("invalid Zipf exponent '{0}': expected 0 (all names alike) to 10")]
    Exponent(String),
}

/// What of a zone's traffic is what.
#[derive(Debug, Clone, PartialEq)]
pub struct Mix {
    /// Percent of the questions that are for names which do not exist.
    pub missing: f64,
    /// The exponent of Zipf's law, by which names that exist are popular.
    pub exponent: f64,
    /// Types with their weights.
    pub types: Vec<(Rtype, u32)>,
}

impl Mix {
    /// A mix with types as they are written: `A:60,AAAA:30,DS:10`.
    ///
    /// # Errors
    /// [`TrafficError`] says which of the three is none.
    pub fn new(missing: f64, exponent: f64, types: &str) -> Result<Mix, TrafficError> {
        if !(0.0..=100.0).contains(&missing) {
            return Err(TrafficError::Share(missing.to_string()));
        }
        if !(0.0..=10.0).contains(&exponent) {
            return Err(TrafficError::Exponent(exponent.to_string()));
        }
        let refused = || TrafficError::Types(types.to_owned());
        let read = |part: &str| {
            let (rtype, weight) = part.split_once(':').unwrap_or((part, "1"));
            Some((rtype_of(rtype)?, weight.parse::<u32>().ok()?))
        };
        let list: Option<Vec<_>> = types.split(',').map(read).collect();
        let types = list.filter(|list| list.iter().any(|(_, weight)| *weight > 0)).ok_or_else(refused)?;
        Ok(Mix { missing, exponent, types })
    }
}

/// Questions made up of names.
#[derive(Debug)]
pub struct Traffic {
    /// Names that do not exist are below one of these.
    apexes: Vec<Name>,
    /// In wire form, the most popular first.
    names: Vec<Box<[u8]>>,
    popularity: Zipf,
    missing: f64,
    /// Types with the sum of weights up to each.
    types: Vec<(Rtype, u64)>,
}

impl Traffic {
    /// Traffic for a zone: for the names of its delegations and of its own hosts; `seed` says which of them are popular.
    ///
    /// # Errors
    /// [`TrafficError::NoNames`].
    pub fn new(zone: &Zone, mix: &Mix, seed: u64) -> Result<Traffic, TrafficError> {
        let asked = |role| matches!(role, Role::Authoritative | Role::Delegation);
        let names = zone
            .owners()
            .filter(|owner| asked(owner.role()) && !owner.is_apex())
            .map(|owner| owner.wire().into())
            .collect();
        Traffic::of(names, vec![*zone.apex()], mix, seed)
            .ok_or_else(|| TrafficError::NoNames(zone.apex().to_string()))
    }

    /// Traffic for these names, and for names below `apexes` that do not exist; `seed` says which of them are popular.
    ///
    /// # Errors
    /// [`TrafficError::NoNames`] where one of both is empty.
    pub fn of_names(
        names: &[Name],
        apexes: Vec<Name>,
        mix: &Mix,
        seed: u64,
    ) -> Result<Traffic, TrafficError> {
        let names = names.iter().map(|name| name.as_wire().into()).collect();
        Traffic::of(names, apexes, mix, seed).ok_or_else(|| TrafficError::NoNames("the list".to_owned()))
    }

    fn of(mut names: Vec<Box<[u8]>>, apexes: Vec<Name>, mix: &Mix, seed: u64) -> Option<Traffic> {
        shuffle(&mut names, seed);
        let popularity = Zipf::new(names.len(), mix.exponent).filter(|_| !apexes.is_empty())?;
        let mut sum = 0;
        let types = mix.types.iter().map(|(rtype, weight)| {
            sum += u64::from(*weight);
            (*rtype, sum)
        });
        let types = types.collect();
        Some(Traffic { apexes, names, popularity, missing: mix.missing / 100.0, types })
    }

    fn draw(&self, random: &mut Random) -> Question {
        let drawn = random.below(self.types.last().map_or(1, |(_, sum)| *sum));
        let rtype = self.types.iter().find(|(_, until)| drawn < *until).map_or(Rtype::A, |(rtype, _)| *rtype);
        let missing = random.share() < self.missing;
        let name = if missing { self.no_name(random) } else { None };
        match name {
            Some(name) => Question::new(&name, rtype),
            None => Question::of(&self.names[self.popularity.draw(random)], rtype),
        }
    }

    /// A name that nobody has: 12 random letters below the apex, as the names that browsers tried at random and those of
    /// attacks by random subdomains (PRSD) are. `None` below an apex that is too long for that.
    fn no_name(&self, random: &mut Random) -> Option<Name> {
        let label: [u8; 12] = std::array::from_fn(|_| b'a' + random.below(26) as u8);
        // A single apex takes no draw, so that what a seed gives for a zone stays what it was.
        let apex = match &self.apexes[..] {
            [apex] => apex,
            several => &several[random.below(several.len() as u64) as usize],
        };
        apex.child(&label)
    }
}

/// Brings them into an order that the seed decides.
fn shuffle<T>(all: &mut [T], seed: u64) {
    let mut random = Random::new(seed, 3);
    for at in (1..all.len()).rev() {
        all.swap(at, random.below(at as u64 + 1) as usize);
    }
}

/// Where questions come from. Cheap to clone; clones go on from where the original was.
#[derive(Debug, Clone)]
pub struct Questions {
    source: Source,
    at: usize,
    random: Random,
}

#[derive(Debug, Clone)]
enum Source {
    /// In turn, and from the beginning again. Never empty.
    List(Arc<[Question]>),
    Traffic(Arc<Traffic>),
}

impl Questions {
    /// Questions of a zone's traffic.
    pub fn of_traffic(traffic: Traffic, seed: u64) -> Questions {
        Questions { source: Source::Traffic(Arc::new(traffic)), at: 0, random: Random::new(seed, 4) }
    }

    /// A question for the address of each of these names, in an order that the seed decides; then all over again.
    ///
    /// # Errors
    /// [`TrafficError::NoNames`].
    pub fn each_once(mut names: Vec<Name>, seed: u64) -> Result<Questions, TrafficError> {
        shuffle(&mut names, seed);
        let list: Arc<[Question]> = names.iter().map(|name| Question::new(name, Rtype::A)).collect();
        if list.is_empty() {
            return Err(TrafficError::NoNames("the list".to_owned()));
        }
        Ok(Questions { source: Source::List(list), at: 0, random: Random::new(seed, 4) })
    }

    pub(crate) fn next(&mut self) -> Question {
        match &self.source {
            Source::List(list) => {
                let question = &list[self.at % list.len()];
                self.at += 1;
                question.clone()
            }
            Source::Traffic(traffic) => traffic.draw(&mut self.random),
        }
    }
}

impl From<List> for Questions {
    fn from(list: List) -> Questions {
        Questions { source: Source::List(list.into_questions()), at: 0, random: Random::new(0, 4) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn zone() -> Zone {
        let mut text = String::from(
            "example. 60 IN SOA ns.example. h.example. 1 1 1 1 1\nexample. 60 IN NS ns.example.\n",
        );
        for number in 0..50 {
            text += &format!(
                "d{number}.example. 60 IN NS ns.d{number}.example.\nns.d{number}.example. 60 IN A 192.0.2.1\n"
            );
        }
        fieldtest_dnssec::read(text.as_bytes(), "zone".as_ref(), None).expect("a zone")
    }

    #[test]
    fn shares_types_and_seeds() -> Result<(), TrafficError> {
        let zone = zone();
        let mix = Mix::new(45.5, 1.0, "A:60,AAAA:30,DS:10")?;
        let draw = |seed| -> Result<Vec<Question>, TrafficError> {
            let mut questions = Questions::of_traffic(Traffic::new(&zone, &mix, seed)?, seed);
            Ok((0..20_000).map(|_| questions.next()).collect())
        };
        let (drawn, mut missing, mut types) = (draw(1)?, 0, HashMap::new());
        let mut popular = HashMap::new();
        for question in &drawn {
            let there = zone.find(question.name().as_wire()).is_some();
            missing += u32::from(!there);
            *types.entry(question.rtype().0).or_insert(0) += 1;
            if there {
                assert!(question.name().to_string().starts_with('d'), "glue is not asked for");
                *popular.entry(question.name().to_string()).or_insert(0) += 1;
            }
        }
        assert!((8_800..9_400).contains(&missing), "{missing}");
        assert!((11_700..12_300).contains(&types[&1]), "{types:?}");
        assert!((1_850..2_150).contains(&types[&43]), "{types:?}");
        let mut counts: Vec<i32> = popular.into_values().collect();
        counts.sort_unstable();
        assert!(counts[49] > counts[48] * 3 / 2 && counts[49] > 30 * counts[0], "{counts:?}");
        assert_eq!(draw(1)?, drawn);
        assert_ne!(draw(2)?, drawn);
        Ok(())
    }

    #[test]
    fn names_without_a_zone() -> Result<(), Box<dyn std::error::Error>> {
        let name = |text: &str| Name::parse(text.as_bytes(), None);
        let (names, apexes) =
            (vec![name("a.x.")?, name("b.y.")?, name("c.y.")?], vec![name("x.")?, name("y.")?]);
        let mix = Mix::new(50.0, 1.0, "A")?;
        let mut drawn = Questions::of_traffic(Traffic::of_names(&names, apexes.clone(), &mix, 1)?, 1);
        let below = (0..1_000).map(|_| drawn.next().name()).filter(|drawn| !names.contains(drawn));
        let below: Vec<Name> = below.collect();
        assert!((400..600).contains(&below.len()));
        for apex in &apexes {
            assert!(below.iter().filter(|name| name.is_at_or_below(apex)).count() > 150);
        }
        let mut once = Questions::each_once(names.clone(), 1)?;
        let mut all: Vec<String> = (0..3).map(|_| once.next().name().to_string()).collect();
        all.sort_unstable();
        assert_eq!(all, ["a.x.", "b.y.", "c.y."]);
        assert!(Traffic::of_names(&[], apexes, &mix, 1).is_err() && Questions::each_once(vec![], 1).is_err());
        assert!(Traffic::of_names(&names, vec![], &mix, 1).is_err());
        Ok(())
    }

    #[test]
    fn what_is_no_mix() {
        assert!(Mix::new(101.0, 1.0, "A").is_err());
        assert!(Mix::new(0.0, f64::NAN, "A").is_err());
        for types in ["", "A:0", "A:-1", "NOTYPE", "A;AAAA", "A:1,"] {
            assert_eq!(Mix::new(0.0, 1.0, types), Err(TrafficError::Types(types.to_owned())));
        }
        let alone = "example. 60 IN SOA ns.example. h.example. 1 1 1 1 1\n";
        let alone = fieldtest_dnssec::read(alone.as_bytes(), "zone".as_ref(), None).expect("a zone");
        let mix = Mix::new(0.0, 1.0, "a:1,any:1").expect("a mix");
        assert!(matches!(Traffic::new(&alone, &mix, 1), Err(TrafficError::NoNames(_))));
    }
}
