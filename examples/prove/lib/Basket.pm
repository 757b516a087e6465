package Basket;
use strict;
use warnings;
use List::Util qw(sum0);

sub total { return sum0(@_) }
sub reduced { my ($price, $percent) = @_; return $price - int($price * $percent / 100) }

1;
