#include "motifs/application/stencil/check.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace stressbench::stencil {
namespace {

constexpr std::int64_t bytes_of_int = 4;
constexpr double most = 0x1p62;

struct Message {
  int part;  // of the steps, between the begins and ends of loops
  const Product* size;

  bool operator==(const Message& other) const noexcept { return part == other.part && *size == *other.size; }
};

std::string sizes_of(const std::vector<Message>& messages) {
  std::string sizes;
  for (const Message& one : messages) sizes += (sizes.empty() ? "" : ", ") + one.size->text();
  return sizes.empty() ? "nothing" : sizes;
}

std::string rank_at(const Offset& offset) { return offset == Offset{} ? "itself" : offset.text(); }

// The ways of which a message has one: across a bit, that of the sender may be clear or set. They are told apart only
// if other messages have one of them.
std::vector<Offset> ways_of(const Offset& offset, bool halves) {
  if (!halves || offset.partner != Partner::across) return {offset};
  return {{offset.steps, Partner::above, offset.stage}, {offset.steps, Partner::below, offset.stage}};
}

bool is_half(const Offset& offset) { return offset.partner == Partner::above || offset.partner == Partner::below; }

void check_messages(const std::vector<Step>& steps, const ProcessGrid& grid) {
  struct Stream {
    std::vector<Message> sent;
    std::vector<Message> received;
  };
  std::map<std::pair<Offset, int>, Stream> streams;  // by the offset from sender to receiver, and the tag
  const bool halves =
      std::ranges::any_of(steps, [](const Step& step) { return is_half(step.to) || is_half(step.from); });
  for (const Step& step : steps) {
    if (step.sends()) {
      for (const Offset& way : ways_of(grid.reduced(step.to), halves))
        streams[{way, step.tag}].sent.push_back({step.part, &step.sent});
    }
    if (step.receives()) {
      for (const Offset& way : ways_of(grid.reduced(step.from.reversed()), halves))
        streams[{way, step.from_tag}].received.push_back({step.part, &step.received});
    }
  }
  for (const auto& [of, stream] : streams) {
    if (stream.sent == stream.received) continue;
    const auto& [offset, tag] = of;
    const bool same_sizes = sizes_of(stream.sent) == sizes_of(stream.received);
    throw UserMistake("what is sent to {} with tag {} is not what is received from {}: {} and {}{}", rank_at(offset),
                      tag, rank_at(offset.reversed()), sizes_of(stream.sent), sizes_of(stream.received),
                      same_sizes ? ", but not in the same loop" : "");
  }
}

void check_collective(const Step& step, const ProcessGrid& grid) {
  const int size = grid.line(0, step.along).size;
  if (step.root >= size) throw UserMistake("root {}, but the communicator has {} ranks", step.root, size);
  if (step.kind == StepKind::barrier) return;
  const bool reduces = step.kind == StepKind::reduce || step.kind == StepKind::allreduce;
  std::map<int, std::int64_t> bytes_of;  // by colour
  for (const int rank : grid.corners()) {
    const std::int64_t bytes = step.sent.value(grid.lengths(rank));
    const std::int64_t first = bytes_of.emplace(grid.line(rank, step.along).colour, bytes).first->second;
    if (bytes != first) {
      throw UserMistake("{} bytes are {} on one rank of the communicator and {} on another; expected the same on all",
                        step.sent.text(), first, bytes);
    }
    if (reduces && bytes % bytes_of_int != 0)
      throw UserMistake("{} bytes to reduce; expected a multiple of 4: integers, or of 8: doubles", step.sent.text());
  }
}

// Rank 0 has the most cells, and the least half of them.
void check_amounts(const std::vector<Step>& steps, const ProcessGrid& grid) {
  const Lengths lengths = grid.lengths(0);
  std::vector<double> passes{1};
  double calls = 0;
  double bytes = 0;
  for (const Step& step : steps) {
    if (step.kind == StepKind::repeat) passes.push_back(passes.back() * step.times);
    calls += passes.back();
    if (step.kind == StepKind::end) passes.pop_back();
    if (step.kind == StepKind::compute && step.nanoseconds * step.sent.real(lengths) > most)
      throw UserMistake("a computation of {:.2g} ns; at most 2^62", step.nanoseconds * step.sent.real(lengths));
    if (step.sends() || step.is_collective()) {
      const int blocks = step.kind == StepKind::alltoall ? grid.line(0, step.along).size : 1;
      bytes += passes.back() * step.sent.real(lengths) * blocks;
    }
  }
  if (calls * grid.ranks() > most)
    throw UserMistake("{:.2g} calls of all ranks in an iteration; at most 2^62", calls * grid.ranks());
  if (bytes * grid.ranks() > most)
    throw UserMistake("{:.2g} bytes of all ranks in an iteration; at most 2^62", bytes * grid.ranks());
}

}  // namespace

void check_steps(const std::vector<Step>& steps, const ProcessGrid& grid) {
  check_messages(steps, grid);
  for (const Step& step : steps) {
    if (step.is_collective()) check_collective(step, grid);
  }
  check_amounts(steps, grid);
}

}  // namespace stressbench::stencil
