// lulesh: a time step of LULESH, shock hydrodynamics on an unstructured 3-D mesh: exchanges with up to 26 neighbours
// (LLNL/LULESH 2.0; StressBench III-A; docs/motifs/lulesh.md).

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::Requests;

// Offset of a neighbour, in columns, rows and planes.
struct Direction {
  int column;
  int row;
  int plane;

  int axes() const { return std::abs(column) + std::abs(row) + std::abs(plane); }  // 1: face, 2: edge, 3: corner
};

// All directions in the order in which LULESH posts receives, sends and waits: faces, edges, corners.
constexpr std::size_t face_count = 6;
constexpr std::array<Direction, 26> directions{
    {{0, 0, -1},   {0, 0, 1},   {0, -1, 0},  {0, 1, 0},  {-1, 0, 0},  {1, 0, 0},  {-1, -1, 0}, {0, -1, -1}, {-1, 0, -1},
     {1, 1, 0},    {0, 1, 1},   {1, 0, 1},   {-1, 1, 0}, {0, -1, 1},  {-1, 0, 1}, {1, -1, 0},  {0, 1, -1},  {1, 0, -1},
     {-1, -1, -1}, {-1, -1, 1}, {1, -1, -1}, {1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, 1, -1},  {1, 1, 1}}};

// An exchange of fields, and the neighbours that take part.
enum class Participants { all, lower, faces };  // lower: sent to lower ranks only, and so received from higher ones
struct Exchange {
  int tag;
  int fields;
  bool nodes;  // node values; each dimension has one more node than elements
  Participants participants;
};
constexpr Exchange forces{1024, 3, true, Participants::all};
constexpr Exchange motion{2048, 6, true, Participants::lower};  // position and velocity
constexpr Exchange gradients{3072, 3, false, Participants::faces};

// Computation per element between calls in the reference captures, in nanoseconds. Forces, motion and gradients are
// computed after their receives are posted.
constexpr double state_ns = 90;  // equation of state, time constraints
constexpr double forces_ns = 345;
constexpr double motion_ns = 7;
constexpr double kinematics_ns = 56;
constexpr double gradients_ns = 36;

int side_of(int ranks) { return static_cast<int>(std::lround(std::cbrt(ranks))); }

class Lulesh final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const std::int64_t ranks_per_side = side_of(ranks);
    const std::int64_t pairs_per_side = ranks_per_side - 1;
    const std::int64_t face_messages = 6 * ranks_per_side * ranks_per_side * pairs_per_side;
    const std::int64_t edge_messages = 12 * ranks_per_side * pairs_per_side * pairs_per_side;
    const std::int64_t corner_messages = 8 * pairs_per_side * pairs_per_side * pairs_per_side;
    const std::int64_t neighbours = face_messages + edge_messages + corner_messages;
    const std::int64_t nodes = *elements_ + 1;
    const std::int64_t field = 8 * (face_messages * nodes * nodes + edge_messages * nodes + corner_messages);
    const double cells = std::pow(static_cast<double>(*elements_), 3);
    return {.messages = neighbours + neighbours / 2 + face_messages,
            .message_bytes = field * forces.fields + field / 2 * motion.fields +
                             8 * gradients.fields * face_messages * *elements_ * *elements_,
            .collectives = 1,
            .collective_bytes = calls::size_of(ElementType::doubles) * ranks,
            .compute_s = cells * (state_ns + forces_ns + motion_ns + kinematics_ns + gradients_ns) * scale() * 1e-9};
  }

  void check_ranks(int ranks) const override {
    const int ranks_per_side = side_of(ranks);
    if (ranks_per_side * ranks_per_side * ranks_per_side == ranks) return;
    const int lower_side =
        ranks_per_side * ranks_per_side * ranks_per_side < ranks ? ranks_per_side : ranks_per_side - 1;
    const int upper_side = lower_side + 1;
    reject("", "lulesh needs a cube of ranks, but the job has {}; {} or {} would fit", ranks,
           lower_side * lower_side * lower_side, upper_side * upper_side * upper_side);
  }

  void write(CallList& calls) const override {
    const double cells = std::pow(static_cast<double>(*elements_), 3);
    const Requests sends = calls.requests(directions.size());
    const Requests receives = calls.requests(directions.size());
    const auto exchange = [&](const Exchange& type, double ns_per_element) {
      const std::vector<Neighbour> neighbours = neighbours_of(calls.rank(), side_of(calls.ranks()), type);
      post(calls, receives, neighbours, type);
      calls.compute(cells * ns_per_element);
      if (calls.ranks() > 1) send_and_wait(calls, sends, receives, neighbours, type);
    };
    calls.compute(cells * state_ns);
    calls.allreduce(calls.all_ranks(), ReduceOp::min, ElementType::doubles, 1);
    exchange(forces, forces_ns);
    exchange(motion, motion_ns);
    calls.compute(cells * kinematics_ns);
    exchange(gradients, gradients_ns);
  }

 private:
  struct Neighbour {
    int rank;
    std::int64_t bytes;
    bool sent_to;
    bool received_from;
  };

  std::vector<Neighbour> neighbours_of(int rank, int ranks_per_side, const Exchange& type) const {
    const std::array<int, 3> own{rank % ranks_per_side, rank / ranks_per_side % ranks_per_side,
                                 rank / (ranks_per_side * ranks_per_side)};
    const auto in_grid = [ranks_per_side](int coordinate) { return coordinate >= 0 && coordinate < ranks_per_side; };
    std::vector<Neighbour> neighbours;
    for (std::size_t k = 0; k < (type.participants == Participants::faces ? face_count : directions.size()); ++k) {
      const Direction& direction = directions[k];
      if (!in_grid(own[0] + direction.column) || !in_grid(own[1] + direction.row) || !in_grid(own[2] + direction.plane))
        continue;
      const int other = rank + direction.column + ranks_per_side * (direction.row + ranks_per_side * direction.plane);
      const bool lower_only = type.participants == Participants::lower;
      neighbours.push_back(
          {other, bytes_of(type, direction), !lower_only || other < rank, !lower_only || other > rank});
    }
    return neighbours;
  }

  // A face has two dimensions, an edge one, a corner none.
  std::int64_t bytes_of(const Exchange& type, const Direction& direction) const {
    const std::int64_t side = *elements_ + (type.nodes ? 1 : 0);
    std::int64_t points = 1;
    for (int k = direction.axes(); k < 3; ++k) points *= side;
    return 8 * type.fields * points;
  }

  static void post(CallList& calls, Requests receives, const std::vector<Neighbour>& neighbours, const Exchange& type) {
    int k = 0;
    for (const Neighbour& from : neighbours) {
      if (from.received_from) calls.irecv(receives[k++], from.rank, type.tag, from.bytes);
    }
  }

  // Waits for all 26 send requests, including null requests, then for the receives one by one.
  static void send_and_wait(CallList& calls, Requests sends, Requests receives,
                            const std::vector<Neighbour>& neighbours, const Exchange& type) {
    int sent = 0;
    for (const Neighbour& to : neighbours) {
      if (to.sent_to) calls.isend(sends[sent++], to.rank, type.tag, to.bytes);
    }
    calls.wait_all(sends);
    int received = 0;
    for (const Neighbour& from : neighbours) {
      if (from.received_from) calls.wait(receives[received++]);
    }
  }

  // LULESH counts a rank's elements in an int.
  Param<std::int64_t> elements_{this,       's',         "elements", 30, "elements along each edge of a rank's cube",
                                Positive{}, AtMost{1290}};
};

const RegisterMotif<Lulesh> registered{
    "lulesh", Family::application, "a hydrodynamics time step: exchanges with 26 neighbours and computation in between",
    "LULESH; StressBench III-A"};

}  // namespace
}  // namespace stressbench
