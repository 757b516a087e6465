// Package basket: prices in cents.
package basket

func Total(prices []int) int {
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum
}

func Reduced(price, percent int) int {
	return price - price*percent/100
}
