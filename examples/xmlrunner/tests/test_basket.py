import unittest

from basket import reduced, total


class BasketCase(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([100, 250]), 350)

    def test_total_of_nothing(self):
        self.assertEqual(total([]), 0)

    def test_reduced(self):
        self.assertEqual(reduced(1000, 15), 850)
