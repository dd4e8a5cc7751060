package main

import "testing"

func TestSpread(t *testing.T) {
	tests := []struct {
		name   string
		values []float64
		want   spread
	}{
		{name: "nothing", want: spread{}},
		{name: "one", values: []float64{3}, want: spread{3, 3, 3}},
		{name: "odd", values: []float64{9, 1, 2}, want: spread{2, 1, 9}},
		{name: "even", values: []float64{4, 1, 2, 9}, want: spread{3, 1, 9}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := spreadOf(tt.values); got != tt.want {
				t.Errorf("spreadOf(%v) = %v, want %v", tt.values, got, tt.want)
			}
		})
	}
}

func TestQuantile(t *testing.T) {
	values := make([]int, 100) // 100 down to 1
	for i := range values {
		values[i] = 100 - i
	}
	for q, want := range map[float64]int{0: 1, 0.5: 50, 0.99: 99, 1: 100} {
		if got := quantile(values, q); got != want {
			t.Errorf("quantile(1..100, %v) = %d, want %d", q, got, want)
		}
	}
	if got := quantile([]int{7}, 0.99); got != 7 {
		t.Errorf("quantile of one value = %d, want 7", got)
	}
}
