//! Primes below 2^62 that are 1 modulo 2048, and arithmetic modulo one of them. Numbers are from 0 to p - 1.
//!
//! Products are Montgomery's: `mul(a, b)` is a·b/2^64. Tables are kept multiplied by 2^64, so that a number times an
//! entry is plain.

/// 2^62 - 2048 k + 1 is prime for these k, all the first ones: as many as solving at degree 1024 and q = 12289 takes, and
/// some more.
const STEPS: [u16; COUNT] = [
    11, 32, 48, 54, 69, 78, 84, 92, 99, 113, 123, 167, 183, 207, 212, 222, 246, 249, 287, 303, 333, 341, 342,
    351, 356, 357, 417, 419, 453, 456, 519, 531, 534, 548, 552, 564, 662, 683, 716, 726, 749, 753, 768, 798,
    804, 806, 858, 869, 882, 902, 953, 956, 971, 981, 989, 1001, 1023, 1029, 1082, 1124, 1131, 1178, 1224,
    1266, 1274, 1296, 1346, 1367, 1386, 1422, 1437, 1442, 1448, 1454, 1467, 1491, 1517, 1538, 1547, 1566,
    1577, 1646, 1649, 1712, 1722, 1737, 1751, 1772, 1794, 1796, 1803, 1806, 1811, 1821, 1884, 1913, 1952,
    1953, 2009, 2028, 2034, 2037, 2039, 2058, 2081, 2094, 2112, 2118, 2136, 2172, 2198, 2217, 2234, 2244,
    2258, 2261, 2289, 2297, 2304, 2316, 2361, 2364, 2366, 2367, 2388, 2391, 2399, 2426, 2444, 2459, 2462,
    2499, 2513, 2514, 2517, 2526, 2576, 2651, 2672, 2696, 2708, 2723, 2729, 2787, 2823, 2858, 2877, 2904,
    2919, 2927, 2937, 2951, 2969, 2973, 2976, 2984, 2991, 2997, 3071, 3089, 3113, 3152, 3194, 3201, 3213,
    3239, 3243, 3248, 3261, 3263, 3306, 3311, 3318, 3347, 3369, 3371, 3449, 3452, 3467, 3486, 3492, 3513,
    3527, 3549, 3581, 3599, 3653, 3668, 3672, 3683, 3758, 3777,
];

/// How many there are.
pub(crate) const COUNT: usize = 192;

/// 2^10 is the greatest degree: roots of order 2^11 are needed.
pub(crate) const ORDER_BITS: usize = 11;

/// The primes, in the order in which residues are taken.
pub(crate) static PRIMES: [Prime; COUNT] = primes();

#[derive(Clone, Copy, Debug)]
pub(crate) struct Prime {
    pub(crate) p: u64,
    /// -1/p modulo 2^64.
    inverse: u64,
    /// 2^128 modulo p.
    pub(crate) r2: u64,
    /// A root of unity of order 2048, times 2^64.
    root: u64,
    /// 1/(product of the primes before this one), times 2^64.
    pub(crate) before: u64,
}

impl Prime {
    const fn new(p: u64) -> Self {
        let mut inverse = 1_u64;
        let mut step = 0;
        while step < 6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(p.wrapping_mul(inverse)));
            step += 1;
        }
        let mut prime = Prime { p, inverse: inverse.wrapping_neg(), r2: 0, root: 0, before: 0 };
        let r = (u64::MAX % p) + 1; // p does not divide 2^64
        prime.r2 = (r as u128 * r as u128 % p as u128) as u64;
        let mut base = 2;
        loop {
            let root = prime.power(prime.mul(base, prime.r2), (p - 1) >> ORDER_BITS);
            // It has order 2048 if its 1024th power is -1.
            if prime.power(root, 1 << (ORDER_BITS - 1)) == p - r {
                prime.root = root;
                return prime;
            }
            base += 1;
        }
    }

    /// a·b/2^64.
    #[inline(always)]
    pub(crate) const fn mul(&self, a: u64, b: u64) -> u64 {
        let product = a as u128 * b as u128;
        let multiple = (product as u64).wrapping_mul(self.inverse) as u128 * self.p as u128;
        self.once(((product + multiple) >> 64) as u64)
    }

    /// A number below 2p.
    #[inline(always)]
    pub(crate) const fn once(&self, a: u64) -> u64 {
        let less = a.wrapping_sub(self.p);
        less.wrapping_add(self.p & ((less as i64 >> 63) as u64))
    }

    #[inline(always)]
    pub(crate) const fn add(&self, a: u64, b: u64) -> u64 {
        self.once(a + b)
    }

    #[inline(always)]
    pub(crate) const fn sub(&self, a: u64, b: u64) -> u64 {
        let less = a.wrapping_sub(b);
        less.wrapping_add(self.p & ((less as i64 >> 63) as u64))
    }

    /// Any 64 bits.
    #[inline(always)]
    pub(crate) const fn word(&self, word: u64) -> u64 {
        // p is a little below 2^62, by which dividing is a shift: 2^62 is 2^62 - p.
        self.once((word & ((1 << 62) - 1)) + (word >> 62) * ((1 << 62) - self.p))
    }

    /// Any signed number of 63 bits.
    #[inline(always)]
    pub(crate) const fn signed(&self, number: i64) -> u64 {
        let number = number % self.p as i64;
        (number + (self.p as i64 & (number >> 63))) as u64
    }

    /// The representative next to zero.
    #[cfg(test)]
    pub(crate) const fn centred(&self, a: u64) -> i64 {
        a as i64 - (self.p as i64 & (((self.p / 2) as i64 - a as i64) >> 63))
    }

    /// A power of a number that is multiplied by 2^64, as is the result.
    const fn power(&self, base: u64, exponent: u64) -> u64 {
        let mut result = self.mul(1, self.r2);
        let mut bit = u64::BITS - exponent.leading_zeros();
        while bit > 0 {
            bit -= 1;
            result = self.mul(result, result);
            if exponent >> bit & 1 == 1 {
                result = self.mul(result, base);
            }
        }
        result
    }

    /// Roots of unity of order 2, 4, 8 … 2048, times 2^64.
    pub(crate) fn roots(&self) -> [u64; ORDER_BITS] {
        let mut roots = [self.root; ORDER_BITS];
        for at in (1..ORDER_BITS).rev() {
            roots[at - 1] = self.mul(roots[at], roots[at]);
        }
        roots
    }
}

const fn primes() -> [Prime; COUNT] {
    let mut primes = [Prime { p: 0, inverse: 0, r2: 0, root: 0, before: 0 }; COUNT];
    let mut at = 0;
    while at < COUNT {
        let prime = Prime::new((1 << 62) - 2048 * STEPS[at] as u64 + 1);
        let mut product = prime.mul(1, prime.r2);
        let mut before = 0;
        while before < at {
            product = prime.mul(product, prime.mul(prime.word(primes[before].p), prime.r2));
            before += 1;
        }
        primes[at] = prime;
        primes[at].before = prime.power(product, prime.p - 2);
        at += 1;
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_primes() {
        for prime in &PRIMES {
            // Miller's and Rabin's test, which is a proof below 2^64 with these bases.
            let odd = (prime.p - 1) >> (prime.p - 1).trailing_zeros();
            let one = prime.mul(1, prime.r2);
            for base in [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37] {
                let mut power = prime.power(prime.mul(base, prime.r2), odd);
                let mut passed = power == one;
                for _ in 0..(prime.p - 1).trailing_zeros() {
                    passed |= power == prime.p - one;
                    power = prime.mul(power, power);
                }
                assert!(passed, "{}", prime.p);
            }
        }
        assert!(PRIMES.is_sorted_by(|a, b| a.p > b.p));
    }

    #[test]
    fn arithmetic() {
        for prime in &PRIMES {
            let p = prime.p;
            let one = prime.mul(1, prime.r2);
            assert_eq!(prime.mul(p - 1, prime.mul(p - 1, prime.r2)), 1);
            assert_eq!(prime.roots()[0], p - one);
            assert_eq!(prime.add(p - 1, p - 1), p - 2);
            assert_eq!(prime.sub(0, p - 1), 1);
            for word in [0, 1, p - 1, p, p + 1, 2 * p, 3 * p - 1, 4 * p, u64::MAX - 1, u64::MAX] {
                assert_eq!(prime.word(word), word % p);
            }
            for number in [0, 1, -1, 5, -p.cast_signed(), i64::MAX / 2, i64::MIN / 2] {
                let expected = i128::from(number).rem_euclid(i128::from(p));
                assert_eq!(i128::from(prime.signed(number)), expected);
            }
            assert_eq!((prime.centred(p / 2), prime.centred(p / 2 + 1)), ((p / 2) as i64, -((p / 2) as i64)));
        }
        let product = PRIMES[..7].iter().fold(1, |product, before| {
            PRIMES[7].mul(product, PRIMES[7].mul(PRIMES[7].word(before.p), PRIMES[7].r2))
        });
        assert_eq!(PRIMES[7].mul(product, PRIMES[7].before), 1);
    }
}
