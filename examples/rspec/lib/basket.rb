# Prices in cents.
module Basket
  def self.total(prices)
    prices.sum
  end

  def self.reduced(price, percent)
    price - price * percent / 100
  end
end
