//! What was decided. Algorithms and properties are named by their places in the [`Study`](crate::Study).

use crate::constraint::{Constraint, Request};
use crate::json::objects;

objects! {
    /// The recommendation on one carrier.
    pub struct Verdict {
        /// What of the request makes sense, in the order of the properties.
        pub understood: Request,
        /// What is asked for.
        pub constraints: Vec<Constraint>,
        /// What is asked for and cannot be judged, as the records say nothing of it for anybody.
        pub unjudged: Vec<Constraint>,
        /// All of that in words.
        pub asked: String,
        /// The properties that algorithms are ranked by.
        pub by: Vec<usize>,
        /// The properties that are shown of those who are accepted.
        pub shown: Vec<usize>,
        /// Who has all that is asked, in order.
        pub accepted: Vec<Accepted>,
        /// Who has not, and why.
        pub rejected: Vec<Rejected>,
        /// Whom giving up as little as possible would let in.
        pub alternatives: Vec<Alternative>,
        /// The recommendation in a line that can be repeated.
        pub sentence: String,
        /// The same in a few words.
        pub headline: String,
        /// The names of those that it names: who is first, or who comes nearest.
        pub named: Vec<String>,
        /// What they cost, at most three lines.
        pub facts: Vec<String>,
        /// What each way of relaxing constraints would allow, where nobody meets all of them.
        pub relaxed: Vec<String>,
        /// What to know before one follows it.
        pub caveats: Vec<String>,
        /// The command to try next; empty where there is nothing to try.
        pub next: String,
        /// What the mark of results by experimental code means, where one is marked.
        pub remark: Option<String>,
    }

    /// An algorithm in its place.
    pub struct Accepted {
        /// The algorithm.
        pub algorithm: usize,
        /// From 1, shared by those that are tied or not ranked among each other.
        pub rank: usize,
        /// The rank as it is shown: `1`, `1 =` of those that are tied, `1–3` of those that are not ranked.
        pub place: String,
        /// Why it is not ranked among those that share its rank; nothing where they are tied, or nobody shares it.
        pub not_ranked: Option<String>,
        /// The title of the property that leaves this open.
        pub left_open_by: Option<String>,
    }

    /// An algorithm that lacks something.
    pub struct Rejected {
        /// The algorithm.
        pub algorithm: usize,
        /// The properties that it lacks.
        pub lacks: Vec<usize>,
        /// What it has instead, in words.
        pub why: Vec<String>,
    }

    /// The best of those that lack the same, and no part of it less.
    pub struct Alternative {
        /// The constraints to be given up, in words.
        pub without: Vec<String>,
        /// The usual ones that are met in their place.
        pub usual: Vec<String>,
        /// The names of their properties.
        pub properties: Vec<String>,
        /// The names of those who would be first then; several where they are tied or not ranked.
        pub algorithms: Vec<String>,
        /// What the first costs, the most important first.
        pub facts: Vec<String>,
        /// The sizes that the first misses, in words.
        pub misses: Vec<String>,
        /// Who comes nearest, where a size is all that is to be given up.
        pub nearest: Option<Nearest>,
    }

    /// Who of those that lack nothing but a size comes nearest to it.
    pub struct Nearest {
        /// The catalog's name.
        pub algorithm: String,
        /// The name of the size.
        pub property: String,
        /// What it has, in words.
        pub has: String,
        /// How far that is from what was asked, in the property's unit.
        pub off: f64,
        /// The same in words: `1188 bytes too many`.
        pub text: String,
    }
}
