"""A basket: prices in cents."""


def total(prices):
    return sum(prices)


def reduced(price, percent):
    return price - price * percent // 100
