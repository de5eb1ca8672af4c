//! Points of `y^2 = x^3 - 3 x + b` and their sums.

use crate::field::PrimeField;

/// A point by its coordinates; never the point at infinity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Affine<F> {
    pub(crate) x: F,
    pub(crate) y: F,
}

/// A point as `(X / ZZ, Y / ZZZ)` with `ZZ^3 = ZZZ^2`; all of `ZZ` and `ZZZ` are zero for the point at infinity.
///
/// With tables there are no doublings but many additions of affine points, and those cost the fewest multiplications here.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum<F> {
    pub(crate) x: F,
    pub(crate) y: F,
    pub(crate) zz: F,
    pub(crate) zzz: F,
}

impl<F: PrimeField> Affine<F> {
    /// Whether the equation holds, which all points and nothing else fulfils.
    pub(crate) fn is_on_curve(&self, b: F) -> bool {
        self.y.square() == (self.x.square() - F::ONE.triple()) * self.x + b
    }

    /// The opposite point if the mask is all ones.
    #[inline(always)]
    pub(crate) fn negated_if(&self, mask: u64) -> Self {
        Self { x: self.x, y: F::select(mask, &-self.y, &self.y) }
    }
}

impl<F: PrimeField> From<Affine<F>> for Sum<F> {
    #[inline(always)]
    fn from(point: Affine<F>) -> Self {
        Self { x: point.x, y: point.y, zz: F::ONE, zzz: F::ONE }
    }
}

/// A point as `(X / Z^2, Y / Z^3)`; Z is zero for the point at infinity. Doublings cost fewer multiplications here than
/// those of [`Sum`], additions more. It keeps 2 Y: with Y itself a doubling would take three more additions.
#[derive(Clone, Copy, Default)]
pub(crate) struct Doubling<F> {
    x: F,
    y_doubled: F,
    z: F,
}

impl<F: PrimeField> Doubling<F> {
    /// Twice the point, without exception as [`Sum::doubled`].
    #[inline]
    pub(crate) fn doubled(&self) -> Self {
        let (zz, v) = (self.z.square(), self.y_doubled.square());
        let middle = self.x * v;
        let slope = ((self.x - zz) * (self.x + zz)).triple();
        let x = slope.square() - middle.double();
        let y_doubled = slope.double() * (middle - x) - v.square();
        Self { x, y_doubled, z: self.y_doubled * self.z }
    }

    /// The sum of any two points. Its Z is twice that of the usual formula, which would need Y.
    #[inline]
    pub(crate) fn plus_vartime(self, point: &Affine<F>) -> Self {
        let of_point = Self { x: point.x, y_doubled: point.y.double(), z: F::ONE };
        if self.z == F::ZERO {
            return of_point;
        }
        let zz = self.z.square();
        let dx = point.x * zz - self.x;
        let dy_doubled = of_point.y_doubled * (zz * self.z) - self.y_doubled;
        if dx == F::ZERO && dy_doubled == F::ZERO {
            return of_point.doubled();
        }
        // For opposite points Z becomes zero.
        let dx_doubled = dx.double();
        let v = dx_doubled.square();
        let (w, middle) = (dx * v, self.x * v);
        let x = dy_doubled.square() - w - middle.double();
        let y = dy_doubled * (middle - x) - self.y_doubled * w;
        Self { x, y_doubled: y.double(), z: self.z * dx_doubled }
    }
}

impl<F: PrimeField> From<Doubling<F>> for Sum<F> {
    /// With twice the Z, so that 2 Y need not be halved.
    fn from(Doubling { x, y_doubled, z }: Doubling<F>) -> Self {
        let zz = z.double().square();
        Self { x: x.double().double(), y: y_doubled.double().double(), zz, zzz: zz * z.double() }
    }
}

impl<F: PrimeField> Sum<F> {
    pub(crate) const INFINITY: Self = Self { x: F::ONE, y: F::ONE, zz: F::ZERO, zzz: F::ZERO };

    /// The sum of two points that are neither equal nor opposite nor infinite (Explicit-Formulas Database, shortw/xyzz,
    /// madd-2008-s): in constant time.
    #[inline(always)]
    pub(crate) fn plus_distinct(&self, point: &Affine<F>) -> Self {
        self.plus_by_differences(point.x * self.zz - self.x, point.y * self.zzz - self.y)
    }

    /// The rest of the addition, after the differences of the coordinates, each times its denominator.
    #[inline(always)]
    fn plus_by_differences(&self, dx: F, dy: F) -> Self {
        let dx2 = dx.square();
        let dx3 = dx * dx2;
        let middle = self.x * dx2;
        let x = dy.square() - dx3 - middle.double();
        let y = dy * (middle - x) - self.y * dx3;
        Self { x, y, zz: self.zz * dx2, zzz: self.zzz * dx3 }
    }

    /// The sum of any two points.
    #[inline]
    pub(crate) fn plus_vartime(&self, point: &Affine<F>) -> Self {
        if self.zz == F::ZERO {
            return (*point).into();
        }
        let dx = point.x * self.zz - self.x;
        let dy = point.y * self.zzz - self.y;
        if dx != F::ZERO {
            self.plus_by_differences(dx, dy)
        } else if dy == F::ZERO {
            Self::from(*point).doubled()
        } else {
            Self::INFINITY
        }
    }

    /// Twice the point (dbl-2008-s-1 with a = -3). No point but infinity is its own opposite, since the order is odd, and
    /// infinity stays what it is: so there is no exception.
    pub(crate) fn doubled(&self) -> Self {
        let y_doubled = self.y.double();
        let v = y_doubled.square();
        let w = y_doubled * v;
        let middle = self.x * v;
        let slope = ((self.x - self.zz) * (self.x + self.zz)).triple();
        let x = slope.square() - middle.double();
        let y = slope * (middle - x) - w * self.y;
        Self { x, y, zz: v * self.zz, zzz: w * self.zzz }
    }

    /// The affine sum of two finite points, which may be equal or opposite, in constant time (Renes, Costello and Batina,
    /// "Complete addition formulas for prime order elliptic curves", 2016, algorithm 5). Zeros for the point at infinity.
    pub(crate) fn plus_complete(&self, point: &Affine<F>, b: F) -> Affine<F> {
        // Projective coordinates (x : y : z) of the same point.
        let (x, y, z) = (self.x * self.zzz, self.y * self.zz, self.zz * self.zzz);

        let (xx, yy) = (x * point.x, y * point.y);
        let xy = (x + y) * (point.x + point.y) - xx - yy;
        let yz = point.y * z + y;
        let xz = point.x * z + x;
        let odd = (xz - b * z).triple();
        let (sum, difference) = (yy + odd, yy - odd);
        let slope = (xx - z).triple();
        let other = (b * xz - z.triple() - xx).triple();

        let x = xy * sum - yz * other;
        let y = sum * difference + slope * other;
        let inverse = (yz * difference + xy * slope).invert();
        Affine { x: x * inverse, y: y * inverse }
    }
}
