#include "replay/datatypes.hpp"

#include <map>

namespace stressbench::replay {

std::optional<MPI_Datatype> datatype_of(std::string_view name) {
  static const std::map<std::string_view, MPI_Datatype> types{
      {"BYTE", MPI_BYTE},
      {"PACKED", MPI_PACKED},
      {"CHAR", MPI_CHAR},
      {"SIGNED_CHAR", MPI_SIGNED_CHAR},
      {"UNSIGNED_CHAR", MPI_UNSIGNED_CHAR},
      {"WCHAR", MPI_WCHAR},
      {"SHORT", MPI_SHORT},
      {"UNSIGNED_SHORT", MPI_UNSIGNED_SHORT},
      {"INT", MPI_INT},
      {"UNSIGNED", MPI_UNSIGNED},
      {"LONG", MPI_LONG},
      {"UNSIGNED_LONG", MPI_UNSIGNED_LONG},
      {"LONG_LONG", MPI_LONG_LONG},
      {"LONG_LONG_INT", MPI_LONG_LONG_INT},
      {"UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG},
      {"FLOAT", MPI_FLOAT},
      {"DOUBLE", MPI_DOUBLE},
      {"LONG_DOUBLE", MPI_LONG_DOUBLE},
      {"C_BOOL", MPI_C_BOOL},
      {"INT8_T", MPI_INT8_T},
      {"INT16_T", MPI_INT16_T},
      {"INT32_T", MPI_INT32_T},
      {"INT64_T", MPI_INT64_T},
      {"UINT8_T", MPI_UINT8_T},
      {"UINT16_T", MPI_UINT16_T},
      {"UINT32_T", MPI_UINT32_T},
      {"UINT64_T", MPI_UINT64_T},
      {"AINT", MPI_AINT},
      {"OFFSET", MPI_OFFSET},
      {"COUNT", MPI_COUNT},
      {"C_COMPLEX", MPI_C_COMPLEX},
      {"C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX},
      {"C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX},
      {"C_LONG_DOUBLE_COMPLEX", MPI_C_LONG_DOUBLE_COMPLEX},
      {"FLOAT_INT", MPI_FLOAT_INT},
      {"DOUBLE_INT", MPI_DOUBLE_INT},
      {"LONG_INT", MPI_LONG_INT},
      {"2INT", MPI_2INT},
      {"SHORT_INT", MPI_SHORT_INT},
      {"LONG_DOUBLE_INT", MPI_LONG_DOUBLE_INT},
      {"CHARACTER", MPI_CHARACTER},
      {"LOGICAL", MPI_LOGICAL},
      {"INTEGER", MPI_INTEGER},
      {"REAL", MPI_REAL},
      {"DOUBLE_PRECISION", MPI_DOUBLE_PRECISION},
      {"COMPLEX", MPI_COMPLEX},
      {"DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX},
      {"INTEGER1", MPI_INTEGER1},
      {"INTEGER2", MPI_INTEGER2},
      {"INTEGER4", MPI_INTEGER4},
      {"INTEGER8", MPI_INTEGER8},
      {"REAL4", MPI_REAL4},
      {"REAL8", MPI_REAL8},
      {"REAL16", MPI_REAL16},
      {"COMPLEX8", MPI_COMPLEX8},
      {"COMPLEX16", MPI_COMPLEX16},
      {"COMPLEX32", MPI_COMPLEX32},
      {"2REAL", MPI_2REAL},
      {"2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION},
      {"2INTEGER", MPI_2INTEGER},
  };
  const auto found = types.find(name);
  if (found == types.end() || found->second == MPI_DATATYPE_NULL) return std::nullopt;
  return found->second;
}

std::optional<MPI_Op> reduction_of(std::string_view name) {
  static const std::map<std::string_view, MPI_Op> operations{
      {"SUM", MPI_SUM},       {"MAX", MPI_MAX},       {"MIN", MPI_MIN},         {"PROD", MPI_PROD},  {"LAND", MPI_LAND},
      {"LOR", MPI_LOR},       {"LXOR", MPI_LXOR},     {"BAND", MPI_BAND},       {"BOR", MPI_BOR},    {"BXOR", MPI_BXOR},
      {"MINLOC", MPI_MINLOC}, {"MAXLOC", MPI_MAXLOC}, {"REPLACE", MPI_REPLACE}, {"NO_OP", MPI_NO_OP}};
  const auto found = operations.find(name);
  if (found == operations.end()) return std::nullopt;
  return found->second;
}

}  // namespace stressbench::replay
