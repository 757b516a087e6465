Feature: Basket

  Scenario: A total
    Given the prices 100, 250
    Then the total is 350

  Scenario: The total of nothing
    Given the prices 0
    Then the total is 0

  Scenario: A reduced price
    Given the prices 1000
    Then 15 percent off gives 850
