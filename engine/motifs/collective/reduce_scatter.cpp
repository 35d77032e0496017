// reduce_scatter, reduce_scatter_block: a reduction whose result is spread over the ranks
// (docs/motifs/reduce_scatter.md).
#include <mpi.h>

#include <numeric>
#include <vector>

#include "motifs/collective/reducing.hpp"
#include "motifs/collective/shares.hpp"

namespace stressbench {
namespace {

template <class Shares>
class ReduceScatter final : public Reducing {
 public:
  ReduceScatter()
      : Reducing(Shares::is_v_variant ? "Reduce_scatter" : "Reduce_scatter_block", "elements that each rank gets") {}
  void perform(Recorder& recorder) override {
    perform_call(recorder, [this] { call(); });
  }

 protected:
  std::int64_t contributed_elements(int ranks) const override { return shares_.total(count(), ranks); }
  void lay_out(const mpi::Group& group) override {
    Reducing::lay_out(group);
    const auto shares = shares_.all(count(), ranks_);
    counts_.assign(shares.begin(), shares.end());
    first_ = std::accumulate(shares.begin(), shares.begin() + rank_, std::int64_t{0});
  }
  Result result() const override {
    return {.first = first_, .elements = shares_.of(count(), rank_, ranks_), .ranks = ranks_};
  }
  void list_call(calls::CallList& list) const override {
    if constexpr (Shares::is_v_variant) {
      Reducing::list_call(list);
    } else {
      list.reduce_scatter(list.all_ranks(), listed_operation(), listed_type(), count());
    }
  }
  void call() override {
    if constexpr (Shares::is_v_variant) {
      call_or_start(MPI_Reduce_scatter, MPI_Ireduce_scatter, send_buffer(), receive_buffer(), counts_.data(),
                    datatype(), operation(), communicator_);
    } else {
      call_or_start(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, send_buffer(), receive_buffer(), int_count(),
                    datatype(), operation(), communicator_);
    }
  }

 private:
  Shares shares_{this};
  std::vector<int> counts_;
  std::int64_t first_ = 0;
};

const RegisterMotif<ReduceScatter<SkewedShares>> reduce_scatter{"reduce_scatter", Family::collective,
                                                                "a reduction whose result is scattered over the ranks"};
const RegisterMotif<ReduceScatter<EvenShares>> reduce_scatter_block{
    "reduce_scatter_block", Family::collective, "a reduction whose result is scattered over the ranks in equal blocks"};

}  // namespace
}  // namespace stressbench
