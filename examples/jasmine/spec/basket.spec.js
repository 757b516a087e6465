const { total, reduced } = require('../basket');

describe('basket', () => {
  it('total', () => expect(total([100, 250])).toBe(350));
  it('total of nothing', () => expect(total([])).toBe(0));
  it('reduced', () => expect(reduced(1000, 15)).toBe(850));
});
