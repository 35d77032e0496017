#include "mpi/info.hpp"

#include <array>

namespace stressbench::mpi {

Info Info::create() {
  Info created;
  check(MPI_Info_create(&created.info_), "MPI_Info_create");
  return created;
}

Info Info::adopt(MPI_Info owned) {
  Info adopted;
  adopted.info_ = owned;
  return adopted;
}

void Info::set(const std::string& key, const std::string& value) {
  check(MPI_Info_set(info_, key.c_str(), value.c_str()), "MPI_Info_set");
}

std::optional<std::string> Info::get(const std::string& key) const {
  if (info_ == MPI_INFO_NULL) return std::nullopt;
  int length = 0;
  int exists = 0;
  check(MPI_Info_get_valuelen(info_, key.c_str(), &length, &exists), "MPI_Info_get_valuelen");
  if (!exists) return std::nullopt;
  std::string value(static_cast<std::size_t>(length) + 1, '\0');
  check(MPI_Info_get(info_, key.c_str(), length, value.data(), &exists), "MPI_Info_get");
  value.resize(value.find('\0'));
  return value;
}

std::vector<std::string> Info::keys() const {
  int count = 0;
  if (info_ != MPI_INFO_NULL) check(MPI_Info_get_nkeys(info_, &count), "MPI_Info_get_nkeys");
  std::vector<std::string> all;
  for (int k = 0; k < count; ++k) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    check(MPI_Info_get_nthkey(info_, k, key.data()), "MPI_Info_get_nthkey");
    all.emplace_back(key.data());
  }
  return all;
}

}  // namespace stressbench::mpi
