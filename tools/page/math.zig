//! Functions of the mathematical library that kernels call, by Zig's library, which has musl's.
const math = @import("std").math;

export fn expm1(x: f64) f64 {
    return math.expm1(x);
}

export fn lgamma(x: f64) f64 {
    return math.lgamma(f64, x);
}

export fn log1p(x: f64) f64 {
    return math.log1p(x);
}
