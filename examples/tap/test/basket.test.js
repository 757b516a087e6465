const t = require('tap');
const { total, reduced } = require('../basket');

t.test('total', async (t) => t.equal(total([100, 250]), 350));
t.test('total of nothing', async (t) => t.equal(total([]), 0));
t.test('reduced', async (t) => t.equal(reduced(1000, 15), 850));
