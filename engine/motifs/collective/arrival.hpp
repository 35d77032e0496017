// Ranks that are late to a collective (--late): they compute (busy) before they enter the call.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameter.hpp"
#include "core/random.hpp"
#include "motifs/motif.hpp"

namespace stressbench {

enum class LateShape { single, random, linear };

class Arrival {
 public:
  explicit Arrival(ParameterSet* owner);

  bool imbalanced() const noexcept { return late_->value > 0; }
  void check() const;

  // Allocates the delays of a timed region with `iterations` iterations.
  void decompose(int rank, int ranks, const Draw& draws, std::int64_t iterations);
  void prepare(std::uint64_t execution);
  // Computes for this rank's delay in the next iteration.
  void wait(const Recorder& recorder) noexcept;

 private:
  std::int64_t lateness_ns(std::uint64_t execution) const;

  Param<Nanoseconds> late_;
  Param<LateShape> shape_;
  Draw draws_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<std::int64_t> lateness_ns_;
  std::size_t next_ = 0;
};

}  // namespace stressbench
