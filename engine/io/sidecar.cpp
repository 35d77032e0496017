#include "io/sidecar.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/input_file.hpp"
#include "core/input_limits.hpp"
#include "core/json_input.hpp"
#include "core/process.hpp"
#include "io/fault.hpp"

namespace stressbench::io {
namespace {

std::string host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string as_json(const Sidecar& sidecar) {
  nlohmann::ordered_json json{{"program", "stressbench"},      {"run_id", sidecar.run.id},
                              {"host", sidecar.host},          {"pid", sidecar.pid},
                              {"launch", sidecar.run.launch},  {"one_file", sidecar.layout.single_file},
                              {"files", sidecar.layout.files}, {"directories", sidecar.layout.directories}};
  if (sidecar.process_start) json["process_start"] = *sidecar.process_start;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

// Returns false if `name` exists. Removes a file that could not be written completely.
bool create_file(const std::string& name, const std::string& text) {
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) return false;
  if (file < 0) throw_io_fault("open", name, errno);
  const ssize_t written = ::write(file, text.data(), text.size());
  int error = written < 0 ? errno : written < static_cast<ssize_t>(text.size()) ? ENOSPC : 0;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0) return true;
  ::unlink(name.c_str());
  throw_io_fault("write", name, error);
}

}  // namespace

std::string sidecar_name(const std::string& path) { return path + ".stressbench"; }

Sidecar own_sidecar(const Run& run, const Layout& layout) {
  return {run, host(), ::getpid(), layout, start_of_process(::getpid())};
}

bool has_foreign_sidecar(const std::string& path) noexcept {
  struct stat status {};
  if (::lstat(sidecar_name(path).c_str(), &status) != 0) return false;
  return !S_ISREG(status.st_mode) || status.st_uid != ::geteuid();
}

std::optional<Sidecar> read_sidecar(const std::string& path) {
  const std::string name = sidecar_name(path);
  if (has_foreign_sidecar(path)) throw UserMistake("'{}' belongs to another user or is not a regular file", name);
  if (::access(name.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  const auto invalid_sidecar = [&](const std::string& reason) {
    return UserMistake(
        fmt::format("'{}' does not name the owner of these files{}; remove it, or give --overwrite", name, reason));
  };
  try {
    const auto json = parse_json<nlohmann::json>(read_file(name, input_limits::max_sidecar_bytes));
    return Sidecar{{json.at("run_id"), json.at("launch")},
                   json.at("host"),
                   whole_number<int>(json.at("pid"), 1),
                   {json.at("one_file"), whole_number<int>(json.at("files"), 0, max_files),
                    whole_number<int>(json.at("directories"), 0, max_files)},
                   json.contains("process_start") ? std::optional(whole_number<std::int64_t>(json["process_start"], 0))
                                                  : std::nullopt};
  } catch (const nlohmann::json::exception&) {
    throw invalid_sidecar("");
  } catch (const UserMistake& mistake) {
    throw invalid_sidecar(fmt::format(" ({})", mistake.what()));
  }
}

bool create_sidecar(const std::string& path, const Sidecar& sidecar) {
  return create_file(sidecar_name(path), as_json(sidecar));
}

void replace_sidecar(const std::string& path, const Sidecar& sidecar) {
  const std::string name = sidecar_name(path);
  const std::string new_name = name + ".new";
  ::unlink(new_name.c_str());
  if (!create_file(new_name, as_json(sidecar))) throw_io_fault("open", new_name, EEXIST);
  if (std::rename(new_name.c_str(), name.c_str()) != 0) throw_io_fault("rename", new_name, errno);
}

bool remove_sidecar(const std::string& path) noexcept { return ::unlink(sidecar_name(path).c_str()) == 0; }

}  // namespace stressbench::io
