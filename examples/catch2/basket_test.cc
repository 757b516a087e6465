#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "basket.h"

TEST_CASE("total") { CHECK(total({100, 250}) == 350); }

TEST_CASE("total of nothing") { CHECK(total({}) == 0); }

TEST_CASE("reduced") { CHECK(reduced(1000, 15) == 850); }
