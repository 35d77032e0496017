// npb: iterations of the NAS Parallel Benchmarks CG, FT, MG, LU, BT, SP and IS (NPB3.4-MPI; docs/motifs/npb.md).

#include <bit>

#include "motifs/application/application.hpp"
#include "motifs/application/npb/problem.hpp"

namespace stressbench {

enum class NasBenchmark { cg, ft, mg, lu, bt, sp, is };

namespace npb {

void check_power_of_two(const char* benchmark, int ranks) {
  if (std::has_single_bit(static_cast<unsigned>(ranks))) return;
  reject("benchmark", "{} runs on a power of two of ranks, but the job has {}; {} would fit", benchmark, ranks,
         std::bit_floor(static_cast<unsigned>(ranks)));
}

}  // namespace npb

namespace {

class Npb final : public Application {
 protected:
  Traffic own_traffic(int ranks) const override {
    const Kernel selected = kernel();
    if (selected.traffic == nullptr) return Application::own_traffic(ranks);
    Traffic sum = selected.traffic(*size_, ranks, extent());
    sum.compute_s *= scale();
    return sum;
  }

  void check_ranks(int ranks) const override { kernel().check(*size_, ranks); }
  void write(calls::CallList& calls) const override { kernel().write(calls, *size_, extent()); }

 private:
  struct Kernel {
    npb::Check check;
    npb::Write write;
    npb::Sum traffic = nullptr;  // null: few enough calls to write all lists
  };
  Kernel kernel() const {
    switch (*benchmark_) {
      case NasBenchmark::ft:
        return {npb::check_ft, npb::write_ft};
      case NasBenchmark::mg:
        return {npb::check_mg, npb::write_mg};
      case NasBenchmark::lu:
        return {npb::check_lu, npb::write_lu};
      case NasBenchmark::bt:
        return {npb::check_bt, npb::write_bt, npb::traffic_bt};
      case NasBenchmark::sp:
        return {npb::check_sp, npb::write_sp, npb::traffic_sp};
      case NasBenchmark::is:
        return {npb::check_is, npb::write_is};
      default:
        return {npb::check_cg, npb::write_cg};
    }
  }

  npb::Extent extent() const { return *run_ ? npb::Extent::run : npb::Extent::iteration; }

  Param<NasBenchmark> benchmark_{this, 'b', "benchmark", NasBenchmark::cg, "benchmark to execute"};
  Param<ProblemClass> size_{this, 'c', "class", ProblemClass::a, "problem class, which sets its size"};
  Param<bool> run_{this, "run", "execute everything that the benchmark times, instead of one iteration"};
};

const RegisterMotif<Npb> registered{"npb", Family::application,
                                    "the NAS Parallel Benchmarks CG, FT, MG, LU, BT, SP and IS", "NPB3.4-MPI"};

}  // namespace
}  // namespace stressbench
