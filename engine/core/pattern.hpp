// The part of a motif that needs no MPI: its parameters, its requirements on the number of ranks, and its traffic. The
// commands `check` and `describe` use only this part and therefore need no MPI launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/parameter.hpp"

namespace stressbench {

enum class Family { point_to_point, collective, application, storage, machine_learning, probe, suite };

// Traffic and computation of one iteration of a pattern, summed over all ranks of its job.
struct Traffic {
  std::int64_t messages = 0;          // point-to-point messages and one-sided transfers
  std::int64_t message_bytes = 0;     // their payload
  std::int64_t collectives = 0;       // collective calls, each counted once per communicator
  std::int64_t collective_bytes = 0;  // whole send buffers of all ranks (including a rank's own block of an alltoall)
  std::int64_t file_bytes = 0;        // written or read
  double compute_s = 0;               // expected computation time, mean over the ranks

  void add(const Traffic& other, std::int64_t times = 1) noexcept {
    messages += times * other.messages;
    message_bytes += times * other.message_bytes;
    collectives += times * other.collectives;
    collective_bytes += times * other.collective_bytes;
    file_bytes += times * other.file_bytes;
    compute_s += static_cast<double>(times) * other.compute_s;
  }
};

// A bandwidth derived from a motif's time, with its definition, since benchmarks define bandwidth differently.
struct Bandwidth {
  double bytes = 0;           // moved by one iteration
  std::string definition;     // "bytes one way / one-way time"
  std::int64_t messages = 0;  // messages that carry the bytes; 0 if no message rate is reported
};

enum class Timer {
  loop,       // one pair of clock reads around all iterations, as the Intel benchmarks do
  iteration,  // one pair around every iteration, as the OSU benchmarks do; gives a histogram
};

class Pattern : public ParameterSet {
 public:
  // Throws ParameterMistake if the pattern cannot run on that many ranks; the message says what would be valid.
  virtual void check(int ranks) const { (void)ranks; }
  // Only called after check(ranks) has passed.
  virtual Traffic traffic(int ranks) const = 0;

  // The message size shown in tables; none if the pattern has several.
  virtual std::optional<Bytes> message_size() const { return std::nullopt; }
  // Name of the parameter that a sweep over sizes (`motif NAME --sizes ...`) sets; empty if there is none.
  virtual std::string size_parameter() const { return {}; }
  // The value of that parameter that gives messages of this size. Throws UserMistake if none does (7 bytes with
  // doubles).
  virtual std::string size_text(Bytes size) const { return units::spell(size); }

  // Name of the reported time, and its fraction of an iteration: the one-way time of a ping-pong is half an iteration.
  virtual std::string quantity() const { return "time"; }
  virtual double quantity_scale() const { return 1.0; }
  virtual std::optional<Bandwidth> bandwidth(int ranks) const {
    (void)ranks;
    return std::nullopt;
  }

  std::int64_t iterations() const noexcept { return *iterations_; }
  Timer timer() const noexcept { return *timer_; }

 protected:
  Param<std::int64_t> iterations_{this,      'i', "iterations", 1, "executions of the pattern each time the motif runs",
                                  Positive{}};
  Param<Timer> timer_{this, "timer", Timer::loop, "where the clock is read: around all iterations, or around each"};
};

}  // namespace stressbench
