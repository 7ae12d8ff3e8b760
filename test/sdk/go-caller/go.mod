module millrace.dev/go-caller

go 1.19

require millrace.dev/go v1.0.0

replace millrace.dev/go => ../../../sdk/go
