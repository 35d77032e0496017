// minife: conjugate gradient iterations of miniFE on a finite-element mesh of hexahedra divided into boxes, and what
// precedes them (Mantevo/miniFE, ref; docs/motifs/minife.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Requests;
using calls::Source;

enum class Phase { iteration, setup, start };

constexpr int vector_tag = 99;
// Of the set-up: who needs own rows, how many, and which.
constexpr int receivers_tag = 99;
constexpr int lengths_tag = 100;
constexpr int rows_tag = 101;

constexpr std::int64_t int_bytes = 4;
constexpr std::int64_t double_bytes = 8;
constexpr std::int64_t int_parameters = 13;

// Computation per matrix row in the reference capture, in nanoseconds: r.r; p; A p and p.Ap.
constexpr double residual_ns = 1.45;
constexpr double direction_ns = 0.33;
constexpr double matrix_ns = 13.6;
// Relative to the latter, in a capture with the same mesh: boundaries of the box; the matrix's structure; assembly and
// boundary conditions; a search for columns of others, and their renumbering; statistics; vectors and A x.
constexpr double boundary_ns = 1.9;
constexpr double structure_ns = 264;
constexpr double assembly_ns = 951;
constexpr double columns_ns = 24.6;
constexpr double statistics_ns = 2.1;
constexpr double vectors_ns = 8.7;

using Point = std::array<std::int64_t, 3>;

// A half-open box: `low` is included, `high` is not.
struct Box {
  Point low{};
  Point high{};

  bool empty() const { return low[0] >= high[0] || low[1] >= high[1] || low[2] >= high[2]; }
  std::int64_t points() const { return empty() ? 0 : (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
  Box with_border() const { return {{low[0] - 1, low[1] - 1, low[2] - 1}, {high[0] + 1, high[1] + 1, high[2] + 1}}; }
  Box intersection(const Box& other) const {
    Box result;
    for (std::size_t k = 0; k < 3; ++k) {
      result.low[k] = std::max(low[k], other.low[k]);
      result.high[k] = std::min(high[k], other.high[k]);
    }
    return result;
  }
};

// The nodes of the mesh, bisected recursively until each rank has a box: in z first, then y, x and z again. Each cut
// gives the upper half of the ranks its share of the elements, rounded down.
class Boxes {
 public:
  Boxes(const Point& elements, int ranks) : elements_(elements), ranks_(ranks) {}

  Box of(int rank) const {
    Box box;
    visit_cuts(
        {0, ranks_, 2, {{}, elements_}}, [&](const Cut& cut) { return cut.first <= rank && rank < cut.last; },
        [&](const Cut& cut) { box = nodes(cut.elements); });
    return box;
  }
  // Calls visit_leaf(rank, nodes of the rank) for each rank with nodes in `box`, in ascending order.
  template <class VisitLeaf>
  void for_each_touching(const Box& box, VisitLeaf visit_leaf) const {
    visit_cuts(
        {0, ranks_, 2, {{}, elements_}}, [&](const Cut& cut) { return !nodes(cut.elements).intersection(box).empty(); },
        [&](const Cut& cut) { visit_leaf(cut.first, nodes(cut.elements)); });
  }

 private:
  struct Cut {
    int first;
    int last;
    std::size_t axis;
    Box elements;
  };

  template <class DescendsInto, class VisitLeaf>
  static void visit_cuts(const Cut& cut, const DescendsInto& descends_into, const VisitLeaf& visit_leaf) {
    if (!descends_into(cut)) return;
    const int ranks = cut.last - cut.first;
    if (ranks == 1) return visit_leaf(cut);
    const int lower = ranks / 2;
    const std::int64_t elements = cut.elements.high[cut.axis] - cut.elements.low[cut.axis];
    // Rounded as in miniFE, which computes the quotient first.
    const auto upper_elements =
        static_cast<std::int64_t>(static_cast<double>(elements) * (static_cast<double>(ranks - lower) / ranks));
    Cut half{cut.first, cut.first + lower, (cut.axis + 2) % 3, cut.elements};
    half.elements.high[cut.axis] -= upper_elements;
    visit_cuts(half, descends_into, visit_leaf);
    half = {cut.first + lower, cut.last, (cut.axis + 2) % 3, cut.elements};
    half.elements.low[cut.axis] = half.elements.high[cut.axis] - upper_elements;
    visit_cuts(half, descends_into, visit_leaf);
  }

  // A node belongs to the box of elements that begins at it, and the last node of each dimension to the last box.
  Box nodes(Box elements) const {
    for (std::size_t k = 0; k < 3; ++k) {
      if (elements.low[k] < elements.high[k] && elements.high[k] == elements_[k]) ++elements.high[k];
    }
    return elements;
  }

  Point elements_;
  int ranks_;
};

struct Neighbour {
  int rank;
  std::int64_t sent;
  std::int64_t received;
  Point first_row;  // first own row, z slowest, that is coupled to the neighbour

  // Sorts neighbours in the order in which a loop over the rows finds them.
  bool operator<(const Neighbour& other) const { return order() < other.order(); }
  std::tuple<std::int64_t, std::int64_t, std::int64_t, int> order() const {
    return {first_row[2], first_row[1], first_row[0], rank};
  }
};

std::vector<Neighbour> neighbours_of(int rank, const Boxes& boxes) {
  const Box own = boxes.of(rank);
  std::vector<Neighbour> neighbours;
  boxes.for_each_touching(own.with_border(), [&](int other, const Box& other_box) {
    if (other == rank) return;
    const Box coupled_rows = own.intersection(other_box.with_border());
    neighbours.push_back(
        {other, coupled_rows.points(), other_box.intersection(own.with_border()).points(), coupled_rows.low});
  });
  std::ranges::sort(neighbours, std::less{});
  return neighbours;
}

class MiniFE final : public Application {
 protected:
  void check_ranks(int ranks) const override {
    const Boxes boxes(elements(), ranks);
    int empty = -1;
    for (int rank = 0; rank < ranks && empty < 0; ++rank) empty = boxes.of(rank).empty() ? rank : -1;
    if (empty < 0) return;
    throw ParameterMistake("nx", fmt::format("--nx, --ny, --nz: rank {} of {} would get no elements of {} x {} x {}; "
                                             "take more, or fewer ranks",
                                             empty, ranks, *nx_, *ny_, *nz_));
  }

  void write(CallList& calls) const override {
    const Boxes boxes(elements(), calls.ranks());
    const std::vector<Neighbour> neighbours = neighbours_of(calls.rank(), boxes);
    const auto rows = static_cast<double>(boxes.of(calls.rank()).points());
    switch (*phase_) {
      case Phase::iteration:
        calls.compute(residual_ns * rows);
        sum(calls);
        multiply(calls, neighbours, direction_ns, rows);
        break;
      case Phase::setup:
        set_up(calls, neighbours, rows);
        break;
      case Phase::start:  // the residual, and the first iteration, which has its product with itself already
        multiply(calls, neighbours, vectors_ns, rows);
        multiply(calls, neighbours, direction_ns, rows);
        break;
    }
  }

 private:
  // A product of the matrix with a vector, and the scalar product of the result.
  static void multiply(CallList& calls, const std::vector<Neighbour>& neighbours, double vector_ns, double rows) {
    calls.compute(vector_ns * rows);
    exchange(
        calls, neighbours, vector_tag, [](const Neighbour& one) { return double_bytes * one.sent; },
        [](const Neighbour& one) { return double_bytes * one.received; });
    calls.compute(matrix_ns * rows);
    sum(calls);
  }

  // From the broadcast of the parameters on: mesh, matrix, and which rows to send to whom.
  static void set_up(CallList& calls, const std::vector<Neighbour>& neighbours, double rows) {
    const int ranks = calls.ranks();
    const auto reduce = [&](ReduceOp op, std::int64_t count) {
      calls.allreduce(calls.all_ranks(), op, ElementType::ints, count);
    };
    const auto gather = [&](std::int64_t count) { calls.allgather(calls.all_ranks(), ElementType::ints, count); };
    calls.bcast(calls.all_ranks(), 0, int_bytes * int_parameters);
    calls.bcast(calls.all_ranks(), 0, int_bytes);
    reduce(ReduceOp::min, 1);
    reduce(ReduceOp::max, ranks);  // elements of each rank
    gather(1);                     // their deviation
    calls.compute(boundary_ns * rows);
    gather(1);  // rows
    gather(6);  // box
    calls.compute(structure_ns * rows);
    reduce(ReduceOp::sum, 1);  // whether a rank failed
    calls.compute(assembly_ns * rows);
    if (ranks > 1) {
      reduce(ReduceOp::sum, ranks);  // first rows
      calls.compute(columns_ns * rows);
      reduce(ReduceOp::sum, ranks);  // how many need rows of each rank
      const auto one_int = [](const Neighbour&) { return int_bytes; };
      exchange(calls, neighbours, receivers_tag, one_int, one_int, Source::any_of_several);
      exchange(calls, neighbours, lengths_tag, one_int, one_int);
      exchange(  // each rank tells what it needs, so that the receivers of a vector send here
          calls, neighbours, rows_tag, [](const Neighbour& one) { return int_bytes * one.received; },
          [](const Neighbour& one) { return int_bytes * one.sent; });
    }
    calls.compute(statistics_ns * rows);
    reduce(ReduceOp::max, ranks);                                                    // rows
    calls.allreduce(calls.all_ranks(), ReduceOp::max, ElementType::doubles, ranks);  // coefficients
    sum(calls);                                                                      // memory
  }

  template <class Sent, class Received>
  static void exchange(CallList& calls, const std::vector<Neighbour>& neighbours, int tag, Sent sent, Received received,
                       Source source = Source::named) {
    const Requests requests = calls.requests(static_cast<int>(neighbours.size()));
    for (int k = 0; k < requests.count; ++k) {
      const Neighbour& neighbour = neighbours[static_cast<std::size_t>(k)];
      calls.irecv(requests[k], neighbour.rank, tag, received(neighbour), source);
    }
    for (const Neighbour& neighbour : neighbours) calls.send(neighbour.rank, tag, sent(neighbour));
    for (int k = 0; k < requests.count; ++k) calls.wait(requests[k]);
  }

  static void sum(CallList& calls) { calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1); }

  Point elements() const { return {*nx_, *ny_, *nz_}; }

  static constexpr std::int64_t max_value = 1 << 20;
  Param<std::int64_t> nx_{this, 'x', "nx", 48, "elements of the mesh in x", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ny_{this, 'y', "ny", 48, "elements in y", Positive{}, AtMost{max_value}};
  Param<std::int64_t> nz_{this, 'z', "nz", 48, "elements in z", Positive{}, AtMost{max_value}};
  Param<Phase> phase_{this, "phase", Phase::iteration,
                      "part of the program: an iteration of the solver; what precedes the solver; what precedes the "
                      "second iteration"};
};

const RegisterMotif<MiniFE> registered{"minife", Family::application, "conjugate gradients on finite elements in boxes",
                                       "miniFE"};

}  // namespace
}  // namespace stressbench
