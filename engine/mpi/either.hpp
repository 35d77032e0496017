// A collective call in its blocking or nonblocking form; only the request argument differs.
#pragma once

#include <mpi.h>

#include "mpi/group.hpp"

namespace stressbench::mpi {

// Blocking if `request` is null, else nonblocking. `call` is the name in error messages.
template <class... Arguments>
void either(MPI_Request* request, const char* call, int (*at_once)(Arguments...),
            std::type_identity_t<int (*)(Arguments..., MPI_Request*)> started,
            std::type_identity_t<Arguments>... arguments) {
  must(request != nullptr ? started(arguments..., request) : at_once(arguments...), call);
}

}  // namespace stressbench::mpi
