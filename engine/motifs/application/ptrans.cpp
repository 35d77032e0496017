// ptrans: the transposition of a matrix on a process grid as in PTRANS of the HPC Challenge (docs/motifs/ptrans.md).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/grid.hpp"
#include "core/random.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {

// The rank at each position of the process grid, whose positions are numbered row by row.
struct Positions {
  enum class Kind : std::uint8_t { ordered, random, listed };
  Kind kind = Kind::ordered;
  std::uint64_t seed = 0;  // of random ones
  std::vector<int> ranks;  // as listed

  std::vector<int> of(int ranks_of_job) const {
    if (kind == Kind::listed) return ranks;
    if (kind == Kind::random) return random_permutation({.seed = seed}, ranks_of_job);
    std::vector<int> ordered(static_cast<std::size_t>(ranks_of_job));
    std::iota(ordered.begin(), ordered.end(), 0);
    return ordered;
  }
};

template <>
struct Spelling<Positions> {
  static constexpr std::string_view words =
      "ordered, random:SEED, or the rank at each position, row by row and separated by commas";
  static constexpr std::string_view ordered = "ordered";
  static constexpr std::string_view random = "random:";

  static Positions read(std::string_view text) {
    if (text == ordered) return {};
    if (text.starts_with(random)) {
      const std::int64_t seed = units::count(text.substr(random.size()));
      return {Positions::Kind::random, static_cast<std::uint64_t>(seed), {}};
    }
    if (text.find_first_not_of("0123456789,") != std::string_view::npos) throw UserMistake("must be {}", words);
    Positions positions{Positions::Kind::listed, 0, {}};
    for (const std::int64_t rank : Spelling<std::vector<std::int64_t>>::read(text)) {
      if (rank > int_max) throw UserMistake("{} is no rank", rank);
      positions.ranks.push_back(static_cast<int>(rank));
    }
    return positions;
  }
  static std::string write(const Positions& positions) {
    if (positions.kind == Positions::Kind::ordered) return std::string(ordered);
    if (positions.kind == Positions::Kind::random) return std::string(random) + std::to_string(positions.seed);
    return Spelling<std::vector<std::int64_t>>::write({positions.ranks.begin(), positions.ranks.end()});
  }
  static constexpr std::string_view unit = "choice";
};

namespace {

using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;

struct KnownPositions {
  static constexpr std::string_view words = Spelling<Positions>::words;
  static bool holds(const Positions&) noexcept { return true; }  // Spelling rejects any other value
};
struct KnownRowsAndColumns {
  static constexpr std::string_view words = "auto, or rows x columns of ranks: 2x4";
  static bool holds(const Dims<2>&) noexcept { return true; }
};

constexpr int tag = 0;
constexpr std::int64_t element_bytes = 8;
constexpr std::int64_t longest_message = 12'500'000;  // elements

// Computation per element between calls in the reference captures, in nanoseconds: both matrices from random numbers;
// a part of the matrix that a rank packs, unpacks or transposes by itself; both matrices again, and the comparison.
constexpr double generate_ns = 9;
constexpr double pack_ns = 1.8;
constexpr double unpack_ns = 1.8;
constexpr double own_ns = 1.6;
constexpr double check_ns = 11;

class Ptrans final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const Dims<2> grid = grid_for(ranks);
    const std::int64_t gcd = std::gcd(grid[0], grid[1]);
    const std::int64_t parts = std::int64_t{ranks} * (ranks / gcd / gcd);  // of the matrix, each for one rank
    const std::int64_t own_parts = ranks / gcd;                            // of the rank that has them
    const std::int64_t elements = part_elements(grid);
    const auto moved = static_cast<double>(elements) * static_cast<double>(parts - own_parts);
    const double ns = static_cast<double>(*matrix_ * *matrix_) * (generate_ns + check_ns) +
                      moved * (pack_ns + unpack_ns) + static_cast<double>(elements * own_parts) * own_ns;
    return {.messages = (parts - own_parts) * messages_of(elements),
            .message_bytes = (parts - own_parts) * elements * element_bytes,
            .collectives = 6,
            .collective_bytes = (2 * calls::size_of(ElementType::ints) + 4 * element_bytes) * ranks,
            .compute_s = ns / ranks * scale() * 1e-9};
  }

  void check_ranks(int ranks) const override {
    const Dims<2> grid = grid_for(ranks);
    check_dims("grid", grid, ranks);
    if (positions_->kind == Positions::Kind::listed) check_listed(positions_->ranks, ranks);
    const std::int64_t gcd = std::gcd(grid[0], grid[1]);
    const double parts = static_cast<double>(ranks) * (static_cast<double>(ranks) / static_cast<double>(gcd * gcd));
    if (static_cast<double>(part_elements(grid) * element_bytes) * parts > 0x1p62)
      reject("block", "blocks of {} on {} ranks make more than 2^62 bytes", *block_, ranks);
  }

  void write(CallList& calls) const override {
    const Dims<2> grid = grid_for(calls.ranks());
    const std::vector<int> ranks = positions_->of(calls.ranks());
    const auto position = static_cast<int>(std::ranges::find(ranks, calls.rank()) - ranks.begin());
    const Transposition transposition(grid, position);
    const std::int64_t own_elements =
        elements_of(transposition.row, grid[0]) * elements_of(transposition.column, grid[1]);
    const std::int64_t elements = part_elements(grid);

    calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::ints, 1);  // who is at the first position
    calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::ints, 1);  // whether all have enough memory
    calls.compute(static_cast<double>(own_elements) * generate_ns);
    calls.barrier(calls.all_ranks());
    double pending_ns = 0;
    transposition.for_each_part([&](int to, int from) {
      if (to == position) {
        pending_ns += static_cast<double>(elements) * own_ns;
        return;
      }
      calls.compute(pending_ns + static_cast<double>(elements) * pack_ns);
      exchange(calls, ranks[static_cast<std::size_t>(to)], ranks[static_cast<std::size_t>(from)], elements);
      pending_ns = static_cast<double>(elements) * unpack_ns;
    });
    calls.compute(pending_ns + static_cast<double>(own_elements) * check_ns);
    calls.allreduce(calls.all_ranks(), ReduceOp::user, ElementType::doubles, 2);  // largest difference and element
    calls.allreduce(calls.all_ranks(), ReduceOp::user, ElementType::doubles, 1);  // time
    calls.allreduce(calls.all_ranks(), ReduceOp::user, ElementType::doubles, 1);  // processor time
  }

 private:
  // Which parts of its blocks the rank at a position of the grid exchanges, and in which order (J. Choi, J. J. Dongarra
  // and D. W. Walker, Parallel matrix transpose algorithms on distributed memory concurrent computers, 1995).
  struct Transposition {
    Dims<2> grid;
    int row;
    int column;

    Transposition(const Dims<2>& rows_and_columns, int position)
        : grid(rows_and_columns), row(position / grid[1]), column(position % grid[1]) {}

    // Calls visit(position to send to, position to receive from). Both are the own one where a part stays.
    template <class Visit>
    void for_each_part(Visit visit) const {
      const int rows = grid[0], columns = grid[1];
      const int gcd = std::gcd(rows, columns);
      const int ahead = (rows + column % rows - row) % gcd;  // of the own diagonal among those with the same parts
      const int behind = (gcd - ahead) % gcd;
      for (int k = 0; k < columns / gcd; ++k) {
        const int to_column = wrapped(column - k * gcd - ahead, columns);
        const int from_column = wrapped(column + k * gcd + behind, columns);
        for (int j = 0; j < rows / gcd; ++j) {
          const int to_row = wrapped(row + j * gcd + ahead, rows);
          const int from_row = wrapped(row - j * gcd - behind, rows);
          visit(to_row * columns + to_column, from_row * columns + from_column);
        }
      }
    }
    static int wrapped(int value, int side) noexcept { return (value % side + side) % side; }
  };

  Dims<2> grid_for(int ranks) const {
    if (grid_->chosen()) return *grid_;
    Dims<2> most_even = balanced_dims<2>(ranks);
    std::ranges::reverse(most_even.sides);  // more columns than rows
    return most_even;
  }

  // Elements in a row or column of the matrix that a position has along a side of the grid.
  std::int64_t elements_of(int position, int positions) const {
    const std::int64_t whole_blocks = *matrix_ / *block_;
    const std::int64_t extra = whole_blocks % positions;
    std::int64_t elements = whole_blocks / positions * *block_;
    if (position < extra) elements += *block_;
    if (position == extra) elements += *matrix_ % *block_;
    return elements;
  }

  // Elements of a message: as many blocks as the rank with most has in each direction, which are whole ones.
  std::int64_t part_elements(const Dims<2>& grid) const {
    const std::int64_t lcm = std::lcm(std::int64_t{grid[0]}, std::int64_t{grid[1]});
    const std::int64_t blocks = (*matrix_ + *block_ - 1) / *block_;
    const std::int64_t side = (blocks + lcm - 1) / lcm * *block_;
    return side * side;
  }

  static std::int64_t messages_of(std::int64_t elements) { return (elements + longest_message - 1) / longest_message; }

  static void exchange(CallList& calls, int to, int from, std::int64_t elements) {
    for (std::int64_t left = elements; left > 0; left -= longest_message) {
      const std::int64_t bytes = std::min(left, longest_message) * element_bytes;
      calls.sendrecv(to, tag, bytes, from, tag, bytes, bytes);
    }
  }

  static void check_listed(const std::vector<int>& listed, int ranks) {
    std::vector<int> sorted = listed;
    std::ranges::sort(sorted);
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if (sorted[k] != static_cast<int>(k))
        reject("positions", "rank {} is missing; each rank has one position", static_cast<int>(k));
    }
    if (static_cast<int>(sorted.size()) != ranks)
      reject("positions", "{} are listed, but the job has {} ranks", static_cast<int>(sorted.size()), ranks);
  }

  static constexpr std::int64_t max_side = 10'000'000;
  Param<std::int64_t> matrix_{
      this, 'm', "matrix", 1000, "rows of the matrix, and as many columns", Positive{}, AtMost{max_side}};
  Param<std::int64_t> block_{this,
                             'b',
                             "block",
                             80,
                             "rows of a block, and as many columns; blocks are dealt out to the grid in turn",
                             Positive{},
                             AtMost{max_side}};
  Param<Dims<2>> grid_{this, "grid", Dims<2>{},
                       "rows and columns of ranks; auto: as square as possible, more columns than rows",
                       KnownRowsAndColumns{}};
  Param<Positions> positions_{this, "positions", Positions{},
                              "which rank has which position of the grid: in their order, or by chance",
                              KnownPositions{}};
};

const RegisterMotif<Ptrans> registered{"ptrans", Family::application,
                                       "transposition of a matrix that is dealt out in blocks", "HPC Challenge"};

}  // namespace
}  // namespace stressbench
