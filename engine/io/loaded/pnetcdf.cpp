// pnetcdf: one variable of bytes in a CDF-5 file, by PnetCDF on top of MPI-IO (docs/motifs/storage.md).
#include <fmt/format.h>
#include <mpi.h>
#include <pnetcdf.h>

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

constexpr const char* variable_name = "data";

class PnetCdf final : public Backend {
 public:
  explicit PnetCdf(ParameterSet& owner) : owner_(owner) {}

  void check(const AccessRequirements& requirements) const override {
    hints_.check();
    check_transfers(mode_, requirements);
  }

  void prepare(const Opening& opening) override {
    path_ = opening.path;
    hints_.prepare();
  }

  void open(const Opening& opening) override {
    path_ = opening.path;
    end_ = 0;
    if (opening.access != Access::read && is_new_file(path_, *opening.ranks)) {
      create(opening);
    } else {
      open_existing(opening);
    }
    check_code(ncmpi_inq_varoffset(file_, variable_, &data_offset_), "ncmpi_inq_varoffset");
    if (!collective()) check_code(ncmpi_begin_indep_data(file_), "ncmpi_begin_indep_data");
    if (hints_.any() && !hints_noted_ && opening.ranks->rank() == 0) note_hints();
  }

  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    const MPI_Offset start = offset;
    const MPI_Offset count = std::ssize(bytes);
    const auto* data = reinterpret_cast<const signed char*>(bytes.data());
    errno = 0;
    const int code = collective() ? ncmpi_put_vara_schar_all(file_, variable_, &start, &count, data)
                                  : ncmpi_put_vara_schar(file_, variable_, &start, &count, data);
    check_outcome("ncmpi_put_vara_schar", "writing", code, errno, offset, count);
    end_ = std::max(end_, start + count);
  }
  void read(std::int64_t offset, std::span<std::byte> bytes) override {
    const MPI_Offset start = offset;
    const MPI_Offset count = std::ssize(bytes);
    auto* data = reinterpret_cast<signed char*>(bytes.data());
    errno = 0;
    const int code = collective() ? ncmpi_get_vara_schar_all(file_, variable_, &start, &count, data)
                                  : ncmpi_get_vara_schar(file_, variable_, &start, &count, data);
    check_outcome("ncmpi_get_vara_schar", "reading", code, errno, offset, count);
  }

  void sync() override {
    errno = 0;
    check_code(ncmpi_sync(file_), "ncmpi_sync");
  }

  void close() override {
    errno = 0;
    check_code(ncmpi_close(file_), "ncmpi_close");
    if (end_ > 0) require_file_length("ncmpi_close", path_, data_offset_ + end_);
  }

  bool collective() const override { return *mode_ == TransferMode::collective; }
  std::vector<std::string> notes() override { return std::exchange(notes_, {}); }

 private:
  // Checks a call before which errno was set to 0: PnetCDF passes on the return codes of MPI-IO, which may hide
  // failures.
  void check_code(int code, const char* call) const {
    const std::string system_text = errno == 0 ? "" : storage_error_text(errno);
    if (code == NC_NOERR && system_text.empty()) [[likely]]
      return;
    throw_call_fault(call, path_, system_text.empty() ? ncmpi_strerror(code) : system_text);
  }

  void check_outcome(const char* call, const char* what, int code, int error, std::int64_t offset,
                     std::int64_t size) const {
    const std::string system_text = error == 0 ? "" : storage_error_text(error);
    if (code == NC_NOERR && system_text.empty()) [[likely]]
      return;
    throw_call_fault(std::string(call) + (collective() ? "_all" : ""), path_,
                     fmt::format("{} {} bytes at offset {}: {}", what, size, offset,
                                 system_text.empty() ? ncmpi_strerror(code) : system_text));
  }

  void create(const Opening& opening) {
    errno = 0;
    const int code =
        ncmpi_create(opening.ranks->handle(), path_.c_str(), NC_CLOBBER | NC_64BIT_DATA, hints_.handle(), &file_);
    if (code != NC_NOERR) fail_to_open("ncmpi_create", opening.access, code);
    int dimension = 0;
    check_code(ncmpi_def_dim(file_, "bytes", std::max<MPI_Offset>(opening.file_bytes, 1), &dimension), "ncmpi_def_dim");
    check_code(ncmpi_def_var(file_, variable_name, NC_BYTE, 1, &dimension, &variable_), "ncmpi_def_var");
    check_code(ncmpi_enddef(file_), "ncmpi_enddef");
  }

  void open_existing(const Opening& opening) {
    errno = 0;
    const int code = ncmpi_open(opening.ranks->handle(), path_.c_str(),
                                opening.access == Access::read ? NC_NOWRITE : NC_WRITE, hints_.handle(), &file_);
    if (code != NC_NOERR) fail_to_open("ncmpi_open", opening.access, code);
    check_code(ncmpi_inq_varid(file_, variable_name, &variable_), "ncmpi_inq_varid");
    int dimension = 0;
    MPI_Offset length = 0;
    check_code(ncmpi_inq_vardimid(file_, variable_, &dimension), "ncmpi_inq_vardimid");
    check_code(ncmpi_inq_dimlen(file_, dimension, &length), "ncmpi_inq_dimlen");
    if (length < opening.file_bytes) {
      throw_call_fault("ncmpi_open", path_, fmt::format("the variable has {} of {} bytes", length, opening.file_bytes));
    }
  }

  [[noreturn]] void fail_to_open(const char* call, Access access, int code) const {
    const std::string text = explain_open_failure(path_, access);
    throw_call_fault(call, path_, text.empty() ? ncmpi_strerror(code) : text);
  }

  void note_hints() {
    hints_noted_ = true;
    MPI_Info effective = MPI_INFO_NULL;
    check_code(ncmpi_inq_file_info(file_, &effective), "ncmpi_inq_file_info");
    notes_ = hints_.effective_notes(mpi::Info::adopt(effective));
  }

  ParameterSet& owner_;
  Param<TransferMode> mode_{&owner_, 'n', "transfer-mode", TransferMode::independent,
                            "how ranks call ncmpi_put_vara and ncmpi_get_vara"};
  Hints hints_{owner_};

  std::string path_;
  int file_ = -1;
  int variable_ = -1;
  MPI_Offset data_offset_ = 0;
  MPI_Offset end_ = 0;  // end of what this rank wrote since the file was opened
  std::vector<std::string> notes_;
  bool hints_noted_ = false;
};

const RegisterBackend<PnetCdf> registered{"pnetcdf", "a variable of bytes by PnetCDF (CDF-5)",
                                          "https://parallel-netcdf.github.io"};

}  // namespace
}  // namespace stressbench::io
