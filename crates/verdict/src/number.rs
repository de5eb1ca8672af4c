//! How a result is written: one scale per column, three to four significant digits, digits in groups of three.
//!
//! A column has one scale, so that its results can be compared by their length; the scale stands in the header
//! (`k cycles`, `ms`) and not behind each result.

/// The units of times, and of what is done in a time.
pub const TIMES: [&str; 7] = ["cycles", "ns", "cycles/byte", "ns/byte", "s", RATES[0], RATES[1]];

/// The units of which more is better.
pub const RATES: [&str; 2] = ["GB/s", "KiB/s"];

/// What a unit of the records means for writing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// A time, held in seconds times the given power of ten.
    Time(i32),
    /// A large quantity that takes `k`, `M`, `G`.
    Large,
    PerByte,
    /// Written to the last digit: bytes and counts.
    Exact,
    /// A part of one, written in per cent.
    Share,
    Ratio,
}

fn family(unit: &str) -> Family {
    match unit {
        "s" => Family::Time(0),
        "ms" => Family::Time(-3),
        "ns" => Family::Time(-9),
        "cycles" | "per-day" | "per-second" => Family::Large,
        "cycles/byte" | "ns/byte" | "ticks/byte" => Family::PerByte,
        "share" => Family::Share,
        "ratio" => Family::Ratio,
        _ => Family::Exact,
    }
}

/// How the results of one column are written.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    label: String,
    factor: f64,
    style: Style,
}

/// How the digits of a scaled result are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Exact,
    Significant,
    /// Two decimals up to ten, so that factors below and above one look alike.
    Factor,
    /// Two decimals, so that results from below one to a hundred stand below each other.
    Hundredths,
}

impl Scale {
    /// The scale for results of `unit` (as in the records), which shows the smallest of them with at least one digit
    /// before the decimal point, and the largest with at most seven.
    pub fn fitting(unit: &str, values: impl IntoIterator<Item = f64>) -> Scale {
        let (low, high) = values
            .into_iter()
            .map(f64::abs)
            .filter(|value| value.is_finite() && *value > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let choose = |steps: &[(f64, &str)]| {
            let mut at =
                steps.iter().rposition(|(factor, _)| low.is_finite() && low / factor >= 1.0).unwrap_or(0);
            while at + 1 < steps.len() && high / steps[at].0 >= 1e7 {
                at += 1;
            }
            (steps[at].0, steps[at].1.to_owned())
        };
        match family(unit) {
            Family::Time(power) => {
                let second = 10f64.powi(-power);
                let (factor, label) = choose(&[
                    (1e-9 * second, "ns"),
                    (1e-6 * second, "µs"),
                    (1e-3 * second, "ms"),
                    (second, "s"),
                ]);
                Scale { label, factor, style: Style::Significant }
            }
            Family::Large => {
                let name = unit.replace('-', " ");
                let (factor, prefix) = choose(&[(1.0, ""), (1e3, "k "), (1e6, "M "), (1e9, "G ")]);
                Scale { label: format!("{prefix}{name}"), factor, style: Style::Significant }
            }
            Family::PerByte => Scale { label: unit.to_owned(), factor: 1.0, style: Style::Hundredths },
            Family::Exact => Scale { label: unit.replace('-', " "), factor: 1.0, style: Style::Exact },
            Family::Share => Scale { label: "%".to_owned(), factor: 0.01, style: Style::Significant },
            Family::Ratio => Scale { label: "×".to_owned(), factor: 1.0, style: Style::Factor },
        }
    }

    /// What the header says: the unit with its prefix.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// What a value is divided by to be shown in this scale.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// Writes `value` in this scale, digits grouped from five digits on.
    pub fn write(&self, value: f64) -> String {
        let scaled = value / self.factor;
        match self.style {
            Style::Exact if scaled.fract() == 0.0 => grouped(&format!("{scaled:.0}")),
            Style::Exact | Style::Significant => significant(scaled),
            Style::Factor => factor(scaled),
            Style::Hundredths => hundredths(scaled),
        }
    }
}

/// A result with its unit.
pub fn written(unit: &str, number: f64) -> String {
    let scale = Scale::fitting(unit, [number]);
    let text = scale.write(number);
    match scale.label() {
        "count" | "category" => text,
        "%" => text + "%",
        "bytes" | "bits" if text == "1" => format!("1 {}", scale.label().trim_end_matches('s')),
        label => format!("{text} {label}").trim_end().to_owned(),
    }
}

/// Writes a factor: `0.69`, `1.00`, `13.4`, `805`.
pub fn factor(value: f64) -> String {
    match value {
        _ if (0.1..1.0).contains(&value) => format!("{value:.2}"),
        _ if (0.01..0.1).contains(&value) => format!("{value:.3}"),
        _ => significant(value),
    }
}

/// Writes `value` with two decimals, or with as many more as show three digits of it, six at most: ciphers of 0.354 and 0.361
/// cycles per byte differ by four times their intervals.
fn hundredths(value: f64) -> String {
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = (2.0 - magnitude).clamp(2.0, 6.0) as usize;
    grouped(&format!("{value:.decimals$}"))
}

/// Writes `value` with three significant digits, four from a thousand on.
pub fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let digits = if magnitude >= 3 { 4 } else { 3 };
    let decimals = digits - 1 - magnitude;
    if decimals < 0 {
        let unit = 10f64.powi(-decimals);
        return grouped(&format!("{:.0}", (value / unit).round() * unit));
    }
    if decimals > 6 {
        return format!("{value:.2e}");
    }
    // Rounding may carry into one more digit (9.999 becomes 10.00), which then shows one decimal too many.
    let text = format!("{value:.*}", decimals as usize);
    let carried = text.parse::<f64>().is_ok_and(|back| back.abs() >= 10f64.powi(magnitude + 1));
    let text = if carried && decimals > 0 { format!("{value:.*}", decimals as usize - 1) } else { text };
    grouped(&text)
}

/// A value in full, for a tooltip or an export: the shortest text that reads back as the same number.
pub fn full(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { format!("{value}") }
}

/// A value for whoever looks closer: whole numbers to the last digit, others with six significant digits, without
/// groups, so that it reads back as a number.
pub fn close(value: f64) -> String {
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    if value.fract() == 0.0 && magnitude < 15.0 {
        return format!("{value:.0}");
    }
    if !(-6.0..15.0).contains(&magnitude) {
        return format!("{value:.5e}");
    }
    let text = format!("{value:.*}", (5.0 - magnitude).max(0.0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Half of an interval's width against its value, in per cent: `0.4`; `None` where the value is zero.
pub fn half_width_percent(value: f64, [low, high]: [f64; 2]) -> Option<String> {
    let percent = 50.0 * (high - low).abs() / value.abs();
    if !percent.is_finite() {
        return None;
    }
    Some(match percent {
        p if p < 0.05 => "<0.1".to_owned(),
        p if p < 9.95 => format!("{p:.1}"),
        p => format!("{p:.0}"),
    })
}

/// A number of things: `1 finding`, `10,151 findings`.
pub fn count(number: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(&number.to_string()), if number == 1 { "" } else { "s" })
}

/// Groups the digits before the decimal point by three with commas, from five digits on.
pub fn grouped(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (whole, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    let mut out = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if whole.len() > 4 && at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1.00"),
            (2.345_67, "2.35"),
            (9.999, "10.0"),
            (99.96, "100"),
            (123.4, "123"),
            (999.6, "1000"),
            (1234.4, "1234"),
            (67_335.115, "67,340"),
            (-67_335.115, "-67,340"),
            (149_914_856.0, "149,900,000"),
            (0.0123, "0.0123"),
            (0.000_000_012_3, "1.23e-8"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn close_to_the_value() {
        for (value, text) in [
            (0.0, "0"),
            (7_230_772_015.0, "7230772015"),
            (7_230_772_015.000_001, "7230772015"),
            (2_757.720_943_4, "2757.72"),
            (0.679_873_8, "0.679874"),
            (0.5, "0.5"),
            (-0.000_012_345_678, "-0.0000123457"),
            (9.999_999_9, "10"),
            (1e-9, "1.00000e-9"),
            (1e300, "1.00000e300"),
        ] {
            assert_eq!(close(value), text);
        }
    }

    #[test]
    fn scale_follows_the_column() {
        let cycles = Scale::fitting("cycles", [53_628.0, 67_335_115.0]);
        assert_eq!((cycles.label(), cycles.write(53_628.0).as_str()), ("k cycles", "53.6"));
        assert_eq!(cycles.write(67_335_115.0), "67,340");
        let times = Scale::fitting("ns", [20_100.0, 41_000_000.0]);
        assert_eq!((times.label(), times.write(20_100.0).as_str()), ("µs", "20.1"));
        let seconds = Scale::fitting("s", [0.218, 54.5]);
        assert_eq!((seconds.label(), seconds.write(54.5281).as_str()), ("ms", "54,530"));
        let bytes = Scale::fitting("bytes", [2_582_375.0]);
        assert_eq!((bytes.label(), bytes.write(2_582_375.0).as_str()), ("bytes", "2,582,375"));
        let share = Scale::fitting("share", [0.252, 0.0]);
        assert_eq!((share.label(), share.write(0.252).as_str()), ("%", "25.2"));
        assert_eq!(Scale::fitting("cycles", []).label(), "cycles");
        let ratio = Scale::fitting("ratio", [0.687, 13.4]);
        let written = [0.687, 1.0, 13.42, 805.2].map(|value| ratio.write(value));
        assert_eq!(written, ["0.69", "1.00", "13.4", "805"]);
        let per_byte = Scale::fitting("cycles/byte", [0.768, 138.2]);
        let written = [0.0, 0.012_34, 0.768, 2.0, 11.123, 138.2].map(|value| per_byte.write(value));
        assert_eq!(written, ["0.00", "0.0123", "0.768", "2.00", "11.12", "138.20"]);
        assert_eq!((per_byte.label(), per_byte.write(1e-12).as_str()), ("cycles/byte", "0.000000"));
    }

    #[test]
    fn intervals_in_per_cent() {
        assert_eq!(half_width_percent(100.0, [99.5, 100.5]).as_deref(), Some("0.5"));
        assert_eq!(half_width_percent(100.0, [99.99, 100.01]).as_deref(), Some("<0.1"));
        assert_eq!(half_width_percent(100.0, [70.0, 130.0]).as_deref(), Some("30"));
        assert_eq!(half_width_percent(0.0, [0.0, 1.0]), None);
    }
}
