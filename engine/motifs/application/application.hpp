// Base class of motifs with a call list that includes the application's computation, whose times the user can
// randomize. See CONTRIBUTING.md, "An application".
#pragma once

#include "core/distribution.hpp"
#include "motifs/application/call_list_motif.hpp"

namespace stressbench {

class Application : public CallListMotif {
 public:
  void decompose(const mpi::Group& group, const Draw& draws) final;
  void prepare(std::uint64_t execution) final;

 protected:
  void check_options() const final;

 private:
  Param<Shape> distribution_{this, "distribution", Shape::constant, "distribution of the times of each computation"};
  Param<double> deviation_{this, "deviation", 0.0, "standard deviation of these times, relative to their mean"};

  std::uint64_t computations_ = 0;  // per iteration
  Draw position_;
};

}  // namespace stressbench
