// The matrix of the next coarser level: the product of the restriction (the transposed interpolation), the matrix and
// the interpolation.
#pragma once

#include "motifs/application/amg/coarsening.hpp"
#include "motifs/application/amg/rows.hpp"
#include "motifs/application/amg/stencil.hpp"

namespace stressbench::amg {

Matrix coarse_matrix(const Stencil& stencil, const Matrix& interpolation, const CoarsePoints& coarse);
Matrix coarse_matrix(const Matrix& matrix, const Partition& partition, const Matrix& interpolation,
                     const CoarsePoints& coarse);

}  // namespace stressbench::amg
