RSpec.describe Basket do
  it("totals prices") { expect(Basket.total([100, 250])).to eq 350 }
  it("totals nothing") { expect(Basket.total([])).to eq 0 }
  it("reduces a price") { expect(Basket.reduced(1000, 15)).to eq 850 }
end
