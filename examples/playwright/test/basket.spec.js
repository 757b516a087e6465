const { expect, test } = require('@playwright/test');
const { total, reduced } = require('../basket');

test('total', () => {
  expect(total([100, 250])).toBe(350);
});

test('total of nothing', () => {
  expect(total([])).toBe(0);
});

test('reduced', () => {
  expect(reduced(1000, 15)).toBe(850);
});
