const assert = require('node:assert');
const { total, reduced } = require('../basket');

describe('basket', () => {
  it('total', () => assert.equal(total([100, 250]), 350));
  it('total of nothing', () => assert.equal(total([]), 0));
  it('reduced', () => assert.equal(reduced(1000, 15), 850));
});
