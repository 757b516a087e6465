require "test_helper"

class BasketTest < Minitest::Test
  def test_total
    assert_equal 350, Basket.total([100, 250])
  end

  def test_total_of_nothing
    assert_equal 0, Basket.total([])
  end

  def test_reduced
    assert_equal 850, Basket.reduced(1000, 15)
  end
end
