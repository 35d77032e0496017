// The calls of an iteration of `stencil` as text: "irecv -x 8*y; isend +x 8*y; waitall; allreduce 8".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call.hpp"
#include "core/enum_names.hpp"
#include "core/parameter.hpp"
#include "motifs/application/stencil/process_grid.hpp"
#include "motifs/application/stencil/product.hpp"

namespace stressbench::stencil {

enum class StepKind : std::uint8_t {
  compute,
  send,
  recv,
  isend,
  irecv,
  sendrecv,
  wait,
  waitall,
  barrier,
  bcast,
  reduce,
  allreduce,
  allgather,
  alltoall,
  repeat,
  stages,
  end
};  // clang-format would give each a line

// The requests that a waitall is for. Programs also wait for null requests, and so for nothing.
enum class WaitsFor : std::uint8_t { all, sends, receives, nothing };

// How a tag grows with stage k: by k or by 2^k.
enum class TagGrowth : std::uint8_t { none, by_number, by_distance };

// One call, which every rank makes; messages to or from a rank beyond the border are left out.
struct Step {
  StepKind kind = StepKind::wait;
  Offset to;          // of send, isend and sendrecv
  Offset from;        // of recv, irecv and sendrecv
  Stage stage;        // of stages: the tree
  bool down = false;  // of stages: the farthest partners first
  int part = 0;       // of the list, between the begins and ends of loops
  Product sent;       // bytes, with the cells of the sender; of collectives: bytes of a rank's contribution
  Product received;
  int tag = 0;
  int from_tag = 0;
  TagGrowth tag_growth = TagGrowth::none;
  TagGrowth from_tag_growth = TagGrowth::none;
  double nanoseconds = 0;  // of compute, times `sent`
  int times = 0;           // of repeat
  int root = 0;
  WaitsFor waits_for = WaitsFor::all;
  calls::ReduceOp op = calls::ReduceOp::sum;
  std::array<bool, max_dimensions> along{true, true, true, true};  // the communicator of a collective

  bool sends() const noexcept;
  bool receives() const noexcept;
  bool is_collective() const noexcept;
  bool begins_loop() const noexcept { return kind == StepKind::repeat || kind == StepKind::stages; }
  bool starts_request() const noexcept { return kind == StepKind::isend || kind == StepKind::irecv; }
  // Whether a waitall is for the request that the other step starts.
  bool waits_for_request_of(const Step& other) const noexcept {
    if (waits_for == WaitsFor::nothing) return false;
    return waits_for == WaitsFor::all || (waits_for == WaitsFor::sends) == (other.kind == StepKind::isend);
  }
  // How many dimensions a mesh must have for it.
  std::size_t dimensions() const noexcept;
};

// What the user wrote, and what it means.
struct Steps {
  std::string text;
  std::vector<Step> steps;

  // The steps on so many ranks: those of a loop over stages once for each stage, with its partners, tags and sizes.
  // Throws UserMistake if so many ranks have no such stages.
  std::vector<Step> on(int ranks) const;
  bool have_stages() const noexcept;
  // How many dimensions a mesh must have for these steps.
  std::size_t dimensions() const noexcept;
  // Whether sizes or times depend on the cells of a rank.
  bool depend_on_cells() const noexcept;
};

// Throws UserMistake for what cannot be read, if a request is pending at the begin or the end of a loop, and for
// partners, tags and sizes of a stage outside of stages.
Steps read_steps(std::string_view text);

}  // namespace stressbench::stencil

namespace stressbench {

template <>
struct Spelling<stencil::Steps> {
  static stencil::Steps read(std::string_view text) { return stencil::read_steps(text); }
  static std::string write(const stencil::Steps& steps) { return steps.text; }
  static constexpr std::string_view unit = "calls";
};

}  // namespace stressbench
