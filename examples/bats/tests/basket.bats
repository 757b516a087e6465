setup() { . "$BATS_TEST_DIRNAME/../basket.sh"; }

@test "total" {
  [ "$(total 100 250)" = 350 ]
}

@test "total of nothing" {
  [ "$(total)" = 0 ]
}

@test "reduced" {
  [ "$(reduced 1000 15)" = 850 ]
}
