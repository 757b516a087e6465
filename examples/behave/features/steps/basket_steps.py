from behave import given, then

from basket import reduced, total


@given("the prices {prices}")
def prices(context, prices):
    context.prices = [int(price) for price in prices.split(",")]


@then("the total is {expected:d}")
def check_total(context, expected):
    assert total(context.prices) == expected


@then("{percent:d} percent off gives {expected:d}")
def check_reduced(context, percent, expected):
    assert reduced(context.prices[0], percent) == expected
