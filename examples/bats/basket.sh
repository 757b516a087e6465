# A basket: prices in cents.
total() {
  sum=0
  for price in "$@"; do sum=$((sum + price)); done
  echo "$sum"
}

reduced() { echo $(($1 - $1 * $2 / 100)); }
