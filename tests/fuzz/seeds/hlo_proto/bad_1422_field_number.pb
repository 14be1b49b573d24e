
m
main.1(