// A basket: prices in cents.
#pragma once
#include <numeric>
#include <vector>

inline int total(const std::vector<int>& prices) { return std::accumulate(prices.begin(), prices.end(), 0); }
inline int reduced(int price, int percent) { return price - price * percent / 100; }
