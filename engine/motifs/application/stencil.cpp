// stencil: the calls of one iteration of any program on a process grid, as a list with neighbours at offsets in the
// grid and sizes from the cells of a rank (docs/motifs/stencil.md).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "motifs/application/application.hpp"
#include "motifs/application/stencil/check.hpp"
#include "motifs/application/stencil/process_grid.hpp"
#include "motifs/application/stencil/steps.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::CommunicatorRef;
using calls::ElementType;
using calls::Requests;
using stencil::ProcessGrid;
using stencil::Step;
using stencil::StepKind;
using stencil::WaitsFor;

constexpr std::int64_t bytes_of_double = 8;

// Adds the steps of one rank to its call list.
class Writer {
 public:
  Writer(CallList& calls, const ProcessGrid& grid, bool with_null_calls)
      : calls_(calls), grid_(grid), own_(grid.lengths(calls.rank())), with_null_calls_(with_null_calls) {
    if (with_null_calls) calls.keep_null_calls();
  }

  // Adds the steps from number `first` up to the end of the loop or of the list, and returns the number after it.
  std::size_t write(const std::vector<Step>& steps, std::size_t first) {
    std::size_t k = first;
    while (k < steps.size() && steps[k].kind != StepKind::end) {
      if (steps[k].kind == StepKind::repeat) {
        std::size_t after = k + 1;
        calls_.repeat(steps[k].times, [&] { after = write(steps, k + 1); });
        k = after;
      } else {
        if (steps[k].starts_request() && pending_.empty()) reserve_requests(steps, k);
        write(steps[k++]);
      }
    }
    return k + 1;
  }

 private:
  void write(const Step& step) {
    switch (step.kind) {
      case StepKind::compute:
        return calls_.compute(step.nanoseconds * step.sent.real(own_));
      case StepKind::send:
        return calls_.send(at(step.to), step.tag, sent(step));
      case StepKind::recv:
        return calls_.receive(at(step.from), step.from_tag, received(step));
      case StepKind::isend:
        if (const auto request = started(step)) calls_.isend(*request, at(step.to), step.tag, sent(step));
        return;
      case StepKind::irecv:
        if (const auto request = started(step)) calls_.irecv(*request, at(step.from), step.from_tag, received(step));
        return;
      case StepKind::sendrecv: {
        const std::int64_t arriving = received(step);
        return calls_.sendrecv(at(step.to), step.tag, sent(step), at(step.from), step.from_tag, arriving, arriving);
      }
      case StepKind::wait:
        if (pending_.front().request) calls_.wait(*pending_.front().request);
        return pending_.pop_front();
      case StepKind::waitall:
        return wait_all(step);
      default:
        return write_collective(step);
    }
  }

  void write_collective(const Step& step) {
    const CommunicatorRef comm = communicator(step);
    const std::int64_t bytes = step.kind == StepKind::barrier ? 0 : step.sent.value(own_);
    const ElementType type = bytes % bytes_of_double == 0 ? ElementType::doubles : ElementType::ints;
    const std::int64_t count = bytes / calls::size_of(type);
    switch (step.kind) {
      case StepKind::barrier:
        return calls_.barrier(comm);
      case StepKind::bcast:
        return calls_.bcast(comm, step.root, bytes);
      case StepKind::reduce:
        return calls_.reduce(comm, step.root, step.op, type, count);
      case StepKind::allreduce:
        return calls_.allreduce(comm, step.op, type, count);
      case StepKind::allgather:
        return calls_.allgather(comm, bytes);
      default:
        return calls_.alltoall(comm, bytes);
    }
  }

  int at(const stencil::Offset& offset) const { return grid_.neighbour(calls_.rank(), offset); }

  // A message has the size that its sender's cells give it; one to or from nobody, that of the own cells.
  std::int64_t sent(const Step& step) const { return step.sent.value(own_); }
  std::int64_t received(const Step& step) const {
    const int from = at(step.from);
    return step.received.value(from < 0 ? own_ : grid_.lengths(from));
  }

  bool is_called(const Step& step) const {
    return with_null_calls_ || at(step.kind == StepKind::isend ? step.to : step.from) >= 0;
  }

  // Reserves successive requests for the calls from step number `first` up to the wait that leaves none pending. If
  // some of the waits are for sends or receives only, those of the receives come before those of the sends.
  void reserve_requests(const std::vector<Step>& steps, std::size_t first) {
    std::deque<const Step*> pending;
    int receives = 0;
    int sends = 0;
    by_kind_ = false;
    for (std::size_t k = first; k == first || !pending.empty(); ++k) {
      const Step& step = steps[k];
      if (step.starts_request()) {
        pending.push_back(&step);
        if (is_called(step)) ++(step.kind == StepKind::isend ? sends : receives);
      } else if (step.kind == StepKind::wait) {
        pending.pop_front();
      } else if (step.kind == StepKind::waitall) {
        by_kind_ |= step.waits_for == WaitsFor::sends || step.waits_for == WaitsFor::receives;
        std::erase_if(pending, [&](const Step* one) { return step.waits_for_request_of(*one); });
      }
    }
    next_receive_ = calls_.requests(receives + sends).first;
    next_send_ = next_receive_ + receives;
  }

  // The request of an isend or irecv; none if the call is left out.
  std::optional<calls::Request> started(const Step& step) {
    std::optional<calls::Request> request;
    if (is_called(step)) request = {(by_kind_ && step.kind == StepKind::isend ? next_send_ : next_receive_)++};
    pending_.push_back({&step, request});
    return request;
  }

  void wait_all(const Step& step) {
    std::optional<Requests> waited;
    std::erase_if(pending_, [&](const Pending& one) {
      if (!step.waits_for_request_of(*one.step)) return false;
      if (one.request) {
        const int first = waited ? std::min(waited->first, one.request->slot) : one.request->slot;
        const int last = std::max(waited ? waited->first + waited->count - 1 : first, one.request->slot);
        waited = {first, last - first + 1};
      }
      return true;
    });
    calls_.wait_all(waited.value_or(Requests{}));
  }

  CommunicatorRef communicator(const Step& step) {
    const ProcessGrid::Line line = grid_.line(calls_.rank(), step.along);
    if (line.size == grid_.ranks()) return calls_.all_ranks();
    const auto known = std::ranges::find(splits_, step.along, &Split::along);
    if (known != splits_.end()) return known->ranks;
    splits_.push_back({step.along, calls_.split(line.colour, line.place, line.size)});
    return splits_.back().ranks;
  }

  struct Split {
    std::array<bool, stencil::max_dimensions> along;
    CommunicatorRef ranks;
  };

  CallList& calls_;
  const ProcessGrid& grid_;
  stencil::Lengths own_;
  bool with_null_calls_;
  struct Pending {  // an isend or irecv that no wait has followed; no request: it is not called
    const Step* step;
    std::optional<calls::Request> request;
  };
  std::deque<Pending> pending_;
  bool by_kind_ = false;  // requests of receives and sends are apart
  int next_receive_ = 0;  // slots of the next requests
  int next_send_ = 0;
  std::vector<Split> splits_;
};

class Stencil final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    const ProcessGrid grid = grid_of(ranks);
    if (calls_->depend_on_cells()) grid.require_cells();
    check_dimensions("calls", calls_->dimensions());
    check_dimensions("periodic", periodic_->dimensions());
    try {
      const std::vector<Step> steps = calls_->on(ranks);
      stencil::check_steps(steps, grid);
      for (const int rank : grid.corners()) {  // throws if a message is too long
        CallList calls(rank, ranks);
        Writer(calls, grid, true).write(steps, 0);
      }
    } catch (const UserMistake& mistake) {
      reject("calls", "{}", mistake.what());
    }
  }

  void write(CallList& calls) const override {
    const ProcessGrid grid = grid_of(calls.ranks());
    Writer writer(calls, grid, *null_calls_);
    if (calls_->have_stages()) {
      writer.write(calls_->on(calls.ranks()), 0);
    } else {
      writer.write(calls_->steps, 0);
    }
  }

 private:
  void check_dimensions(const char* option, std::size_t needed) const {
    if (needed <= mesh_->sides.size()) return;
    reject(option, "there is {} in them, but --mesh {} has {} dimensions", stencil::dimension_names[needed - 1],
           Spelling<stencil::Mesh>::write(*mesh_), mesh_->sides.size());
  }

  ProcessGrid grid_of(int ranks) const { return {*mesh_, *sides_, *periodic_, *fastest_, ranks}; }

  static stencil::Steps halo() {
    return stencil::read_steps(
        "irecv -x 8*y; irecv +x 8*y; irecv -y 8*x; irecv +y 8*x; isend -x 8*y; isend +x 8*y; "
        "isend -y 8*x; isend +y 8*x; waitall; compute 1ns*x*y; allreduce 8");
  }

  Param<stencil::Mesh> mesh_{this, "mesh", {{1000, 1000}}, "cells of the whole mesh in each dimension: x, y, z and t"};
  Param<stencil::Sides> sides_{this,
                               "grid",
                               {},
                               "ranks in each dimension, 0 where they are to be chosen; auto: all are, as even as "
                               "possible and in descending order"};
  Param<stencil::Periodic> periodic_{this, "periodic", {}, "dimensions whose last rank has the first one as neighbour"};
  Param<stencil::Fastest> fastest_{this, "fastest", stencil::Fastest::last,
                                   "dimension in which ranks are numbered first"};
  Param<stencil::Steps> calls_{
      this, "calls", halo(),
      "calls of an iteration, separated by semicolons; neighbours as +x, partners in stages as ^, sizes "
      "as 8*y"};
  Param<bool> null_calls_{this, "null-calls",
                          "messages beyond the border are calls with MPI_PROC_NULL instead of being left out"};
};

const RegisterMotif<Stencil> registered{"stencil", Family::application,
                                        "calls of any program on a process grid, given as text", "any program"};

}  // namespace
}  // namespace stressbench
