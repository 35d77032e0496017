// hdf5: one dataset of bytes in a file, by HDF5 on top of MPI-IO; a transfer is a hyperslab (docs/motifs/storage.md).
#include <fmt/format.h>
#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "io/backend.hpp"
#include "io/hints.hpp"
#include "io/storage_error.hpp"
#include "io/transfer_mode.hpp"

namespace stressbench::io {
namespace {

// An HDF5 object, closed by the function of its kind.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  hid_t id() const noexcept { return id_; }
  explicit operator bool() const noexcept { return id_ >= 0; }
  // Returns a negative value if HDF5 fails.
  herr_t close() noexcept { return *this ? Close(std::exchange(id_, H5I_INVALID_HID)) : 0; }
  // Gives up the object without closing it, for example after a fault.
  void release() noexcept { id_ = H5I_INVALID_HID; }

 private:
  hid_t id_ = H5I_INVALID_HID;
};
using Properties = Handle<H5Pclose>;
using Space = Handle<H5Sclose>;
using DataSet = Handle<H5Dclose>;
using File = Handle<H5Fclose>;

constexpr const char* dataset_name = "data";

// The innermost message of HDF5 about the failed call, from where the error occurred.
std::string innermost_error_text() {
  std::string text;
  const auto keep_first = [](unsigned level, const H5E_error2_t* error, void* result) -> herr_t {
    if (level == 0 && error->desc != nullptr) *static_cast<std::string*>(result) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
  std::ranges::replace(text, '\n', ' ');
  return text.empty() ? "no reason given by HDF5" : text;
}

// HDF5 is initialized before MPI, so that it does not close open files when MPI ends, and may not do so at exit either.
// After a fault, closing files would hang or crash, since the other ranks do not take part.
const bool started = H5dont_atexit() >= 0 && H5open() >= 0;

void start_library() {
  if (!started || H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) < 0)
    throw MachineFault("H5open: " + innermost_error_text());
}

std::string spell(H5D_mpio_actual_io_mode_t mode) {
  switch (mode) {
    case H5D_MPIO_NO_COLLECTIVE:
      return "independent";
    case H5D_MPIO_CHUNK_INDEPENDENT:
      return "independent, chunk by chunk";
    case H5D_MPIO_CHUNK_COLLECTIVE:
      return "collective, chunk by chunk";
    case H5D_MPIO_CHUNK_MIXED:
      return "collective for some chunks, independent for others";
    case H5D_MPIO_CONTIGUOUS_COLLECTIVE:
      return "collective";
    default:
      return fmt::format("mode {}", static_cast<int>(mode));
  }
}

class Hdf5 final : public Backend {
 public:
  explicit Hdf5(ParameterSet& owner) : owner_(owner) {}
  // A file that is still open was left by a fault. It is not closed, since closing is collective.
  ~Hdf5() override {
    if (!file_) return;
    dataset_.release();
    file_.release();
    file_space_.release();
    memory_space_.release();
    access_.release();
    creation_.release();
    transfer_.release();
  }

  void check(const AccessRequirements& requirements) const override {
    hints_.check();
    check_transfers(mode_, requirements);
  }

  void prepare(const Opening& opening) override {
    if (chunk_->value > opening.file_bytes)
      reject("chunk", "{} bytes are more than a file of {}", chunk_->value, opening.file_bytes);
    start_library();
    path_ = opening.path;
    hints_.prepare();
    prepare_access(opening);
    creation_ = Properties(check_result(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate"));
    check_result(H5Pset_fill_time(creation_.id(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    check_result(H5Pset_alloc_time(creation_.id(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
    const auto chunk = static_cast<hsize_t>(chunk_->value);
    if (chunk > 0) check_result(H5Pset_chunk(creation_.id(), 1, &chunk), "H5Pset_chunk");
    transfer_ = Properties(check_result(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate"));
    check_result(H5Pset_dxpl_mpio(transfer_.id(), collective() ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT),
                 "H5Pset_dxpl_mpio");
    memory_bytes_ = static_cast<hsize_t>(std::max<std::int64_t>(opening.transfer_bytes, 1));
    memory_space_ = Space(check_result(H5Screate_simple(1, &memory_bytes_, nullptr), "H5Screate_simple"));
  }

  void open(const Opening& opening) override {
    path_ = opening.path;
    end_ = 0;
    is_reporting_rank_ = opening.ranks->rank() == 0;
    if (access_communicator_ != opening.ranks->handle()) prepare_access(opening);
    if (opening.access != Access::read && is_new_file(path_, *opening.ranks)) {
      create(opening);
    } else {
      open_existing(opening);
    }
    if (hints_.any() && !hints_noted_ && is_reporting_rank_) note_hints();
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    const bool selected = select(offset, bytes.size());
    errno = 0;
    const bool succeeded = selected && H5Dwrite(dataset_.id(), H5T_NATIVE_UCHAR, memory_space_.id(), file_space_.id(),
                                                transfer_.id(), bytes.data()) >= 0;
    const int error = errno;
    end_ = std::max(end_, offset + std::ssize(bytes));
    check_outcome(Access::write, succeeded, error, offset, bytes.size());
  }
  void read(std::int64_t offset, std::span<std::byte> bytes) override {
    const bool selected = select(offset, bytes.size());
    errno = 0;
    const bool succeeded = selected && H5Dread(dataset_.id(), H5T_NATIVE_UCHAR, memory_space_.id(), file_space_.id(),
                                               transfer_.id(), bytes.data()) >= 0;
    const int error = errno;
    check_outcome(Access::read, succeeded, error, offset, bytes.size());
  }

  void sync() override {
    errno = 0;
    check_result(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL), "H5Fflush");
  }

  void close() override {
    file_space_.close();
    errno = 0;
    if (H5Dclose(dataset_.id()) < 0) fail("H5Dclose");
    dataset_.release();
    if (H5Fclose(file_.id()) < 0) fail("H5Fclose");
    file_.release();
    if (end_ > 0) require_file_length("H5Fclose", path_, end_);
  }

  bool collective() const override { return *mode_ == TransferMode::collective; }

  // Reports how HDF5 made the last transfer, if that differs from the last report.
  std::vector<std::string> notes() override {
    std::vector<std::string> notes = std::exchange(notes_, {});
    if (std::exchange(transferred_, false) && is_reporting_rank_) {
      std::string report = transfer_mode_text();
      if (report != last_report_) notes.push_back(last_report_ = std::move(report));
    }
    return notes;
  }

 private:
  [[noreturn]] void fail(const char* call) const {
    const std::string system_text = storage_error_text(errno);
    throw_call_fault(call, path_, innermost_error_text() + (system_text.empty() ? "" : ": " + system_text));
  }
  // Throws MachineFault if HDF5 returned a negative value.
  template <class Id>
  Id check_result(Id id, const char* call) const {
    if (id < 0) [[unlikely]]
      fail(call);
    return id;
  }

  void prepare_access(const Opening& opening) {
    access_ = Properties(check_result(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
    check_result(H5Pset_fapl_mpio(access_.id(), opening.ranks->handle(), hints_.handle()), "H5Pset_fapl_mpio");
    const auto alignment = static_cast<hsize_t>(alignment_->value);
    // Smaller objects, such as the metadata of HDF5, are not aligned: otherwise each would occupy a whole multiple.
    if (alignment > 0) check_result(H5Pset_alignment(access_.id(), alignment, alignment), "H5Pset_alignment");
    access_communicator_ = opening.ranks->handle();
  }

  void create(const Opening& opening) {
    errno = 0;
    file_ = File(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_.id()));
    if (!file_) fail_to_open("H5Fcreate", opening.access);
    const auto size = static_cast<hsize_t>(opening.file_bytes);
    file_space_ = Space(check_result(H5Screate_simple(1, &size, nullptr), "H5Screate_simple"));
    dataset_ = DataSet(check_result(H5Dcreate2(file_.id(), dataset_name, H5T_NATIVE_UCHAR, file_space_.id(),
                                               H5P_DEFAULT, creation_.id(), H5P_DEFAULT),
                                    "H5Dcreate"));
  }

  void open_existing(const Opening& opening) {
    errno = 0;
    file_ = File(H5Fopen(path_.c_str(), opening.access == Access::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR, access_.id()));
    if (!file_) fail_to_open("H5Fopen", opening.access);
    dataset_ = DataSet(check_result(H5Dopen2(file_.id(), dataset_name, H5P_DEFAULT), "H5Dopen"));
    file_space_ = Space(check_result(H5Dget_space(dataset_.id()), "H5Dget_space"));
    const hssize_t length =
        check_result(H5Sget_simple_extent_npoints(file_space_.id()), "H5Sget_simple_extent_npoints");
    if (length < opening.file_bytes) {
      throw_call_fault("H5Dopen", path_, fmt::format("the dataset has {} of {} bytes", length, opening.file_bytes));
    }
  }

  [[noreturn]] void fail_to_open(const char* call, Access access) const {
    const std::string text = explain_open_failure(path_, access);
    if (text.empty()) fail(call);
    throw_call_fault(call, path_, text);
  }

  void note_hints() {
    hints_noted_ = true;
    void* handle = nullptr;
    check_result(H5Fget_vfd_handle(file_.id(), access_.id(), &handle), "H5Fget_vfd_handle");
    MPI_Info effective = MPI_INFO_NULL;
    mpi::check(MPI_File_get_info(*static_cast<MPI_File*>(handle), &effective), "MPI_File_get_info");
    notes_ = hints_.effective_notes(mpi::Info::adopt(effective));
  }

  bool select(std::int64_t offset, std::size_t size) {
    const auto start = static_cast<hsize_t>(offset);
    const auto count = static_cast<hsize_t>(size);
    if (count != memory_bytes_ && H5Sset_extent_simple(memory_space_.id(), 1, &count, nullptr) < 0) return false;
    memory_bytes_ = count;
    return H5Sselect_hyperslab(file_space_.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr) >= 0;
  }

  void check_outcome(Access access, bool succeeded, int error, std::int64_t offset, std::size_t size) {
    transferred_ = true;
    std::string system_text = error == 0 ? "" : storage_error_text(error);
    if (succeeded && system_text.empty()) [[likely]]
      return;
    const bool writes = access == Access::write;
    std::string text = succeeded ? "" : innermost_error_text();
    if (system_text.empty() && writes) system_text = explain_growth_failure(path_);
    if (!system_text.empty()) text += (text.empty() ? "" : ": ") + system_text;
    throw_call_fault(writes ? "H5Dwrite" : "H5Dread", path_,
                     fmt::format("{} {} bytes at offset {}: {}", writes ? "writing" : "reading", size, offset, text));
  }

  std::string transfer_mode_text() const {
    H5D_mpio_actual_io_mode_t mode = H5D_MPIO_NO_COLLECTIVE;
    std::uint32_t local_cause = 0;
    std::uint32_t global_cause = 0;
    H5Pget_mpio_actual_io_mode(transfer_.id(), &mode);
    H5Pget_mpio_no_collective_cause(transfer_.id(), &local_cause, &global_cause);
    std::string text = fmt::format("HDF5 made {} transfers: {}", mode_.text(), spell(mode));
    if (collective() && global_cause != H5D_MPIO_COLLECTIVE)
      text += fmt::format(" (no-collective cause {:#x})", global_cause);
    return text;
  }

  ParameterSet& owner_;
  Param<TransferMode> mode_{&owner_, 'n', "transfer-mode", TransferMode::independent,
                            "how ranks call H5Dwrite and H5Dread"};
  Param<Bytes> chunk_{&owner_, "chunk", Bytes{0}, "bytes of a chunk of the dataset; 0: it is contiguous",
                      AtMost<Bytes>{Bytes{4294967295}}};
  Param<Bytes> alignment_{
      &owner_, "alignment", Bytes{0},
      "align objects of at least this length to multiples of it (H5Pset_alignment); 0: no alignment"};
  Hints hints_{owner_};

  std::string path_;
  MPI_Comm access_communicator_ = MPI_COMM_NULL;
  Properties access_;
  Properties creation_;
  Properties transfer_;
  Space memory_space_;
  hsize_t memory_bytes_ = 0;
  File file_;
  DataSet dataset_;
  Space file_space_;
  std::int64_t end_ = 0;  // in the dataset: end of what this rank wrote since the file was opened
  bool is_reporting_rank_ = false;
  bool transferred_ = false;
  bool hints_noted_ = false;
  std::string last_report_;
  std::vector<std::string> notes_;
};

const RegisterBackend<Hdf5> registered{"hdf5", "a dataset of bytes by parallel HDF5", "https://www.hdfgroup.org"};

}  // namespace
}  // namespace stressbench::io
