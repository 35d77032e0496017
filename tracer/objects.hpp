// Kinds of MPI objects whose creation and release is counted. Needs no MPI.
#pragma once

#include <cstdint>

namespace stressbench::trace {

enum class Object { request, communicator, datatype, group, window, file, op, errhandler, keyval, info, count };
inline constexpr int object_kinds = static_cast<int>(Object::count);
inline constexpr const char* object_names[object_kinds] = {"requests", "communicators", "datatypes",  "groups",
                                                           "windows",  "files",         "reductions", "errhandlers",
                                                           "keyvals",  "infos"};

struct ObjectCount {
  std::uint64_t created;
  std::uint64_t released;
};

}  // namespace stressbench::trace
