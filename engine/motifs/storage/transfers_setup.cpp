// Transfers: files, portions and drawn sizes, before and after the timed region.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>

#include "core/payload.hpp"
#include "io/page_cache.hpp"
#include "motifs/clock_offset.hpp"
#include "motifs/storage/transfers.hpp"

namespace stressbench::io {

// Numbers the nodes of the job from 0, in the order of their lowest ranks.
void Transfers::find_node(const mpi::Group& group) {
  const mpi::Group node = group.split(context_.node, group.rank());
  const mpi::Group first_ranks = group.split(node.rank() == 0 ? 0 : MPI_UNDEFINED, group.rank());
  std::array<int, 2> node_index_and_count{first_ranks ? first_ranks.rank() : 0, first_ranks ? first_ranks.size() : 0};
  mpi::check(MPI_Bcast(node_index_and_count.data(), 2, MPI_INT, 0, node.handle()), "MPI_Bcast");
  node_ = node_index_and_count[0];
  nodes_ = node_index_and_count[1];
  node_portion_ = {node_, node.rank(), node.size()};
  // One rank per node determines the offset, since the ranks of a node share a clock.
  if (first_ranks) clock_offset_ns_ = clock_offset_ns(first_ranks, MonotonicClock{});
  mpi::check(MPI_Bcast(&clock_offset_ns_, 1, MPI_INT64_T, 0, node.handle()), "MPI_Bcast");
}

Portion Transfers::portion(const mpi::Group& group) const {
  return files_->each == Files::Each::node ? node_portion_ : portion_of(*files_, group.rank(), group.size());
}

std::string Transfers::file_name_of(const Portion& portion, int node) const {
  if (files_->each == Files::Each::all) return *path_;
  switch (*directories_) {
    case Directories::none:
      return file_name(*path_, portion.file);
    case Directories::node:
      return file_name(*path_, portion.file, node);
    case Directories::file:
      return file_name(*path_, portion.file, portion.file);
  }
  return *path_;
}

// `shift`: for the portion of the rank that is `shift` ranks after this one.
Transfers::Pass Transfers::make_pass(Access access, const mpi::Group& group, int shift) const {
  struct PortionAndNode {
    Portion portion;
    int node;
  };
  const PortionAndNode own{portion(group), node_};
  PortionAndNode other = own;
  const int ranks = group.size();
  const int from = (group.rank() + shift) % ranks;
  const int to = (group.rank() - shift + ranks) % ranks;
  mpi::check(MPI_Sendrecv(&own, sizeof own, MPI_BYTE, to, 0, &other, sizeof other, MPI_BYTE, from, 0, group.handle(),
                          MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
  Pass pass;
  pass.access = access;
  pass.ranks = group.split(other.portion.file, other.portion.index);
  pass.portion = other.portion;
  pass.extents = Extents(bytes_of(other.portion), *segments_, transfer_bytes(), other.portion);
  pass.opening = {file_name_of(other.portion, other.node), access, nullptr, pass.extents.file_bytes(),
                  transfer_bytes()};
  pass.writer = from;
  return pass;
}

std::int64_t Transfers::bytes_of(const Portion& portion) const {
  return drawn_.enabled() ? drawn_.of(portion.file, execution_) : size_->value;
}

// Draws the sizes of the next execution, which are the same on all ranks of a file.
void Transfers::draw_sizes() {
  for (auto* pass : {&writing_, &reading_}) {
    if (!*pass) continue;
    (*pass)->extents = Extents(bytes_of((*pass)->portion), *segments_, transfer_bytes(), (*pass)->portion);
    (*pass)->opening.file_bytes = (*pass)->extents.file_bytes();
  }
  const Pass& first = writing_ ? *writing_ : *reading_;
  order_ = order_of(group_->rank(), first.extents.transfers());
}

// Claims the files that this motif creates; none with --existing.
void Transfers::claim() {
  if (*existing_) return;
  Layout layout;
  layout.single_file = files_->each == Files::Each::all;
  std::array<std::int64_t, 2> most{portion(*group_).file + 1, nodes_};
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, most.data(), 1, MPI_INT64_T, MPI_MAX, group_->handle()), "MPI_Allreduce");
  if (!layout.single_file) layout.files = most[0];
  if (*directories_ == Directories::node) layout.directories = most[1];
  if (*directories_ == Directories::file) layout.directories = most[0];
  owned_.emplace(*group_, Claim{.path = *path_,
                                .layout = layout,
                                .run = {context_.run_id, context_.launch},
                                .existing = *overwrite_ ? Existing::replace : Existing::refuse,
                                .keep = *keep_});
}

void Transfers::decompose(const mpi::Group& group, const Draw& draws) {
  group_ = &group;
  draws_ = draws;
  if (drawn_.enabled()) drawn_.load(group, draws);
  find_node(group);
  claim();
  const Access both = *work_ == Work::mixed ? Access::both : Access::write;
  if (writes()) writing_ = make_pass(both, group, 0);
  if (reads() && *work_ != Work::mixed) reading_ = make_pass(Access::read, group, static_cast<int>(*shift_));
  for (auto* pass : {&writing_, &reading_}) {
    if (!*pass) continue;
    (*pass)->opening.ranks = &(*pass)->ranks;
    backend_->prepare((*pass)->opening);
  }
  const auto in_flight = static_cast<std::size_t>(backend_->in_flight());
  const auto longest = static_cast<std::size_t>(transfer_bytes());
  in_flight_.resize(in_flight);
  if (backend_->holds_data()) {
    memory_ = Buffer(in_flight * longest);
    for (std::size_t slot = 0; slot < in_flight; ++slot) in_flight_[slot].memory = memory_.data() + slot * longest;
  }
  nonblocking_ = backend_->nonblocking();
  const std::int64_t transfers = (writing_ ? writing_ : reading_)->extents.transfers();
  reading_limit_ = transfers;
  order_ = order_of(group.rank(), transfers);
  if (*work_ == Work::mixed) reads_next_.resize(static_cast<std::size_t>(transfers));
  rates_.reserve(static_cast<std::size_t>(iterations()));
  if (needs_data() && !*existing_) write_initial_data();
}

// Writes the data that reads and rewrites need: this rank's own portion, in order of offsets.
void Transfers::write_initial_data() {
  Pass pass = make_pass(Access::write, *group_, 0);
  pass.opening.ranks = &pass.ranks;
  backend_->open(pass.opening);
  for (std::int64_t i = 0; i < pass.extents.transfers(); ++i) {
    const Transfer transfer{.extent = pass.extents.at(i), .memory = memory_.data()};
    const auto offset = static_cast<std::uint64_t>(transfer.extent.offset);
    if (backend_->holds_data())
      payload::fill(transfer.bytes(), {pass.writer, pass.writer, initial_payload_key}, offset);
    backend_->write(transfer.extent.offset, transfer.bytes());
    backend_->wait();
  }
  backend_->close();
  group_->barrier();
}

// Each execution writes new files. The first rank of each file removes that of the previous execution, while no rank
// uses it.
void Transfers::prepare(std::uint64_t execution) {
  verified_ = false;
  execution_ = execution;
  if (drawn_.enabled()) draw_sizes();
  if (*work_ == Work::write || *work_ == Work::append || *work_ == Work::write_read) {
    group_->barrier();
    if (writing_->ranks.rank() == 0) backend_->remove(writing_->opening.path);
    writing_->base = 0;
    group_->barrier();
  }
  for (std::size_t i = 0; i < reads_next_.size(); ++i) {
    Draw position = draws_;
    position.execution = execution * reads_next_.size() + i + 1;
    reads_next_[i] = random_unit(position) < *read_share_;
  }
  if (*drop_caches_ && reading_) drop_caches();
  rates_.clear();
}

// Each node has its own page cache: on every node, one rank of each file drops the file from it.
void Transfers::drop_caches() {
  group_->barrier();
  const mpi::Group of_node = reading_->ranks.split(node_, reading_->ranks.rank());
  if (of_node.rank() == 0) {
    const auto dropped = drop_cache(reading_->opening.path);
    if (!dropped || dropped->pages_left > 0) {
      note(fmt::format("'{}' could not be dropped from the page cache{}: reads may not reach the storage",
                       reading_->opening.path,
                       dropped ? fmt::format(" ({} of {} pages stayed)", dropped->pages_left, dropped->pages_before)
                               : ", or the kernel does not report it"));
    }
  }
  group_->barrier();
}

void Transfers::note(std::string text) {
  if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
}

std::optional<Permutation> Transfers::order_of(int rank, std::int64_t transfers) const {
  if (!*random_ || transfers == 0) return std::nullopt;
  Draw position = draws_;
  position.rank = static_cast<std::uint32_t>(rank);
  return Permutation(transfers, random_bits(position));
}

void Transfers::finish(const mpi::Group& group, int) {
  for (std::string& text : backend_->notes()) note(std::move(text));
  if (writing_ && !backend_->takes_offsets() && verified_) {
    note(fmt::format("files were not verified: with shared file pointers it is unknown which rank's bytes are where"));
  }
  if (!owned_) return;
  for (std::string& text : owned_->notes()) note(std::move(text));
  owned_->release(group);
}

}  // namespace stressbench::io
