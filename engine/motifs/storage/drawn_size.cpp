#include "motifs/storage/drawn_size.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/input_file.hpp"
#include "core/input_limits.hpp"
#include "mpi/environment.hpp"

namespace stressbench::io {
namespace {

// Position of the sizes in the random stream of a step, whose other draws count executions from 0.
constexpr std::uint64_t first_execution = std::uint64_t{1} << 63;
constexpr double max_relative_deviation = 100;   // deviation / mean
constexpr double min_relative_deviation = 1e-3;  // below this, the gamma distribution cannot be computed

constexpr std::string_view distribution_syntax = "SHAPE:MEAN:DEVIATION, such as lognormal:64MiB:256MiB";

[[noreturn]] void refuse(const std::string& words) { throw ParameterMistake("sizes-from", "--sizes-from: " + words); }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::optional<Shape> shape_of(std::string_view text) {
  for (const auto& [name, shape] : Names<Shape>::values) {
    if (parameter_detail::same_name(name, text.substr(0, text.find(':')))) return shape;
  }
  return std::nullopt;
}

double size_in(std::string_view part, std::string_view text) {
  try {
    const std::int64_t size = units::bytes(part).value;
    if (size > 0 && size <= SizeTable::max_size) return static_cast<double>(size);
  } catch (const UserMistake& mistake) {
    refuse(fmt::format("'{}': '{}' {}", text, part, mistake.what()));
  }
  refuse(fmt::format("'{}': '{}' must be greater than 0, and at most 1 EiB", text, part));
}

Distribution distribution_of(Shape shape, std::string_view text) {
  const auto parts = split(text);
  const std::string name = Spelling<Shape>::write(shape);
  const std::size_t expected_parts = takes_deviation(shape) ? 3 : 2;
  if (parts.size() != expected_parts) {
    refuse(fmt::format("'{}': {} takes {}", text, name,
                       expected_parts == 2 ? fmt::format("a mean only, such as {}:64MiB", name)
                                           : fmt::format("a mean and a deviation, such as {}:64MiB:16MiB", name)));
  }
  const double mean = size_in(parts[1], text);
  if (expected_parts == 2) return {shape, mean, 0};
  const double deviation = size_in(parts[2], text);
  if (deviation > max_relative_deviation * mean || deviation < min_relative_deviation * mean) {
    refuse(
        fmt::format("'{}': the deviation must be between 0.001 and {} times the mean", text, max_relative_deviation));
  }
  return {shape, mean, deviation};
}

}  // namespace

DrawnSize::DrawnSize(ParameterSet* owner)
    : from_(owner, "sizes-from", "",
            fmt::format("draw the bytes of a rank in a file at random, anew for each execution: from a table of sizes "
                        "(workloads/tables), or {}",
                        distribution_syntax)),
      scale_(owner, "size-scale", 1.0, "factor on the drawn sizes", Positive{}) {}

void DrawnSize::check(int ranks) const {
  if (!enabled()) {
    if (scale_.was_given()) reject("size-scale", "requires --sizes-from");
    return;
  }
  if (shape_of(*from_) || mpi::launched_rank().value_or(0) == 0) require_countable(source_of(table_text()), ranks);
}

// As for --size: both what all ranks write and what they read must be countable together.
void DrawnSize::require_countable(const Source& source, int ranks) const {
  const auto* table = std::get_if<SizeTable>(&source);
  const double size = table != nullptr ? static_cast<double>(table->largest()) : std::get<Distribution>(source).mean();
  const double bytes = *scale_ * size;
  if (2.0 * ranks * bytes <= static_cast<double>(max_bytes_of_job)) return;
  refuse(fmt::format("'{}': {} {:.3g} EiB in each of {} ranks, more than any file system holds", *from_,
                     table != nullptr ? "up to" : "a mean of", bytes / static_cast<double>(SizeTable::max_size),
                     ranks));
}

// Contents of the table; empty for a distribution.
std::string DrawnSize::table_text() const {
  if (shape_of(*from_)) return {};
  try {
    return read_file(*from_, input_limits::max_size_table_bytes);
  } catch (const UserMistake& mistake) {
    refuse(fmt::format("{}; accepted: a table of sizes, or {}", mistake.what(), distribution_syntax));
  }
}

DrawnSize::Source DrawnSize::source_of(const std::string& table) const {
  if (const auto shape = shape_of(*from_)) return distribution_of(*shape, *from_);
  try {
    return SizeTable::parse(table, *from_);
  } catch (const UserMistake& mistake) {
    refuse(mistake.what());
  }
}

void DrawnSize::load(const mpi::Group& group, const Draw& draws) {
  enum Outcome : int { done, user_mistake, machine_fault };
  std::array message{static_cast<int>(done), 0};
  std::string text;
  if (group.rank() == 0) {
    try {
      text = table_text();
    } catch (const UserMistake& mistake) {
      message[0] = user_mistake;
      text = mistake.what();
    } catch (const MachineFault& fault) {
      message[0] = machine_fault;
      text = fault.what();
    }
    message[1] = static_cast<int>(text.size());
  }
  mpi::check(MPI_Bcast(message.data(), 2, MPI_INT, 0, group.handle()), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(message[1]));
  mpi::check(MPI_Bcast(text.data(), message[1], MPI_CHAR, 0, group.handle()), "MPI_Bcast");
  if (message[0] == user_mistake) throw ParameterMistake("sizes-from", text);
  if (message[0] == machine_fault) throw MachineFault(text);
  Source source = source_of(text);
  require_countable(source, group.size());
  source_ = std::move(source);
  position_ = draws;
  most_ = std::min(SizeTable::max_size, max_bytes_of_job / group.size());
}

std::int64_t DrawnSize::of(std::int64_t file, std::uint64_t execution) const {
  Draw position = position_;
  position.rank = static_cast<std::uint32_t>(file);
  position.execution = first_execution + execution;
  const double uniform = random_unit(position);
  if (const auto* table = std::get_if<SizeTable>(&*source_)) {
    const std::int64_t size = table->quantile(uniform);
    return *scale_ == 1 ? size : scaled(static_cast<double>(size));
  }
  return scaled(std::get<Distribution>(*source_).quantile(uniform));
}

double DrawnSize::mean() const {
  const Source source = source_ ? *source_ : source_of(table_text());
  return *scale_ * std::visit([](const auto& alternative) { return alternative.mean(); }, source);
}

std::optional<std::int64_t> DrawnSize::largest() const {
  const Source source = source_ ? *source_ : source_of(table_text());
  const auto* table = std::get_if<SizeTable>(&source);
  if (table == nullptr) return std::nullopt;
  return *scale_ == 1 ? table->largest() : scaled(static_cast<double>(table->largest()));
}

// Limits the draws of a distribution with a long tail to the largest size of a file.
std::int64_t DrawnSize::scaled(double size) const noexcept {
  return std::llround(std::min(size * *scale_, static_cast<double>(most_)));
}

}  // namespace stressbench::io
