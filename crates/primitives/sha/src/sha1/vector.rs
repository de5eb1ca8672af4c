//! SHA-1 with one message per element of a vector.

use super::{K, Sha1};
use crate::vector::{Rounds, Vector};

impl Rounds for Sha1 {
    #[inline(always)]
    fn rounds<V: Vector<W>, const W: usize>(before: [V; 8], mut w: [V; 16]) -> [V; 8] {
        let [mut a, mut b, mut c, mut d, mut e, ..] = before;
        macro_rules! rounds {
            ($f:expr, $k:expr; $($t:literal)*) => {
                let k = a.splat($k);
                $(
                    if $t >= 16 {
                        w[$t % 16] = w[($t + 13) % 16]
                            .parity(w[($t + 8) % 16], w[($t + 2) % 16])
                            .xor(w[$t % 16])
                            .rotate::<1, 31>();
                    }
                    let next = a.rotate::<5, 27>().add($f(b, c, d)).add(e.add(k).add(w[$t % 16]));
                    (a, b, c, d, e) = (next, a, b.rotate::<30, 2>(), c, d);
                )*
            };
        }
        rounds!(V::choose, K[0]; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
        rounds!(V::parity, K[1]; 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39);
        rounds!(V::majority, K[2]; 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59);
        rounds!(V::parity, K[3]; 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79);
        let [a0, b0, c0, d0, e0, unused @ ..] = before;
        let [f, g, h] = unused;
        [a.add(a0), b.add(b0), c.add(c0), d.add(d0), e.add(e0), f, g, h]
    }
}
