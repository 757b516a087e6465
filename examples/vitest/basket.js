export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);
export const reduced = (price, percent) => price - Math.floor((price * percent) / 100);
