package basket

import "testing"

func TestTotal(t *testing.T) {
	if Total([]int{100, 250}) != 350 {
		t.Fail()
	}
}

func TestTotalOfNothing(t *testing.T) {
	if Total(nil) != 0 {
		t.Fail()
	}
}

func TestReduced(t *testing.T) {
	if Reduced(1000, 15) != 850 {
		t.Fail()
	}
}
