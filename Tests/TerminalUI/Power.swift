import Glibc

/// The C library's `pow`.
func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
