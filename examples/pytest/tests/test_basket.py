from basket import reduced, total


def test_total():
    assert total([100, 250]) == 350


def test_total_of_nothing():
    assert total([]) == 0


def test_reduced():
    assert reduced(1000, 15) == 850
