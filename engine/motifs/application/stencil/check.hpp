// What steps must be on a grid, so that MPI makes no error of them.
#pragma once

#include <vector>

#include "motifs/application/stencil/process_grid.hpp"
#include "motifs/application/stencil/steps.hpp"

namespace stressbench::stencil {

// Throws UserMistake unless, on this grid, for the steps on its ranks (Steps::on),
// - messages with the same offset and tag are sent and received with the same sizes in the same order, in the same
// loop;
// - the ranks of a communicator give the same size for a collective, of whole numbers for a reduction, and have its
// root;
// - 64 bits can count the calls and the bytes of an iteration, and the nanoseconds of a computation.
void check_steps(const std::vector<Step>& steps, const ProcessGrid& grid);

}  // namespace stressbench::stencil
