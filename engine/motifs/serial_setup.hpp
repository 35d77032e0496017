// A base for motifs that other jobs must not stand beside while they decompose. Open MPI 4.1 mixes up windows that
// disjoint ranks of one host make at the same time: a third of such launches ended in "invalid window".
#pragma once

namespace stressbench {

class SerialSetup {
 protected:
  SerialSetup() = default;
  virtual ~SerialSetup() = default;
};

}  // namespace stressbench
