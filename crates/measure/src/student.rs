//! Student's t: what a few clusters add to the width of an interval, and how far beyond it chance goes.

/// How many standard errors a 95 % interval has to either side, with an estimate of the error from `freedom` degrees of
/// freedom. Exact to 0.1 % (Abramowitz and Stegun, 26.7.5, and the exact values for 1 to 3, where that is not).
pub fn two_sided_95(freedom: f64) -> f64 {
    /// The normal distribution's.
    const X: f64 = 1.959_963_984_540_054;
    match freedom {
        ..1.5 => 12.706_204_736,
        ..2.5 => 4.302_652_730,
        ..3.5 => 3.182_446_305,
        n => {
            let (x, x3) = (X, X.powi(3));
            let (x5, x7) = (X.powi(5), X.powi(7));
            let x9 = X.powi(9);
            x + (x3 + x) / (4.0 * n)
                + (5.0 * x5 + 16.0 * x3 + 3.0 * x) / (96.0 * n.powi(2))
                + (3.0 * x7 + 19.0 * x5 + 17.0 * x3 - 15.0 * x) / (384.0 * n.powi(3))
                + (79.0 * x9 + 776.0 * x7 + 1482.0 * x5 - 1920.0 * x3 - 945.0 * x) / (92160.0 * n.powi(4))
        }
    }
}

/// Degrees of freedom from which on the distribution is taken as that of so many: its tails are a little heavier than the truth.
const MANY: u32 = 1000;

/// How likely a value beyond `t`, on either side, is by chance. A sum of as many terms as there are degrees of freedom
/// (Abramowitz and Stegun, 26.7.3 and 26.7.4), right to 10⁻¹⁵.
pub fn beyond(t: f64, freedom: u32) -> f64 {
    let freedom = freedom.clamp(1, MANY);
    let angle = (t.abs() / f64::from(freedom).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    // Each term is the one before times (k − 1)/k cos², beginning with 1 or the cosine.
    let odd = freedom % 2 == 1;
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = if freedom == 1 { 0.0 } else { term };
    for k in (if odd { 3 } else { 2 }..freedom).step_by(2) {
        term *= f64::from(k - 1) / f64::from(k) * cosine * cosine;
        sum += term;
    }
    let within = if odd { std::f64::consts::FRAC_2_PI * (angle + sine * sum) } else { sine * sum };
    (1.0 - within).max(0.0)
}

/// Beyond how many standard errors, on either side, this share of all values lies: the inverse of [`beyond`], for shares
/// from 10⁻¹² up.
pub fn two_sided(share: f64, freedom: u32) -> f64 {
    let power = (0..50).find(|power| beyond(2_f64.powi(*power), freedom) <= share);
    let (mut low, mut high) = (0.0, 2_f64.powi(power.unwrap_or(50)));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if beyond(middle, freedom) <= share { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::{beyond, two_sided, two_sided_95};

    #[test]
    fn as_the_tables_have_it() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
        for (freedom, quantile) in [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (5.0, 2.571),
            (9.0, 2.262),
            (29.0, 2.045),
            (1e9, 1.960),
        ] {
            let found = two_sided_95(freedom);
            assert!((found / quantile - 1.0).abs() < 1e-3, "{freedom}: {found} and not {quantile}");
            let exact = two_sided(0.05, freedom as u32);
            assert!(
                (found / exact - 1.0).abs() < if freedom < 1e9 { 4e-4 } else { 2e-3 },
                "{freedom}: {exact}"
            );
        }
        // The terms of the formula, as another program adds them up; freedom is no whole number where errors were added up.
        for (freedom, value) in [
            (1.5, 4.302_652_730),
            (2.5, 3.182_446_305),
            (3.5, 2.938_367_949_378_251),
            (4.0, 2.775_582_224_236_798),
            (5.0, 2.570_308_227_150_843),
            (9.0, 2.262_143_575_445_635_6),
            (29.0, 2.045_229_605_341_896),
        ] {
            assert!((two_sided_95(freedom) - value).abs() < 1e-14, "{freedom}: {}", two_sided_95(freedom));
        }
    }

    #[test]
    fn tails_as_the_tables_have_them() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: the columns for 0.975 and 0.999, one-sided.
        for (freedom, at_975, at_999) in [
            (1, 12.706, 318.313),
            (2, 4.303, 22.327),
            (3, 3.182, 10.215),
            (4, 2.776, 7.173),
            (5, 2.571, 5.893),
            (29, 2.045, 3.396),
            (100, 1.984, 3.174),
        ] {
            for (share, quantile) in [(0.05, at_975), (0.002, at_999)] {
                let found = two_sided(share, freedom);
                assert!((found / quantile - 1.0).abs() < 3e-4, "{freedom}: {found} and not {quantile}");
                assert!((beyond(found, freedom) / share - 1.0).abs() < 1e-9, "{freedom}");
            }
        }
        // Of very many degrees of freedom it is nearly the normal distribution's.
        assert!((two_sided(1e-6, u32::MAX) / 4.8916 - 1.0).abs() < 0.01);
        assert!(beyond(0.0, 7) == 1.0 && beyond(f64::INFINITY, 7) < 1e-15);
        // At the root of the freedom the angle is 45°, and the sums are short.
        let [half, pi] = [0.5f64.sqrt(), std::f64::consts::PI];
        for (freedom, share) in [
            (1, 0.5),
            (2, 1.0 - half),
            (3, 0.5 - 1.0 / pi),
            (4, 1.0 - half * 1.25),
            (5, 0.5 - 4.0 / 3.0 / pi),
            (6, 1.0 - half * 1.34375),
        ] {
            let root = f64::from(freedom).sqrt();
            assert!((beyond(root, freedom) - share).abs() < 1e-15, "{freedom}: {}", beyond(root, freedom));
            assert_eq!(beyond(-root, freedom), beyond(root, freedom));
        }
        // The tails of freedom 1 are 2/πt.
        assert!((two_sided(1e-12, 1) * pi * 1e-12 / 2.0 - 1.0).abs() < 1e-3);
        assert_eq!((beyond(2.0, 0), beyond(2.0, 1001)), (beyond(2.0, 1), beyond(2.0, 1000)));
    }
}
