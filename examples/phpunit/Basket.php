<?php

final class Basket
{
    public static function total(array $prices): int
    {
        return array_sum($prices);
    }

    public static function reduced(int $price, int $percent): int
    {
        return $price - intdiv($price * $percent, 100);
    }
}
