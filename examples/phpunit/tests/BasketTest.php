<?php

final class BasketTest extends PHPUnit\Framework\TestCase
{
    public function testTotal(): void
    {
        $this->assertSame(350, Basket::total([100, 250]));
    }

    public function testTotalOfNothing(): void
    {
        $this->assertSame(0, Basket::total([]));
    }

    public function testReduced(): void
    {
        $this->assertSame(850, Basket::reduced(1000, 15));
    }
}
