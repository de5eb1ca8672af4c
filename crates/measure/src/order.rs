//! In which order a round visits the contenders.

use crate::rng::Rng;

/// An endless, seeded, balanced sequence of orders.
///
/// For *n* contenders, a block is 2*n* rounds: the *n* rows of a cyclic square over the zigzag 0, 1, *n*−1, 2, …
/// (E. J. Williams, *Experimental designs balanced for the estimation of residual effects of treatments*, 1949), in
/// random order, each directly followed by its own reverse; contenders are assigned to the square anew for each
/// block. Three things follow for every whole block, and tests hold them:
///
/// * every contender stands equally often (twice) at each position;
/// * every contender is equally often (twice) the direct successor of every other, so what one leaves in caches and
///   predictors burdens all others alike;
/// * every pair of rounds is mirrored (A B C, C B A), so a drift that is linear over the pair cancels.
#[derive(Debug, Clone)]
pub struct Order {
    contenders: usize,
    rng: Rng,
    /// The rest of the current block, last round first.
    block: Vec<Vec<usize>>,
}

impl Order {
    /// Orders of `contenders` contenders, determined by `seed`.
    #[must_use]
    pub fn new(contenders: usize, seed: u64) -> Self {
        Self { contenders, rng: Rng::for_purpose(seed, 0x006f_7264_6572), block: Vec::new() }
    }

    /// Rounds per block: after so many, the order is exactly balanced.
    #[must_use]
    pub fn block_length(&self) -> usize {
        2 * self.contenders
    }

    /// The next round's order: each index below the number of contenders, once.
    pub fn next_round(&mut self) -> Vec<usize> {
        if self.block.is_empty() {
            self.refill();
        }
        self.block.pop().unwrap_or_default()
    }

    fn refill(&mut self) {
        let n = self.contenders;
        let mut labels: Vec<usize> = (0..n).collect();
        self.rng.shuffle(&mut labels);
        let mut shifts: Vec<usize> = (0..n).collect();
        self.rng.shuffle(&mut shifts);
        for shift in shifts {
            let row: Vec<usize> = (0..n).map(|position| labels[(zigzag(position, n) + shift) % n]).collect();
            let reverse = row.iter().rev().copied().collect();
            self.block.push(reverse);
            self.block.push(row);
        }
    }
}

/// 0, 1, n−1, 2, n−2, …: consecutive differences modulo n are all different for even n, and all appear once each
/// way together with the reverse for odd n.
fn zigzag(position: usize, n: usize) -> usize {
    if position % 2 == 1 { position.div_ceil(2) } else { (n - position / 2) % n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_balance_positions_and_successors() {
        for n in 1..=9 {
            let mut order = Order::new(n, 42 + n as u64);
            for _ in 0..3 {
                let mut at = vec![vec![0; n]; n];
                let mut follows = vec![vec![0; n]; n];
                for _ in 0..order.block_length() {
                    let round = order.next_round();
                    assert_eq!(round.len(), n);
                    for (position, &contender) in round.iter().enumerate() {
                        at[contender][position] += 1;
                    }
                    for pair in round.windows(2) {
                        follows[pair[0]][pair[1]] += 1;
                    }
                }
                assert!(at.iter().flatten().all(|&times| times == 2), "{n}: positions {at:?}");
                for (first, row) in follows.iter().enumerate() {
                    for (second, &times) in row.iter().enumerate() {
                        assert_eq!(times, if first == second { 0 } else { 2 }, "{n}: {first} then {second}");
                    }
                }
            }
        }
    }

    #[test]
    fn each_second_round_mirrors_the_one_before() {
        let mut order = Order::new(5, 7);
        for _ in 0..20 {
            let first = order.next_round();
            let mut second = order.next_round();
            second.reverse();
            assert_eq!(first, second);
        }
    }

    #[test]
    fn the_seed_decides() {
        let rounds = |seed| {
            let mut order = Order::new(6, seed);
            (0..24).map(|_| order.next_round()).collect::<Vec<_>>()
        };
        assert_eq!(rounds(1), rounds(1));
        assert_ne!(rounds(1), rounds(2));
    }
}
