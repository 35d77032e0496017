// The part of a motif that needs no MPI: its parameters, its requirements on the number of ranks, and its traffic. It
// is all that the commands `check` and `describe` use, which therefore need no MPI launch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/parameter.hpp"

namespace stressbench {

enum class Family { point_to_point, collective, application, storage, machine_learning, probe, suite };
std::string_view name_of(Family family) noexcept;

// What one iteration of a pattern moves, summed over all ranks of its job.
struct Traffic {
  std::int64_t messages = 0;          // point-to-point messages and one-sided transfers
  std::int64_t message_bytes = 0;     // their payload
  std::int64_t collectives = 0;       // collective calls, each counted once a communicator
  std::int64_t collective_bytes = 0;  // whole send buffers of all ranks (including a rank's own block of an alltoall)
  std::int64_t file_bytes = 0;        // written or read
  double compute_s = 0;               // expected computation, mean over the ranks
};

// A bandwidth that follows from a motif's time, with its definition, since benchmarks define bandwidth differently.
struct Bandwidth {
  double bytes = 0;           // moved by an iteration
  std::string definition;     // "bytes one way / one-way time"
  std::int64_t messages = 0;  // that carry the bytes; 0 where no message rate is reported
};

enum class Timer {
  loop,       // one pair of clock reads around all iterations, as the Intel benchmarks do
  iteration,  // a pair around every iteration, as the OSU benchmarks do; gives a histogram
};

class Pattern : public ParameterSet {
 public:
  // Throws ParameterMistake if the pattern cannot run on that many ranks; the message says what would be valid.
  virtual void check(int ranks) const { (void)ranks; }
  // Only called when check(ranks) passed.
  virtual Traffic traffic(int ranks) const = 0;

  // The message size shown in tables; none where the pattern has several.
  virtual std::optional<Bytes> message_size() const { return std::nullopt; }
  // Name of the parameter that a sweep over sizes (`motif NAME --sizes ...`) sets; empty where there is none.
  virtual std::string size_parameter() const { return {}; }
  // The value of that parameter that makes messages of this size; throws UserMistake where none does (7 bytes of
  // doubles).
  virtual std::string size_text(Bytes size) const { return units::spell(size); }

  // What the reported time means, and its share of an iteration: the one-way time of a ping-pong is half an iteration.
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
