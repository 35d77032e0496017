#include "suites/b_eff_patterns.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <utility>

#include "mpi/group.hpp"

namespace stressbench::beff {
namespace {

std::vector<int> lengths_of(std::int64_t ring, int ranks) { return ring_lengths(ranks, static_cast<int>(ring) - 1); }

std::vector<int> drawn_order(Drawn drawn, const Draw& position, int ranks) {
  if (drawn == Drawn::uniform) return random_permutation(position, ranks);
  return probed_order(ranks, [&](int at) {
    Draw one = position;
    one.execution += static_cast<std::uint64_t>(at);
    return random_unit(one);
  });
}

}  // namespace

void Patterns::add(Kind kind, std::string name, std::int64_t messages, Task task) {
  described_.push_back({kind, std::move(name), messages});
  tasks_.push_back(std::move(task));
}

void Patterns::add_rings(std::span<const std::int64_t> numbers) {
  for (const std::int64_t ring : numbers) {
    const std::vector<int> lengths = lengths_of(ring, ranks_);
    add(Kind::ring, fmt::format("ring {}", ring), messages_in(lengths), {{neighbours_in(lengths, rank_)}});
  }
}

void Patterns::add_polygons(std::int64_t count, Drawn drawn, const Draw& draws) {
  const std::array whole{ranks_};
  for (std::int64_t i = 0; i < count; ++i) {
    Draw position = draws;
    position.rank = 0;
    position.execution = static_cast<std::uint64_t>(i * ranks_);
    add(Kind::random, fmt::format("random {}", i + 1), messages_in(whole),
        {{neighbours_in(whole, drawn_order(drawn, position, ranks_), rank_)}});
  }
}

void Patterns::add_extras() {
  const std::array whole{ranks_};
  add(Kind::extra, "worst cycle", messages_in(whole), {{neighbours_in(whole, worst_cycle(ranks_), rank_)}});
  const int half = ranks_ / 2;
  const auto pair_with = [&](int other) {
    return std::vector<Neighbours>{{.left = other, .right = other, .length = other == rank_ ? 1 : 2}};
  };
  const int nearest = (rank_ ^ 1) < 2 * half ? rank_ ^ 1 : rank_;
  const int farthest = rank_ < half ? rank_ + half : rank_ < 2 * half ? rank_ - half : rank_;
  add(Kind::extra, "best bisection", 2 * half, {pair_with(nearest)});
  add(Kind::extra, "worst bisection", 2 * half, {pair_with(farthest)});
  for (int dimensions = 2; dimensions <= 3; ++dimensions) add_grid(dimensions);
  add(Kind::extra, "ping-pong", 1, {.rings = {}, .pingpong = true});
}

void Patterns::add_grid(int dimensions) {
  std::vector<int> lengths(static_cast<std::size_t>(dimensions), 0);
  mpi::check(MPI_Dims_create(ranks_, dimensions, lengths.data()), "MPI_Dims_create");
  Task all_directions;
  std::int64_t messages = 0;
  for (std::size_t direction = 0; direction < lengths.size(); ++direction) {
    const Neighbours along = neighbours_along(lengths, direction, rank_);
    const std::int64_t of_direction = messages_along(lengths, direction);
    if (of_direction > 0)
      add(Kind::extra, fmt::format("{}-D Cartesian, direction {}", dimensions, direction + 1), of_direction, {{along}});
    all_directions.rings.push_back(along);
    messages += of_direction;
  }
  add(Kind::extra, fmt::format("{}-D Cartesian, together", dimensions), messages, std::move(all_directions));
}

std::vector<std::int64_t> messages_of(std::span<const std::int64_t> ring_numbers, std::int64_t polygons, int ranks) {
  std::vector<std::int64_t> messages;
  for (const std::int64_t ring : ring_numbers) messages.push_back(messages_in(lengths_of(ring, ranks)));
  const std::array whole{ranks};
  messages.insert(messages.end(), static_cast<std::size_t>(polygons), messages_in(whole));
  return messages;
}

}  // namespace stressbench::beff
