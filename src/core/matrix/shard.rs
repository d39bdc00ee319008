//! Shards: a plan cut into pieces that each fit one matrix.

use std::ops::Range;

/// What one shard may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardLimits {
    /// Points, and so jobs of one matrix.
    pub points: usize,
    /// Bytes of the list of points.
    pub bytes: usize,
}

/// Cuts points of these sizes (in the unit of [`ShardLimits::bytes`], separators included) into as few balanced runs as
/// fit. Their concatenation is the plan; their lengths differ by one at most.
///
/// # Errors
/// The index of a point that is too large for any shard.
pub fn cut(sizes: &[usize], limits: ShardLimits) -> Result<Vec<Range<usize>>, usize> {
    if let Some(too_large) = sizes.iter().position(|&size| size > limits.bytes) {
        return Err(too_large);
    }
    if sizes.is_empty() {
        return Ok(Vec::new());
    }
    let fits = |run: &Range<usize>| {
        run.len() <= limits.points.max(1) && sizes[run.clone()].iter().sum::<usize>() <= limits.bytes
    };
    let total: usize = sizes.iter().sum();
    let fewest = sizes.len().div_ceil(limits.points.max(1)).max(total.div_ceil(limits.bytes.max(1))).max(1);
    // With as many shards as points every point stands alone and fits.
    let runs = (fewest..=sizes.len()).map(|count| balanced(sizes.len(), count)).find(|runs| runs.iter().all(fits));
    Ok(runs.unwrap_or_else(|| balanced(sizes.len(), sizes.len())))
}

fn balanced(points: usize, count: usize) -> Vec<Range<usize>> {
    (0..count).map(|shard| points * shard / count..points * (shard + 1) / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ShardLimits = ShardLimits { points: 256, bytes: 1_000_000 };

    fn lengths(points: usize) -> Vec<usize> {
        cut(&vec![700; points], LIMITS).unwrap().iter().map(Range::len).collect()
    }

    #[test]
    fn b03_every_size_is_cut_into_as_few_balanced_shards_as_fit() {
        for (points, shards) in
            [(0, 0), (1, 1), (255, 1), (256, 1), (257, 2), (512, 2), (513, 3), (1820, 8), (65_536, 256)]
        {
            let lengths = lengths(points);
            assert_eq!(lengths.len(), shards, "{points}");
            assert_eq!(lengths.iter().sum::<usize>(), points);
            let (min, max) = (lengths.iter().min().unwrap_or(&0), lengths.iter().max().unwrap_or(&0));
            assert!(max - min <= 1 && *max <= 256, "{points}: {lengths:?}");
        }
    }

    #[test]
    fn shards_follow_each_other_without_gap() {
        let runs = cut(&vec![5000; 1000], LIMITS).unwrap();
        assert_eq!(runs[0].start, 0);
        assert!(runs.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(runs[runs.len() - 1].end, 1000);
        assert!(runs.iter().all(|run| run.len() * 5000 <= LIMITS.bytes));
    }

    #[test]
    fn a_few_large_points_make_more_shards() {
        let mut sizes = vec![10; 100];
        sizes[99] = 999_995;
        let runs = cut(&sizes, LIMITS).unwrap();
        assert!(runs.iter().all(|run| sizes[run.clone()].iter().sum::<usize>() <= LIMITS.bytes));
        assert!(runs.len() >= 2);
    }

    #[test]
    fn a_point_that_fits_nowhere_is_named() {
        assert_eq!(cut(&[10, 1_000_001], LIMITS), Err(1));
    }
}
