// minife: conjugate gradient iterations of miniFE on a finite-element mesh of hexahedra divided into boxes
// (Mantevo/miniFE, ref; docs/motifs/minife.md).
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

constexpr int message_tag = 99;

// Computation per matrix row in the reference capture, in nanoseconds: r.r; p; A p and p.Ap.
constexpr double residual_ns = 1.45;
constexpr double direction_ns = 0.33;
constexpr double matrix_ns = 13.6;

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
    calls.compute(residual_ns * rows);
    calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1);
    calls.compute(direction_ns * rows);
    exchange(calls, neighbours);
    calls.compute(matrix_ns * rows);
    calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1);
  }

 private:
  static void exchange(CallList& calls, const std::vector<Neighbour>& neighbours) {
    const Requests requests = calls.requests(static_cast<int>(neighbours.size()));
    for (int k = 0; k < requests.count; ++k) {
      const Neighbour& neighbour = neighbours[static_cast<std::size_t>(k)];
      calls.irecv(requests[k], neighbour.rank, message_tag, 8 * neighbour.received);
    }
    for (const Neighbour& neighbour : neighbours) calls.send(neighbour.rank, message_tag, 8 * neighbour.sent);
    for (int k = 0; k < requests.count; ++k) calls.wait(requests[k]);
  }

  Point elements() const { return {*nx_, *ny_, *nz_}; }

  static constexpr std::int64_t max_value = 1 << 20;
  Param<std::int64_t> nx_{this, 'x', "nx", 48, "elements of the mesh in x", Positive{}, AtMost{max_value}};
  Param<std::int64_t> ny_{this, 'y', "ny", 48, "elements in y", Positive{}, AtMost{max_value}};
  Param<std::int64_t> nz_{this, 'z', "nz", 48, "elements in z", Positive{}, AtMost{max_value}};
};

const RegisterMotif<MiniFE> registered{"minife", Family::application, "conjugate gradients on finite elements in boxes",
                                       "miniFE"};

}  // namespace
}  // namespace stressbench
