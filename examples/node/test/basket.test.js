const assert = require('node:assert');
const test = require('node:test');
const { total, reduced } = require('../basket');

test('total', () => {
  assert.equal(total([100, 250]), 350);
});

test('total of nothing', () => {
  assert.equal(total([]), 0);
});

test('reduced', () => {
  assert.equal(reduced(1000, 15), 850);
});
