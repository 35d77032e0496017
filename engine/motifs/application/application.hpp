// Base class of motifs with a call list that includes the application's computation, which the user can scale,
// randomize or switch off. See CONTRIBUTING.md, "An application".
#pragma once

#include "core/distribution.hpp"
#include "core/pause.hpp"
#include "motifs/application/call_list_motif.hpp"

namespace stressbench {

class Application : public CallListMotif {
 public:
  void check(int ranks) const final;
  void decompose(const mpi::Group& group, const Draw& draws) final;
  void prepare(std::uint64_t execution) final;

 protected:
  double scale() const final { return *compute_ == Computation::off ? 0.0 : *scale_; }

 private:
  Param<Computation> compute_{this, "compute", Computation::busy,
                              "the application's computation: spin, sleep (from 100 us on, below that spin), or none"};
  Param<double> scale_{this, "scale", 1.0, "factor on the times of the computation"};
  Param<Shape> distribution_{this, "distribution", Shape::constant, "distribution of the times of each computation"};
  Param<double> deviation_{this, "deviation", 0.0, "standard deviation of these times, relative to their mean"};

  std::uint64_t computations_ = 0;  // per iteration
  Draw position_;
};

}  // namespace stressbench
