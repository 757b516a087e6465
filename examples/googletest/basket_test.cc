#include <gtest/gtest.h>
#include "basket.h"

TEST(Basket, Total) { EXPECT_EQ(total({100, 250}), 350); }

TEST(Basket, TotalOfNothing) { EXPECT_EQ(total({}), 0); }

TEST(Basket, Reduced) { EXPECT_EQ(reduced(1000, 15), 850); }
