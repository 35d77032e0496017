// Base class of motifs that must not decompose while other jobs do. Open MPI 4.1 confuses windows that disjoint groups
// of ranks on one host create at the same time: a third of such launches ended with "invalid window".
#pragma once

namespace stressbench {

class SerialSetup {
 protected:
  SerialSetup() = default;
  virtual ~SerialSetup() = default;
};

}  // namespace stressbench
