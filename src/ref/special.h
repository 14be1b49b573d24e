// Special functions of chlo in double, by series, recurrences and refinement; each says how far it is off.
#pragma once

namespace openneuron::ref {

double erf_inv(double y);                ///< refined until it stands: a few ulp
double digamma(double x);                ///< about 1e-15 relative away from its zeros
double zeta(double s, double q);         ///< Hurwitz zeta, s > 1; about 1e-14 relative
double polygamma(double n, double x);    ///< n a whole number >= 0
double bessel_i1e(double x);             ///< exp(-|x|) I1(x); about 1e-14 relative

}  // namespace openneuron::ref
