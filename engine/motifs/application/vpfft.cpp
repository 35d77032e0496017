// vpfft: a strain step of VPFFT, the viscoplasticity of a polycrystal by Fourier transforms (exmatex/VPFFT;
// docs/motifs/vpfft.md).

#include <vector>

#include "calls/slab_transform.hpp"
#include "motifs/application/application.hpp"

namespace stressbench {
namespace {

using calls::AxisOrder;
using calls::CallList;
using calls::ElementType;
using calls::ReduceOp;
using calls::SlabTransform;

constexpr std::int64_t components = 5;                    // of a symmetric tensor without trace
constexpr std::int64_t moduli = components * components;  // each reduced by itself
constexpr std::int64_t sums = 2 * components + 2;         // mean stress and strain rate, and the errors of both

// Computation per point between calls in the reference captures, in nanoseconds: in a transform; the first stress and
// the moduli; Green's operator on the transformed field; stress and strain rate; orientation and hardening.
constexpr SlabTransform::Times times{.planes_ns = 5, .lines_ns = 4, .order_ns = 0.7, .copy_ns = 0.9};
constexpr double begin_ns = 7'500;
constexpr double operator_ns = 2'500;
constexpr double stress_ns = 6'000;
constexpr double orientation_ns = 1'700;

struct NotOne {
  static constexpr std::string_view words = "other than 1";
  static bool holds(std::int64_t points) noexcept { return points != 1; }
};
struct OneTwoOrFour {
  std::string words = "1, 2 or 4, each " + parameter_detail::one_of(Spelling<TransposeCall>::names());
  static bool holds(const std::vector<TransposeCall>& given) noexcept {
    return given.size() == 1 || given.size() == 2 || given.size() == 4;
  }
};

class Vpfft final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const std::int64_t iterations = *solver_iterations_;
    const std::int64_t reductions = moduli + sums * iterations;
    const double ns =
        begin_ns + static_cast<double>(iterations) * (operator_ns + stress_ns) + operator_ns + orientation_ns;
    Traffic sum{.collectives = reductions + 1,  // and a barrier
                .collective_bytes = reductions * calls::size_of(ElementType::doubles) * ranks,
                .compute_s = static_cast<double>(nx() * ny() * nz()) / ranks * ns * 1e-9};
    sum.add(transforms().traffic(ranks), components * (iterations + 1));
    sum.compute_s *= scale();
    return sum;
  }

  void check_ranks(int ranks) const override {
    transforms().check(ranks);
    const Traffic both = transforms().traffic(ranks);
    const double bytes = static_cast<double>(both.message_bytes) + static_cast<double>(both.collective_bytes);
    if (bytes * static_cast<double>(components * (*solver_iterations_ + 1)) > 0x1p62)
      reject("solver-iterations", "{} of a mesh of this size send more than 2^62 bytes", *solver_iterations_);
  }

  void write(CallList& calls) const override {
    const std::int64_t planes = calls::Blocks::equal(nx(), calls.ranks())[calls.rank()];
    const auto points = static_cast<double>(planes * ny() * nz());
    calls.compute(points * begin_ns);
    reduce(calls, moduli);
    calls.repeat(*solver_iterations_, [&] {
      transform(calls, points);
      calls.compute(points * stress_ns);
      reduce(calls, sums);
    });
    transform(calls, points);
    calls.compute(points * orientation_ns);
    calls.barrier(calls.all_ranks());
  }

 private:
  std::int64_t nx() const { return *nx_; }
  std::int64_t ny() const { return *ny_ > 0 ? *ny_ : *nx_; }
  std::int64_t nz() const { return *nz_ > 0 ? *nz_ : *nx_; }

  SlabTransform transforms() const {
    const auto call = [this](std::size_t transpose) { return (*call_)[transpose % call_->size()]; };
    constexpr AxisOrder order = AxisOrder::regular;
    return {nx(), ny(), nz(), order, order, {call(0), call(1)}, {call(2), call(3)}, times};
  }

  // All components forward, Green's operator, all components backward.
  void transform(CallList& calls, double points) const {
    const SlabTransform slabs = transforms();
    calls.repeat(components, [&] { slabs.write_forward(calls); });
    calls.compute(points * operator_ns);
    calls.repeat(components, [&] { slabs.write_backward(calls); });
  }

  static void reduce(CallList& calls, std::int64_t count) {
    calls.repeat(count, [&] { calls.allreduce(calls.all_ranks(), ReduceOp::sum, ElementType::doubles, 1); });
  }

  static constexpr std::int64_t max_points = 100'000;
  static constexpr std::int64_t max_iterations = 1'000'000;
  Param<std::int64_t> nx_{
      this, 'x', "nx", 16, "points in x, divided among the ranks", Positive{}, NotOne{}, AtMost{max_points}};
  Param<std::int64_t> ny_{this, 'y', "ny", 0, "points in y; 0: as in x", NotOne{}, AtMost{max_points}};
  Param<std::int64_t> nz_{this, 'z', "nz", 0, "points in z; 0: as in x", NotOne{}, AtMost{max_points}};
  Param<std::int64_t> solver_iterations_{
      this, 'n', "solver-iterations", 10, "solver iterations in each strain step", Positive{}, AtMost{max_iterations}};
  Param<std::vector<TransposeCall>> call_{this,
                                          "call",
                                          {TransposeCall::pairwise},
                                          "calls of a transpose: of all; of one forward and one return transpose; or "
                                          "of these in forward, then in backward transforms",
                                          OneTwoOrFour{}};
};

const RegisterMotif<Vpfft> registered{"vpfft", Family::application,
                                      "a strain step of crystal viscoplasticity: ten Fourier transforms an iteration",
                                      "VPFFT"};

}  // namespace
}  // namespace stressbench
