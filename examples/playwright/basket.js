exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);
exports.reduced = (price, percent) => price - Math.floor((price * percent) / 100);
