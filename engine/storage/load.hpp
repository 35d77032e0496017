// Backends over large libraries are modules of their own, loaded when one is asked for: HDF5 brings thirty libraries
// and 11 MiB into every rank, most of which never write a data set.
#pragma once

namespace stressbench::storage {

// Once: loads every module that lies beside the program (lib/stressbench/backends where it is installed, else where it
// was built). They register themselves in backends(). One whose libraries are missing here is left out.
void load_backends();

}  // namespace stressbench::storage
