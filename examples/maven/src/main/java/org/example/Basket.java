package org.example;

/** Prices in cents. */
public final class Basket {
  static int total(int... prices) {
    return java.util.Arrays.stream(prices).sum();
  }

  static int reduced(int price, int percent) {
    return price - price * percent / 100;
  }
}
