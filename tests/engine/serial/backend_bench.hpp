// A backend by name with its options, as in a motif, and a file for it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "folder_test.hpp"
#include "io/backend.hpp"

namespace stressbench::io {

class BackendBench {
 public:
  using Options = std::vector<std::pair<std::string, std::string>>;
  explicit BackendBench(const std::string& name, const Options& options = {}) {
    for (const BackendEntry& entry : backends()) {
      if (entry.name == name) backend_ = entry.make(owner_);
    }
    if (!backend_) throw std::invalid_argument("no backend " + name);
    for (const auto& [option, text] : options) owner_.find(option)->parse(text);
  }
  Backend* operator->() const { return backend_.get(); }

 private:
  ParameterSet owner_;
  std::unique_ptr<Backend> backend_;
};

class StorageTest : public test::FolderTest {
 protected:
  Opening opening(Access access, std::int64_t bytes = 1 << 20) const {
    return {.path = path(), .access = access, .file_bytes = bytes, .transfer_bytes = 4096};
  }
  static std::vector<std::byte> bytes(std::size_t length, int first = 1) {
    std::vector<std::byte> all(length);
    for (std::size_t i = 0; i < length; ++i) all[i] = static_cast<std::byte>(first + static_cast<int>(i % 251));
    return all;
  }
  std::vector<std::byte> content() const {
    std::ifstream file(path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto all = std::as_bytes(std::span(text));
    return {all.begin(), all.end()};
  }
};

// The message of the fault that `action` throws.
template <class Action>
std::string fault_of(Action action) {
  try {
    action();
  } catch (const MachineFault& fault) {
    return fault.what();
  }
  ADD_FAILURE() << "no fault";
  return "";
}

// Parameter and message of the mistake that `action` throws.
template <class Action>
std::pair<std::string, std::string> mistake_of(Action action) {
  try {
    action();
  } catch (const ParameterMistake& mistake) {
    return {mistake.parameter(), mistake.what()};
  }
  ADD_FAILURE() << "no mistake";
  return {};
}

}  // namespace stressbench::io
