// A catalogue that mirrors the motifs of Listing 1 without MPI, for tests and fuzzers of the workload language.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.hpp"
#include "core/suggest.hpp"

namespace stressbench {

class FakePattern : public Pattern {
 public:
  Traffic traffic(int /*ranks*/) const override { return {}; }
};

class FakeAllreduce final : public FakePattern {
  Param<std::int64_t> count_{this, 'c', "count", 1, "elements of each rank's vector", Positive{}};
  Param<bool> in_place_{this, "in-place", "the result replaces what was given"};
};

class FakeCompute final : public FakePattern {
  Param<Nanoseconds> mean_{this, 'm', "mean", Nanoseconds{100'000}, "time of one computation", Positive{}};
};

class FakeHalo2d final : public FakePattern {
  Param<std::int64_t> columns_{this, 'x', "columns", 4000, "cells across the whole mesh", Positive{}};
  Param<std::int64_t> rows_{this, 'y', "rows", 4000, "cells down the whole mesh", Positive{}};
};

class FakeMpiio final : public FakePattern {
 public:
  void check(int ranks) const override {
    if (ranks_.was_given() && *ranks_ != ranks) {
      throw ParameterMistake("ranks", "--ranks: " + std::to_string(*ranks_) + " is not the job's number of ranks, " +
                                          std::to_string(ranks));
    }
    if (call_->starts_with("odd") && ranks % 2 == 0) throw UserMistake("needs an odd number of ranks");
  }

 private:
  Param<Bytes> size_{this, 's', "size", Bytes{1 << 20}, "bytes that each rank writes", Positive{}};
  Param<std::int64_t> ranks_{this, 'm', "ranks", 0, "ranks that write"};
  Param<std::string> file_{this, 'f', "file", "out", "the shared file", NotEmpty{}};
  Param<std::string> call_{this, 'n', "call", "MPI_File_write_all", "how each rank writes"};
};

class FakeCatalogue final : public Catalogue {
 public:
  std::vector<CatalogueEntry> entries() const override {
    std::vector<CatalogueEntry> all;
    for (const char* name : {"allreduce", "compute", "halo2d", "mpiio"}) {
      all.push_back({name, Family::application, "a fake", ""});
    }
    return all;
  }
  std::unique_ptr<Pattern> make_pattern(std::string_view name) const override {
    const std::string lower = lower_case(name);
    if (lower == "allreduce") return std::make_unique<FakeAllreduce>();
    if (lower == "compute") return std::make_unique<FakeCompute>();
    if (lower == "halo2d") return std::make_unique<FakeHalo2d>();
    if (lower == "mpiio") return std::make_unique<FakeMpiio>();
    return nullptr;
  }
  std::string unavailable_reason(std::string_view name) const override {
    return lower_case(name) == "threads" ? "there are none here" : "";
  }
};

}  // namespace stressbench
