*** Settings ***
Library    ../basket.py

*** Test Cases ***
A Total
    ${prices}=    Evaluate    [100, 250]
    ${sum}=    Total    ${prices}
    Should Be Equal As Integers    ${sum}    350

The Total Of Nothing
    ${prices}=    Evaluate    []
    ${sum}=    Total    ${prices}
    Should Be Equal As Integers    ${sum}    0

A Reduced Price
    ${price}=    Reduced    ${1000}    ${15}
    Should Be Equal As Integers    ${price}    850
