// Base class of motifs whose `decompose` must not overlap with that of other jobs. Open MPI 4.1 mixes up windows that
// disjoint groups of ranks on one host create at the same time: a third of such launches ended with "invalid window".
#pragma once

namespace stressbench {

class SerialSetup {
 protected:
  SerialSetup() = default;
  virtual ~SerialSetup() = default;
};

}  // namespace stressbench
