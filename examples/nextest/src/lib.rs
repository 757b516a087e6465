//! A basket: prices in cents.

pub fn total(prices: &[u32]) -> u32 {
    prices.iter().sum()
}

pub fn reduced(price: u32, percent: u32) -> u32 {
    price - price * percent / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_of_two() {
        assert_eq!(total(&[100, 250]), 350);
    }

    #[test]
    fn total_of_nothing() {
        assert_eq!(total(&[]), 0);
    }

    #[test]
    fn reduced_by_percent() {
        assert_eq!(reduced(1000, 15), 850);
    }
}
