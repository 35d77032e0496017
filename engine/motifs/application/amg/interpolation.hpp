// Interpolation from the coarse points of a level to all of its points. Rules and constants are those of AMG,
// parcsr_ls/par_multi_interp.c, par_lr_interp.c and par_interp.c.
#pragma once

#include "motifs/application/amg/coarsening.hpp"
#include "motifs/application/amg/rows.hpp"
#include "motifs/application/amg/stencil.hpp"

namespace stressbench::amg {

// Row i: the coarse points from which point i is interpolated, with weights. A coarse point has itself.

// Multipass interpolation (Yang 2010): first of the points that depend on a coarse point, then in each pass of those
// that depend on points of the previous pass.
Matrix multipass_interpolation(const Stencil& stencil, const Marks& marks, const CoarsePoints& coarse);

// Extended+i interpolation (De Sterck, Falgout, Nolting and Yang 2008): from coarse points that a point depends on, and
// those that its fine points depend on; at most 8 of them.
Matrix extended_interpolation(const Matrix& matrix, const Graph& dependences, const Marks& marks,
                              const CoarsePoints& coarse);

}  // namespace stressbench::amg
