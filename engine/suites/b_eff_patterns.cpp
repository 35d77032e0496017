#include "suites/b_eff_patterns.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <utility>

#include "mpi/group.hpp"

namespace stressbench::beff {
namespace {

std::vector<int> ring_lengths_of(std::int64_t ring, int ranks) {
  return ring_lengths(ranks, static_cast<int>(ring) - 1);
}

std::vector<int> polygon_order(Drawn distribution, const Draw& position, int ranks) {
  if (distribution == Drawn::uniform) return random_permutation(position, ranks);
  return probed_order(ranks, [&](int index) {
    Draw draw = position;
    draw.execution += static_cast<std::uint64_t>(index);
    return random_unit(draw);
  });
}

}  // namespace

void Patterns::add(Kind kind, std::string name, std::int64_t messages, RankPattern rank_pattern) {
  descriptions_.push_back({kind, std::move(name), messages});
  rank_patterns_.push_back(std::move(rank_pattern));
}

void Patterns::add_rings(std::span<const std::int64_t> numbers) {
  for (const std::int64_t ring : numbers) {
    const std::vector<int> lengths = ring_lengths_of(ring, ranks_);
    add(Kind::ring, fmt::format("ring {}", ring), messages_in(lengths), {{neighbours_in(lengths, rank_)}});
  }
}

void Patterns::add_polygons(std::int64_t count, Drawn distribution, const Draw& draws) {
  const std::array single_ring{ranks_};
  for (std::int64_t i = 0; i < count; ++i) {
    Draw position = draws;
    position.rank = 0;
    position.execution = static_cast<std::uint64_t>(i * ranks_);
    add(Kind::random, fmt::format("random {}", i + 1), messages_in(single_ring),
        {{neighbours_in(single_ring, polygon_order(distribution, position, ranks_), rank_)}});
  }
}

void Patterns::add_extras() {
  const std::array single_ring{ranks_};
  add(Kind::extra, "worst cycle", messages_in(single_ring), {{neighbours_in(single_ring, worst_cycle(ranks_), rank_)}});
  const int half = ranks_ / 2;
  const auto pair_with = [&](int other) {
    return std::vector<Neighbours>{{.left = other, .right = other, .length = other == rank_ ? 1 : 2}};
  };
  const int nearest_partner = (rank_ ^ 1) < 2 * half ? rank_ ^ 1 : rank_;
  const int farthest_partner = rank_ < half ? rank_ + half : rank_ < 2 * half ? rank_ - half : rank_;
  add(Kind::extra, "best bisection", 2 * half, {pair_with(nearest_partner)});
  add(Kind::extra, "worst bisection", 2 * half, {pair_with(farthest_partner)});
  for (int dimensions = 2; dimensions <= 3; ++dimensions) add_grid(dimensions);
  add(Kind::extra, "ping-pong", 1, {.rings = {}, .pingpong = true});
}

void Patterns::add_grid(int dimensions) {
  std::vector<int> lengths(static_cast<std::size_t>(dimensions), 0);
  mpi::check(MPI_Dims_create(ranks_, dimensions, lengths.data()), "MPI_Dims_create");
  RankPattern all_directions;
  std::int64_t messages = 0;
  for (std::size_t direction = 0; direction < lengths.size(); ++direction) {
    const Neighbours neighbours = neighbours_along(lengths, direction, rank_);
    const std::int64_t direction_messages = messages_along(lengths, direction);
    if (direction_messages > 0)
      add(Kind::extra, fmt::format("{}-D Cartesian, direction {}", dimensions, direction + 1), direction_messages,
          {{neighbours}});
    all_directions.rings.push_back(neighbours);
    messages += direction_messages;
  }
  add(Kind::extra, fmt::format("{}-D Cartesian, together", dimensions), messages, std::move(all_directions));
}

std::vector<std::int64_t> messages_per_pattern(std::span<const std::int64_t> ring_numbers, std::int64_t polygons,
                                               int ranks) {
  std::vector<std::int64_t> messages;
  for (const std::int64_t ring : ring_numbers) messages.push_back(messages_in(ring_lengths_of(ring, ranks)));
  const std::array single_ring{ranks};
  messages.insert(messages.end(), static_cast<std::size_t>(polygons), messages_in(single_ring));
  return messages;
}

}  // namespace stressbench::beff
