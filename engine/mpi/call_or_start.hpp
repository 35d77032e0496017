// A collective call in its blocking or nonblocking form; only the request argument differs.
#pragma once

#include <mpi.h>

#include "mpi/group.hpp"

namespace stressbench::mpi {

// Blocking if `request` is null, else nonblocking. `call` is the name in error messages.
template <class... Arguments>
void call_or_start(MPI_Request* request, const char* call, int (*blocking)(Arguments...),
                   std::type_identity_t<int (*)(Arguments..., MPI_Request*)> nonblocking,
                   std::type_identity_t<Arguments>... arguments) {
  check(request != nullptr ? nonblocking(arguments..., request) : blocking(arguments...), call);
}

}  // namespace stressbench::mpi
