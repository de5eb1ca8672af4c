//! SHA-256 with one message per element of a vector.

use super::{K, Sha256};
use crate::vector::{Rounds, Vector};

impl Rounds for Sha256 {
    #[inline(always)]
    fn rounds<V: Vector<W>, const W: usize>(before: [V; 8], mut w: [V; 16]) -> [V; 8] {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = before;
        macro_rules! rounds {
            ($($t:literal)*) => { $(
                if $t >= 16 {
                    let (early, late) = (w[($t + 1) % 16], w[($t + 14) % 16]);
                    let small_0 = early.rotate::<25, 7>().parity(early.rotate::<14, 18>(), early.shift_right::<3>());
                    let small_1 = late.rotate::<15, 17>().parity(late.rotate::<13, 19>(), late.shift_right::<10>());
                    w[$t % 16] = w[$t % 16].add(w[($t + 9) % 16]).add(small_0).add(small_1);
                }
                let big_1 = e.rotate::<26, 6>().parity(e.rotate::<21, 11>(), e.rotate::<7, 25>());
                let t1 = h.add(a.splat(K[$t])).add(w[$t % 16]).add(e.choose(f, g)).add(big_1);
                let big_0 = a.rotate::<30, 2>().parity(a.rotate::<19, 13>(), a.rotate::<10, 22>());
                let t2 = big_0.add(a.majority(b, c));
                (a, b, c, d, e, f, g, h) = (t1.add(t2), a, b, c, d.add(t1), e, f, g);
            )* };
        }
        rounds!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        rounds!(16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
        rounds!(32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47);
        rounds!(48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63);
        let [a0, b0, c0, d0, e0, f0, g0, h0] = before;
        [a.add(a0), b.add(b0), c.add(c0), d.add(d0), e.add(e0), f.add(f0), g.add(g0), h.add(h0)]
    }
}
