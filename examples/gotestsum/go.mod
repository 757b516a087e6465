module example.org/basket

go 1.19
