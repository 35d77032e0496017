// A workload as values: the jobs that share the machine, each a chain of motifs on some nodes. Comparisons ignore
// positions in the text.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/catalogue.hpp"
#include "core/units.hpp"
#include "workload/diagnostics.hpp"

namespace stressbench::workload {

enum class Role { measured, background };

// An option of a motif. The name of a long option has no dashes (the only form after `check`); that of an unresolved
// short option has its dash.
struct Option {
  std::string name;
  std::optional<std::string> value;  // none for a flag
  Position where;                    // of the name
  Position value_where;              // of the value, or of the name if there is none
  std::string dashed() const { return name.starts_with('-') ? name : "--" + name; }
  bool operator==(const Option& other) const { return name == other.name && value == other.value; }
};

struct MotifCall {
  std::string name;  // as in the catalogue after `check`
  std::vector<Option> options;
  Position where;        // of the name
  bool complete = true;  // false: a mistake in this call was reported already
  bool operator==(const MotifCall& other) const { return name == other.name && options == other.options; }
};

struct Loop;
using Step = std::variant<MotifCall, Loop>;

struct Loop {
  std::int64_t count = 1;
  std::vector<Step> steps;
  Position where;
  bool operator==(const Loop& other) const;
};

// Positions of a job's keys; none for keys that were not given. A key with a position but without a value in the job
// had an invalid value.
struct JobPositions {
  struct NodeItem {  // one item of [NID_LIST]: the nodes from index `first` up to that of the next item
    int first = 0;
    int line = 0;
    int column = 0;
    int length = 0;
  };
  Position name;
  std::optional<Position> nodes, node_count, ranks_per_node, repeat, min_time, role, shared, load, rate;
  std::vector<NodeItem> node_items;
  bool motif_seen = false;

  // Position of the item that names the node at `index` of [NID_LIST].
  Position node_position(int index) const;
};

struct Job {
  std::string name;
  Role role = Role::measured;
  std::optional<std::vector<int>> nodes;  // [NID_LIST], in the order of the text
  std::optional<int> node_count;          // [NODES]
  std::optional<int> ranks_per_node;      // none: all ranks of the node
  std::optional<std::int64_t> repeat;     // none: the engine's default
  std::optional<Nanoseconds> min_time;
  std::optional<double> load;  // fraction of the time in which the job runs
  std::optional<Bytes> rate;   // maximum traffic per rank and second
  bool shared = false;
  std::vector<Step> steps;
  JobPositions where;
  bool operator==(const Job& other) const;
};

struct Workload {
  std::vector<Job> jobs;
  std::string path;
  bool operator==(const Workload& other) const { return jobs == other.jobs; }
};

// Calls `visit` for each motif of the job in the order of the text. `executions` is the number of executions per
// repetition of the job: the product of the enclosing loop counts.
void for_each_motif(const Job& job, const std::function<void(const MotifCall&, std::int64_t executions)>& visit);

// Sets the pattern's parameters from the call's options. Throws ParameterMistake, or UserMistake for an unknown option.
void configure(Pattern& pattern, const MotifCall& call);

}  // namespace stressbench::workload
