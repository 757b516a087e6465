use strict;
use warnings;
use Test::More;
use Basket;

is(Basket::total(100, 250), 350, "total");
is(Basket::total(), 0, "total of nothing");
is(Basket::reduced(1000, 15), 850, "reduced");

done_testing;
