"""Generate wrappers of MPI functions from functions.txt: operations.inc, wrappers_c.inc, wrappers_mpi4.inc (functions of MPI 4.0: persistent
collectives, and MPI_Send_c and others with counts of type MPI_Count), wrappers_fortran.inc, wrappers_fortran2008_(openmpi|mpich).inc.

    python3 generate.py functions.txt FOLDER

A wrapper asks `Call` (call.hpp) whether calls are recorded, passes it the arguments, makes the call, and passes it the results. C and Fortran
wrappers differ only in how parameters are read, for which `Language` has the two spellings. Created and released MPI objects are counted even while
recording is paused, also by wrappers with no other purpose.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

C_TYPES = {
    "cbuf": "const void*", "buf": "void*", "cstr": "const char*", "ptr": "void*",
    "t": "MPI_Datatype", "type": "MPI_Datatype", "op": "MPI_Op", "comm": "MPI_Comm", "group": "MPI_Group",
    "info": "MPI_Info", "fh": "MPI_File", "win": "MPI_Win", "off": "MPI_Offset", "disp": "MPI_Aint", "size": "MPI_Aint",
    "etype": "MPI_Datatype", "ftype": "MPI_Datatype",
    "cs": "const int*", "ds": "const int*", "ints": "const int*", "as": "const MPI_Aint*", "ts": "const MPI_Datatype*",
    "dims": "const int*", "periods": "const int*", "remain": "const int*", "sources": "const int*", "destinations": "const int*",
    "req": "MPI_Request*", "preq": "MPI_Request*", "reqs": "MPI_Request*", "st": "MPI_Status*", "sts": "MPI_Status*",
    "flag": "int*", "idx": "int*", "outn": "int*", "idxs": "int*",
    "newcomm": "MPI_Comm*", "pcomm": "MPI_Comm*", "newfh": "MPI_File*", "pfh": "MPI_File*",
    "newwin": "MPI_Win*", "pwin": "MPI_Win*", "newmsg": "MPI_Message*", "pmsg": "MPI_Message*",
    "newtype": "MPI_Datatype*", "ptype": "MPI_Datatype*", "gottypes": "MPI_Datatype*", "typelist": "MPI_Datatype*", "newgroup": "MPI_Group*", "pgroup": "MPI_Group*",
    "newop": "MPI_Op*", "pop": "MPI_Op*", "newerr": "MPI_Errhandler*", "perr": "MPI_Errhandler*", "newkeyval": "int*", "pkeyval": "int*",
    "newinfo": "MPI_Info*", "pinfo": "MPI_Info*", "infos": "const MPI_Info*", "errh": "MPI_Errhandler", "session": "MPI_Session",
    "step": "MPI_Aint", "steps": "const MPI_Aint*", "aint": "MPI_Aint", "count": "MPI_Count", "ranges": "Ranges", "words": "char**", "wordss": "char***",
    "outints": "int*", "outaints": "MPI_Aint*", "outcounts": "MPI_Count*",
    "userfn": "MPI_User_function*", "commfn": "MPI_Comm_errhandler_function*", "winfn": "MPI_Win_errhandler_function*",
    "filefn": "MPI_File_errhandler_function*", "copy": "MPI_Copy_function*", "delete": "MPI_Delete_function*",
    "commcopy": "MPI_Comm_copy_attr_function*", "commdelete": "MPI_Comm_delete_attr_function*", "typecopy": "MPI_Type_copy_attr_function*",
    "typedelete": "MPI_Type_delete_attr_function*", "wincopy": "MPI_Win_copy_attr_function*", "windelete": "MPI_Win_delete_attr_function*",
    "queryfn": "MPI_Grequest_query_function*", "freefn": "MPI_Grequest_free_function*", "cancelfn": "MPI_Grequest_cancel_function*",
}  # fmt: skip
LARGE_TYPES = {"n": "MPI_Count", "cs": "const MPI_Count*", "ds": "const MPI_Aint*", "unit": "MPI_Aint", "step": "MPI_Count",
               "steps": "const MPI_Count*", "userfn": "MPI_User_function_c*"}  # fmt: skip
STRINGS = ("cstr", "words", "wordss")  # Fortran passes their lengths after all other arguments
FORTRAN_TYPES = {"cbuf": "void*", "buf": "void*", "ptr": "void*", "off": "MPI_Offset*",
                 "disp": "MPI_Aint*", "size": "MPI_Aint*", "as": "MPI_Aint*",
                 **dict.fromkeys(STRINGS, "char*")}  # fmt: skip  # all else: MPI_Fint*
HANDLES = {"t": "Type", "type": "Type", "etype": "Type", "ftype": "Type", "group": "Group", "op": "Op", "comm": "Comm", "req": "Request", "preq": "Request",
           "reqs": "Request", "ts": "Type", "fh": "File", "win": "Win", "newcomm": "Comm", "pcomm": "Comm",
           "newfh": "File", "pfh": "File", "newwin": "Win", "pwin": "Win", "newmsg": "Message",
           "pmsg": "Message", "newtype": "Type", "ptype": "Type", "gottypes": "Type", "newgroup": "Group", "pgroup": "Group",
           "newop": "Op", "pop": "Op", "newerr": "Errhandler", "perr": "Errhandler", "newinfo": "Info", "pinfo": "Info"}  # fmt: skip
# Kinds of counted objects (objects.hpp), by the role of a parameter that creates or releases one.
CREATES = {"req": "request", "newcomm": "communicator", "newtype": "datatype", "newgroup": "group", "newwin": "window", "newfh": "file", "newop": "op",
         "newerr": "errhandler", "newkeyval": "keyval", "newinfo": "info"}  # fmt: skip
RELEASES = {"preq": "request", "reqs": "request", "pcomm": "communicator", "ptype": "datatype", "pgroup": "group", "pwin": "window", "pfh": "file",
            "pop": "op", "perr": "errhandler", "pkeyval": "keyval", "pinfo": "info"}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    role: str  # as in functions.txt, without "!"
    root_only: bool
    name: str

    @property
    def kind(self) -> str:
        """The role without its number."""
        return self.role.rstrip("0123456789")


@dataclass(frozen=True)
class Function:
    kind: str
    name: str
    parameters: tuple[Parameter, ...]

    def get(self, role: str) -> Parameter | None:
        return next((p for p in self.parameters if p.role == role), None)

    def has(self, *roles: str) -> bool:
        return all(self.get(role) for role in roles)

    @property
    def has_large_form(self) -> bool:
        return self.kind != "count1" and any(p.kind in LARGE_TYPES for p in self.parameters)

    @property
    def is_counted_only(self) -> bool:
        return self.kind.startswith("count")

    @property
    def persistent_form(self) -> "Function":
        """The persistent form of a nonblocking collective: MPI_Bcast_init for MPI_Ibcast."""
        before = [p for p in self.parameters if p.kind != "req"]
        renamed = [Parameter("info", False, f"a{len(before) + 1}"), Parameter("req", False, f"a{len(before) + 2}")]
        return Function("count4", f"{self.name[1:].capitalize()}_init", (*before, *renamed))


class Language:
    """The spelling of parameters in C or Fortran: how they are declared and read."""

    def __init__(self, *, fortran: bool, in_place: str, large: bool = False) -> None:
        self.fortran = fortran
        self.large = large
        self.in_place = in_place  # the C++ function that detects MPI_IN_PLACE

    def declaration(self, p: Parameter) -> str:
        if self.fortran:
            return f"{FORTRAN_TYPES.get(p.kind, 'MPI_Fint*')} {p.name}"
        if self.large and p.kind in LARGE_TYPES:
            return f"{LARGE_TYPES[p.kind]} {p.name}"
        return f"{C_TYPES.get(p.kind, 'int')} {p.name}"

    def value(self, p: Parameter) -> str:
        """C++ expression for the value of a number or handle, dereferenced if the parameter is a pointer."""
        if self.fortran:
            return f"PMPI_{HANDLES[p.kind]}_f2c(*{p.name})" if p.kind in HANDLES else f"*{p.name}"
        is_pointer = C_TYPES.get(p.kind, "int").endswith("*") and not C_TYPES[p.kind].startswith("const")
        return f"*{p.name}" if is_pointer else p.name

    def element(self, p: Parameter) -> str:
        if self.fortran and p.kind in HANDLES:
            return f"[&](int k) {{ return PMPI_{HANDLES[p.kind]}_f2c({p.name}[k]); }}"
        return f"[&](int k) {{ return {p.name}[k]; }}"


def read(path: Path) -> list[Function]:
    functions = []
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        kind, name, *roles = line.split()
        parameters = tuple(Parameter(r.rstrip("!"), r.endswith("!"), f"a{k}") for k, r in enumerate(roles, 1))
        functions.append(Function(kind, name, parameters))
    functions += [f.persistent_form for f in functions if f.kind == "coll" and f.has("req")]
    repeated = [name for name, n in Counter(f.name for f in functions).items() if n > 1]
    if repeated:
        sys.exit(f"{path}: {', '.join(repeated)}: named twice")
    return functions


def argument_statements(f: Function, language: Language) -> list[str]:
    """Statements that pass the arguments to `call` before the MPI function is called."""
    lines = []
    get, value = f.get, language.value
    for role, setter in (("comm", "set_comm"), ("root", "set_root"), ("tag", "set_tag"), ("op", "set_reduction")):
        if p := get(role):
            lines.append(f"call.{setter}({value(p)});")
    buffers = [p for p in f.parameters if p.kind in ("cbuf", "buf")]
    if f.kind == "coll" and len(buffers) > 1:
        lines.append(f"call.set_in_place({language.in_place}({buffers[0].name}) || {language.in_place}({buffers[1].name}));")
    for suffix, setter in (("", "set_send"), ("2", "set_receive")):
        count, kind, counts, kinds = (get(r + suffix) for r in ("n", "t", "cs", "ts"))
        needs_root = any(p.root_only for p in (count, kind, counts) if p)
        line = None
        if counts and kinds:
            line = f"call.{setter}_blocks({language.element(counts)}, {language.element(kinds)});"
        elif counts and kind:
            line = f"call.{setter}_blocks({language.element(counts)}, {value(kind)});"
        elif count and kind:
            line = f"call.{setter}({value(count)}, {value(kind)});"
        if line:
            lines.append(f"if (call.is_root()) {line}" if needs_root else line)
    if p := get("t1"):
        lines.append(f"call.set_send(1, {value(p)});")
    for role, line in (
        ("dst", "call.set_destination({});"), ("src", "call.set_source({});"), ("target", "call.set_destination({});"),
        ("fh", "call.set_file({});"), ("win", "call.set_window({});"), ("pfh", "call.close_file({});"),
        ("pwin", "call.free_window({});"), ("pcomm", "call.free_comm({});"), ("off", "call.add_value(List::offset, {});"),
        ("amode", "call.add_value(List::amode, {});"), ("whence", "call.add_whence({});"), ("colour", "call.add_colour({});"),
        ("key", "call.add_value(List::key, {});"), ("etype", "call.set_etype({});"), ("ftype", "call.add_filetype({});"),
        ("size", "call.add_value(List::size, {});"), ("unit", "call.set_unit({});"), ("disp", "call.add_displacement({});"),
        ("lock", "call.add_value(List::lock, {} == MPI_LOCK_EXCLUSIVE ? 1 : 0);"), ("assert", "call.add_assertions({});"),
        ("pmsg", "call.take_matched_message({});"),
    ):  # fmt: skip
        if p := get(role):
            lines.append(line.format(value(p)))
    if f.has("src2", "tag2"):
        lines.append(f"call.set_receive_envelope({value(get('src2'))}, {value(get('tag2'))});")
    if f.name in ("Win_start", "Win_post"):
        list_name = "destinations" if f.name == "Win_start" else "sources"
        lines.append(f"call.add_group_members(List::{list_name}, {value(get('group'))});")
    for length, lists in (("ndims", ("dims", "periods")), ("nsources", ("sources",)), ("ndestinations", ("destinations",))):
        for role in lists:
            if f.has(length, role):
                lines.append(f"call.add_values(List::{role}, {value(get(length))}, {language.element(get(role))});")
    if p := get("remain"):
        lines.append(f"call.add_values(List::remain, dimensions_of({value(get('comm'))}), {language.element(p)});")
    if p := get("preq"):
        lines.append(f"call.set_waited_requests(1, {language.element(p)});")
    if p := get("reqs"):
        lines.append(f"call.set_waited_requests({value(get('nreq'))}, {language.element(p)});")
    return lines


def result_statements(f: Function, language: Language) -> list[str]:
    """Statements that pass the results to `call` after the MPI function returned."""
    lines = []
    get, value = f.get, language.value
    status = get("st") or get("sts")
    if flag := get("flag"):
        lines.append(f"if (!{value(flag)}) return call.finish_without_result(), code;")
    if f.kind == "wait" and (get("preq") or get("reqs")):
        if f.has("outn"):
            lines.append(f"call.complete_some({value(get('outn'))}, {language.element(get('idxs'))}, statuses);")
        elif f.has("idx"):
            lines.append(f"call.complete_one({value(get('idx'))}, statuses);")
        else:
            lines.append("call.complete_all(statuses);")
    elif status and (f.has("src") or f.has("src2") or f.has("pmsg")):
        lines.append("call.set_sender(statuses);")
    if f.name == "Request_free":
        lines.append("call.free_requests();")
    if f.name == "Cancel":
        lines.append("call.list_requests();")
    if f.name in ("Start", "Startall"):
        lines.append("call.start_requests();")
    for role, line in (
        ("newmsg", "call.add_matched_message({});"), ("newcomm", "call.create_comm({});"), ("newfh", "call.open_file({});"),
        ("newwin", "call.create_window({});"),
    ):  # fmt: skip
        if p := get(role):
            lines.append(line.format(value(p)))
    if f.name in ("Graph_create", "Dist_graph_create"):
        lines.append(f"call.add_neighbours({value(get('newcomm'))});")
    if p := get("req"):
        persistent = "true" if f.name.endswith("_init") else "false"
        lines.append(f"call.add_request({value(p)}, {persistent});")
    return lines


def held_objects(f: Function, language: Language) -> str | None:
    """C++ expression for the number of objects that the call may release; None if it releases none."""
    for p in f.parameters:
        if kind := RELEASES.get(p.kind):
            handle = f"{p.name}[k]"
            if language.fortran and p.kind in HANDLES:
                handle = f"PMPI_{HANDLES[p.kind]}_f2c({handle})"
            is_object = f"is_object<Object::{kind}>({handle})"
            if language.fortran and kind == "request":
                is_object = f"is_fortran_request({p.name}[k])"
            many = language.value(f.get("nreq")) if p.kind == "reqs" else "1"
            return f"call.count_objects({many}, [&](int k) {{ return {is_object}; }})"
    return None


def counting_statements(f: Function, language: Language) -> list[str]:
    """Statements that count the objects created and released by the call."""
    lines = []
    succeeded = f"call.is_counting() && succeeded({'ierror' if language.fortran else 'code'})"
    for p in f.parameters:
        if kind := CREATES.get(p.kind):
            # A communicator from a nonblocking call need not exist yet.
            exists = "" if f.has("newcomm", "req") else f" && is_object<Object::{kind}>({language.value(p)})"
            lines.append(f"if ({succeeded}{exists}) call.add_created(Object::{kind});")
        if p.role == "gottypes":
            lines.append(f"if ({succeeded}) call.add_created(Object::datatype, derived_types_in({language.value(f.get('t'))}, {language.element(p)}));")
        if kind := RELEASES.get(p.kind):
            lines.append(f"call.add_released(Object::{kind}, objects_before - {held_objects(f, language)});")
    return lines


def kept_request(f: Function, language: Language) -> str:
    """Statement that keeps a persistent request which is created while recording is paused."""
    value = language.value
    n, t, tag, comm, created = (f.get(role) for role in ("n", "t", "tag", "comm", "req"))
    to, origin = f.get("dst"), f.get("src")
    peer = f"call.set_destination({value(to)});" if to else f"call.set_source({value(origin)});"
    succeeded = f"succeeded({'ierror' if language.fortran else 'code'})"
    arguments = f"call.set_tag({value(tag)}); call.set_send({value(n)}, {value(t)}); {peer}"
    return f"if (call.is_paused() && {succeeded}) {{ {arguments} call.keep_request({value(comm)}, {value(created)}); }}"


def unrecorded(f: Function, language: Language, call: str) -> str:
    """Code of the wrapper for calls that are not recorded."""
    before, after = [], counting_statements(f, language)
    if created := f.get("newcomm"):
        after.append(f"process().note_created_while_paused({language.value(created)});")
    elif freed := f.get("pcomm"):
        before.append(f"process().note_freed_while_paused({language.value(freed)});")
    elif f.name.endswith("_init"):
        after.append(kept_request(f, language))
    elif f.name == "Request_free":
        before.append(f"if (call.is_paused()) call.drop_request({language.value(f.get('preq'))});")
    if not before and not after:
        return f"return {call};"
    lines = [*before, f"{call};" if language.fortran else f"const int code = {call};", *after, "return;" if language.fortran else "return code;"]
    return "{\n" + "".join(f"    {line}\n" for line in lines) + "  }"


def body(f: Function, language: Language, target: str) -> str:
    names = [p.name for p in f.parameters]
    status = f.get("st") or f.get("sts")
    setup = ""
    if status:
        count = language.value(f.get("nreq")) if f.has("sts") else "1"
        kind = "FortranStatuses" if language.fortran else "CStatuses"
        setup = f"  {kind} statuses{{call, {status.name}, {count}}};\n"
    extra = ""
    if language.fortran:
        strings = [f"length_of_{p.name}" for p in f.parameters if p.kind in STRINGS]
        extra = ", ".join(["", "ierror", *strings])
    plain = f"{target}({', '.join(names)}{extra})"
    count_before = held_objects(f, language)
    objects_before = f"  const std::int64_t objects_before = {count_before};\n" if count_before else ""
    objects = "".join(f"  {line}\n" for line in counting_statements(f, language))
    if f.is_counted_only:
        result, last = ("", "") if language.fortran else ("const int code = ", "  return code;\n")
        return f"  const ObjectCounter call;\n{objects_before}  {result}{plain};\n{objects}{last}"
    passed = ", ".join("statuses.argument()" if p is status else p.name for p in f.parameters)
    before = "".join(f"  {line}\n" for line in argument_statements(f, language))
    after = "".join(f"  {line}\n" for line in result_statements(f, language))
    start = f"  Call call{{Op::{f.name}, SITE}};\n{objects_before}  if (!call) {unrecorded(f, language, plain)}\n"
    if language.fortran:
        after = after.replace("return call.finish_without_result(), code;", "return call.finish_without_result();")
        return (
            f"{start}  call.set_fortran();\n{before}{setup}"
            f"  call.begin_call();\n  {target}({passed}{extra});\n  call.end_call();\n{after}{objects}  call.finish();\n"
        )
    return (
        f"{start}{before}{setup}"
        f"  call.begin_call();\n  const int code = {target}({passed});\n  call.end_call();\n{after}{objects}  call.finish();\n  return code;\n"
    )


def c_wrapper(f: Function, *, large: bool = False) -> str:
    language = Language(fortran=False, in_place="c_in_place", large=large)
    declared = ", ".join(language.declaration(p) for p in f.parameters)
    name = f.name + ("_c" if large else "")
    undeclared = f"#undef MPI_{name}\nint PMPI_{name}({declared});\n" if f.kind == "count1" else ""
    return f"{undeclared}int MPI_{name}({declared}) {{\n{body(f, language, 'PMPI_' + name)}}}\n\n"


def fortran_wrapper(f: Function, name: str, target: str) -> str:
    language = Language(fortran=True, in_place="descriptor_in_place" if name.endswith("ts_") else "fortran_in_place")
    strings = [f"std::size_t length_of_{p.name}" for p in f.parameters if p.kind in STRINGS]
    declared = ", ".join([*(language.declaration(p) for p in f.parameters), "MPI_Fint* ierror", *strings])
    return f"void {target}({declared}) __attribute__((weak));\nvoid {name}({declared}) {{\n{body(f, language, target)}}}\n\n"


def fortran_names(f: Function) -> dict[str, tuple[str, str]]:
    """The function's Fortran name and the profiling name that its wrapper calls, by output file."""
    lower = f.name.lower()
    # MPICH passes buffers as descriptors, which shows in the name (Fortran TS 29113).
    ending = "f08ts_" if any(p.kind in ("buf", "cbuf") for p in f.parameters) else "f08_"
    return {
        "fortran": (f"mpi_{lower}_", f"pmpi_{lower}_"),
        "fortran2008_openmpi": (f"mpi_{lower}_f08_", f"pmpi_{lower}_f08_"),
        "fortran2008_mpich": (f"mpi_{lower}_{ending}", f"pmpir_{lower}_{ending}"),
    }


def main() -> None:
    table, folder = map(Path, sys.argv[1:])
    functions = read(table)
    operations = "".join(
        f'X({f.name}, {f.kind}, {int(f.has("dst") and not f.name.endswith("_init"))}, {int(f.has("src", "n") or f.has("src2") or f.has("pmsg"))})\n'
        for f in functions if not f.is_counted_only
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "operations.inc").write_text(operations)
    (folder / "wrappers_c.inc").write_text("".join(c_wrapper(f) for f in functions if f.kind != "count4"))
    new = [c_wrapper(f) for f in functions if f.kind == "count4"]
    large = (c_wrapper(f, large=True) for f in functions if f.has_large_form)
    (folder / "wrappers_mpi4.inc").write_text("".join([*new, *large]))
    in_fortran = [f for f in functions if not f.name.endswith("_c")]
    for name in fortran_names(functions[0]):
        text = "".join(fortran_wrapper(f, *fortran_names(f)[name]) for f in in_fortran)
        (folder / f"wrappers_{name}.inc").write_text(text)


if __name__ == "__main__":
    main()
