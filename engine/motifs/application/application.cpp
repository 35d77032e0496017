#include "motifs/application/application.hpp"

#include <algorithm>

namespace stressbench {
namespace {

// Random factors drawn for one timed region: 32 KiB. A region with more computations reuses them from the first.
constexpr std::uint64_t max_factors = 4096;

}  // namespace

void Application::check_options() const {
  gaps_from().refuse_beside({&distribution_, &deviation_});
  if (takes_deviation(*distribution_) && *deviation_ <= 0)
    reject("deviation", "{} requires a deviation greater than 0", distribution_.text());
  if (!takes_deviation(*distribution_) && deviation_.was_given())
    reject("deviation", "{} has no deviation", distribution_.text());
}

void Application::decompose(const mpi::Group& group, const Draw& draws) {
  CallListMotif::decompose(group, draws);
  position_ = draws;
  position_.rank = static_cast<std::uint32_t>(group.rank());
  computations_ = computations();
  if (*distribution_ != Shape::constant && compute_times_.how != Computation::off) {
    const std::uint64_t needed_factors = computations_ * static_cast<std::uint64_t>(iterations());
    compute_times_.factors.assign(std::min(needed_factors, max_factors), 1.0);
  }
}

void Application::prepare(std::uint64_t execution) {
  CallListMotif::prepare(execution);
  const Distribution distribution(*distribution_, 1.0, *deviation_);
  Draw position = position_;
  position.execution = execution * computations_;
  for (double& factor : compute_times_.factors) {
    factor = distribution.quantile(random_unit(position));
    ++position.execution;
  }
}

}  // namespace stressbench
