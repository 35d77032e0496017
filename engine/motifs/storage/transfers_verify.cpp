// Transfers: contents for --verify, and the check of these contents.
#include <fmt/format.h>
#include <mpi.h>

#include "core/payload.hpp"
#include "motifs/storage/transfers.hpp"

namespace stressbench::io {

// Fills the data of a write with bytes that identify its writer. Returns the time afterwards.
std::int64_t Transfers::fill_write_payload(const Pass& pass, const Transfer& transfer, const Recorder& recorder) const {
  const payload::Origin origin{pass.writer, pass.writer, payload_key_};
  if (!transfer.reads) payload::fill(transfer.bytes(), origin, static_cast<std::uint64_t>(transfer.extent.offset));
  return recorder.now_ns();
}

std::optional<std::string> Transfers::wrong_byte(const Pass& pass, const Transfer& transfer,
                                                 std::uint64_t pass_key) const {
  const payload::Origin origin{pass.writer, pass.writer, pass_key};
  const auto start = static_cast<std::uint64_t>(transfer.extent.offset);
  const auto wrong = payload::first_wrong(transfer.bytes(), origin, start);
  if (!wrong) return std::nullopt;
  return fmt::format("wrong byte: '{}' has {:#04x} at offset {}, where rank {} wrote {:#04x} (read by rank {})",
                     pass.opening.path, std::to_integer<int>(transfer.memory[*wrong]), start + *wrong, pass.writer,
                     std::to_integer<int>(payload::expected(origin, start + *wrong)), group_->rank());
}

void Transfers::fill_payload(std::uint64_t pass) {
  verified_ = backend_->holds_data();
  if (!verified_) note("files were not verified: simulated files have no contents");
  payload_key_ = payload_key_of(pass);
}

// With mixed work, ranks read while others write, so the new bytes must equal the old ones.
std::uint64_t Transfers::payload_key_of(std::uint64_t pass) const {
  return *work_ == Work::mixed ? initial_payload_key : pass + 1;
}

// Each rank reads what the next rank wrote, if the backend permits it, to detect bytes that only their writer can see.
// Data read in `perform` was checked there.
void Transfers::verify(std::uint64_t pass) const {
  if (!writing_ || !verified_) return;
  if (!backend_->takes_offsets()) return;
  group_->barrier();
  Pass read_pass = make_pass(Access::read, *group_, group_->size() > 1 && !backend_->per_rank_files() ? 1 : 0);
  read_pass.opening.ranks = &read_pass.ranks;
  read_pass.base = writing_->base - (*work_ == Work::append ? writing_->extents.file_bytes() : 0);
  read_pass.opening.file_bytes = read_pass.base + read_pass.extents.file_bytes();
  const std::int64_t transfers = transfers_of_writer(progress_.transfers, read_pass.writer);
  const std::optional<Permutation> order = order_of(read_pass.writer, read_pass.extents.transfers());
  std::optional<std::string> wrong;
  backend_->open(read_pass.opening);
  for (std::int64_t position = 0; position < transfers; ++position) {
    Extent extent = read_pass.extents.at(order ? (*order)(position) : position);
    extent.offset += read_pass.base;
    const Transfer transfer{.extent = extent, .memory = memory_.data(), .reads = true};
    backend_->read(extent.offset, transfer.bytes());
    backend_->wait();
    if (!wrong) wrong = wrong_byte(read_pass, transfer, payload_key_of(pass));
  }
  backend_->close();
  group_->barrier();
  if (wrong) throw MachineFault(*wrong);
}

// Returns the value of `own` on rank `writer`: the number of its transfers. Collective; `writer` is at the same
// distance from every rank.
std::int64_t Transfers::transfers_of_writer(std::int64_t own, int writer) const {
  std::int64_t received = own;
  const int ranks = group_->size();
  const int to = (2 * group_->rank() - writer + 2 * ranks) % ranks;
  mpi::check(MPI_Sendrecv(&own, 1, MPI_INT64_T, to, 0, &received, 1, MPI_INT64_T, writer, 0, group_->handle(),
                          MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
  return received;
}

}  // namespace stressbench::io
