// Transfers: contents for --verify, and the check of these contents.
#include <fmt/format.h>
#include <mpi.h>

#include "core/payload.hpp"
#include "motifs/storage/transfers.hpp"

namespace stressbench::io {

// Fills the data of a write with bytes that identify its writer. Returns the time afterwards.
std::int64_t Transfers::stamped(const Pass& pass, const Transfer& one, const Recorder& recorder) const {
  const payload::Origin origin{pass.writer, pass.writer, stamp_};
  if (!one.reads) payload::fill(one.bytes(), origin, static_cast<std::uint64_t>(one.extent.offset));
  return recorder.now_ns();
}

std::optional<std::string> Transfers::wrong_byte(const Pass& pass, const Transfer& one, std::uint64_t pass_key) const {
  const payload::Origin origin{pass.writer, pass.writer, pass_key};
  const auto start = static_cast<std::uint64_t>(one.extent.offset);
  const auto wrong = payload::first_wrong(one.bytes(), origin, start);
  if (!wrong) return std::nullopt;
  return fmt::format("wrong byte: '{}' has {:#04x} at offset {}, where rank {} wrote {:#04x} (read by rank {})",
                     pass.opening.path, std::to_integer<int>(one.memory[*wrong]), start + *wrong, pass.writer,
                     std::to_integer<int>(payload::expected(origin, start + *wrong)), group_->rank());
}

void Transfers::fill_payload(std::uint64_t pass) {
  verified_ = true;
  stamp_ = stamp_of(pass);
}

// With mixed work, ranks read while others write, so the new bytes must equal the old ones.
std::uint64_t Transfers::stamp_of(std::uint64_t pass) const {
  return *work_ == Work::mixed ? stamp_beforehand : pass + 1;
}

// Each rank reads what the next rank wrote, if the backend permits it, to detect bytes that only their writer can see.
// Data read in `perform` was checked there.
void Transfers::verify(std::uint64_t pass) const {
  if (!writing_) return;
  if (!backend_->takes_offsets()) return;
  group_->barrier();
  Pass back = make_pass(Access::read, *group_, group_->size() > 1 && !backend_->per_rank_files() ? 1 : 0);
  back.opening.ranks = &back.ranks;
  back.base = writing_->base - (*work_ == Work::append ? writing_->extents.file_bytes() : 0);
  back.opening.file_bytes = back.base + back.extents.file_bytes();
  const std::int64_t turns = of_writer(progress_.transfers, back.writer);
  const std::optional<Permutation> order = order_of(back.writer, back.extents.transfers());
  std::optional<std::string> wrong;
  backend_->open(back.opening);
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    Extent extent = back.extents.at(order ? (*order)(turn) : turn);
    extent.offset += back.base;
    const Transfer one{.extent = extent, .memory = memory_.data(), .reads = true};
    backend_->read(extent.offset, one.bytes());
    backend_->wait();
    if (!wrong) wrong = wrong_byte(back, one, stamp_of(pass));
  }
  backend_->close();
  group_->barrier();
  if (wrong) throw MachineFault(*wrong);
}

// Returns the value of `own` on rank `writer`: the number of its transfers. Collective; `writer` is at the same
// distance from every rank.
std::int64_t Transfers::of_writer(std::int64_t own, int writer) const {
  std::int64_t others = own;
  const int ranks = group_->size();
  const int to = (2 * group_->rank() - writer + 2 * ranks) % ranks;
  mpi::check(MPI_Sendrecv(&own, 1, MPI_INT64_T, to, 0, &others, 1, MPI_INT64_T, writer, 0, group_->handle(),
                          MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
  return others;
}

}  // namespace stressbench::io
