package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BasketTest {
  @Test
  void total() {
    assertEquals(350, Basket.total(100, 250));
  }

  @Test
  void totalOfNothing() {
    assertEquals(0, Basket.total());
  }

  @Test
  void reduced() {
    assertEquals(850, Basket.reduced(1000, 15));
  }
}
