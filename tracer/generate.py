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
MAKES = {"req": "request", "newcomm": "communicator", "newtype": "datatype", "newgroup": "group", "newwin": "window", "newfh": "file", "newop": "op",
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
    def only_counts(self) -> bool:
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
        behind = C_TYPES.get(p.kind, "int").endswith("*") and not C_TYPES[p.kind].startswith("const")
        return f"*{p.name}" if behind else p.name

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


def told_before(f: Function, say: Language) -> list[str]:
    """Statements that pass the arguments to `call` before the MPI function is called."""
    lines = []
    get, value = f.get, say.value
    for role, verb in (("comm", "comm"), ("root", "root"), ("tag", "tag"), ("op", "reduction")):
        if p := get(role):
            lines.append(f"call.{verb}({value(p)});")
    buffers = [p for p in f.parameters if p.kind in ("cbuf", "buf")]
    if f.kind == "coll" and len(buffers) > 1:
        lines.append(f"call.in_place({say.in_place}({buffers[0].name}) || {say.in_place}({buffers[1].name}));")
    for suffix, verb in (("", "gives"), ("2", "takes")):
        count, kind, counts, kinds = (get(r + suffix) for r in ("n", "t", "cs", "ts"))
        needs_root = any(p.root_only for p in (count, kind, counts) if p)
        line = None
        if counts and kinds:
            line = f"call.{verb}_each({say.element(counts)}, {say.element(kinds)});"
        elif counts and kind:
            line = f"call.{verb}_each({say.element(counts)}, {value(kind)});"
        elif count and kind:
            line = f"call.{verb}({value(count)}, {value(kind)});"
        if line:
            lines.append(f"if (call.is_root()) {line}" if needs_root else line)
    if p := get("t1"):
        lines.append(f"call.gives(1, {value(p)});")
    for role, line in (
        ("dst", "call.to({});"), ("src", "call.from({});"), ("target", "call.to({});"),
        ("fh", "call.file({});"), ("win", "call.window({});"), ("pfh", "call.closes({});"),
        ("pwin", "call.closes_window({});"), ("pcomm", "call.frees({});"), ("off", "call.say(List::offset, {});"),
        ("amode", "call.say(List::amode, {});"), ("whence", "call.whence({});"), ("colour", "call.colour({});"),
        ("key", "call.say(List::key, {});"), ("etype", "call.etype({});"), ("ftype", "call.filetype({});"),
        ("size", "call.say(List::size, {});"), ("unit", "call.unit({});"), ("disp", "call.displacement({});"),
        ("lock", "call.say(List::lock, {} == MPI_LOCK_EXCLUSIVE ? 1 : 0);"), ("assert", "call.assertion({});"),
        ("pmsg", "call.takes_message({});"),
    ):  # fmt: skip
        if p := get(role):
            lines.append(line.format(value(p)))
    if f.has("src2", "tag2"):
        lines.append(f"call.receive_half({value(get('src2'))}, {value(get('tag2'))});")
    if f.name in ("Win_start", "Win_post"):
        among = "destinations" if f.name == "Win_start" else "sources"
        lines.append(f"call.says_members(List::{among}, {value(get('group'))});")
    for length, lists in (("ndims", ("dims", "periods")), ("nsources", ("sources",)), ("ndestinations", ("destinations",))):
        for role in lists:
            if f.has(length, role):
                lines.append(f"call.say_all(List::{role}, {value(get(length))}, {say.element(get(role))});")
    if p := get("remain"):
        lines.append(f"call.say_all(List::remain, dimensions_of({value(get('comm'))}), {say.element(p)});")
    if p := get("preq"):
        lines.append(f"call.waits_for(1, {say.element(p)});")
    if p := get("reqs"):
        lines.append(f"call.waits_for({value(get('nreq'))}, {say.element(p)});")
    return lines


def told_after(f: Function, say: Language) -> list[str]:
    """Statements that pass the results to `call` after the MPI function returned."""
    lines = []
    get, value = f.get, say.value
    status = get("st") or get("sts")
    if flag := get("flag"):
        lines.append(f"if (!{value(flag)}) return call.found_nothing(), code;")
    if f.kind == "wait" and (get("preq") or get("reqs")):
        if f.has("outn"):
            lines.append(f"call.some_done({value(get('outn'))}, {say.element(get('idxs'))}, statuses);")
        elif f.has("idx"):
            lines.append(f"call.one_done({value(get('idx'))}, statuses);")
        else:
            lines.append("call.all_done(statuses);")
    elif status and (f.has("src") or f.has("src2") or f.has("pmsg")):
        lines.append("call.came_from(statuses);")
    if f.name == "Request_free":
        lines.append("call.all_freed();")
    if f.name == "Cancel":
        lines.append("call.names_requests();")
    if f.name in ("Start", "Startall"):
        lines.append("call.starts();")
    for role, line in (
        ("newmsg", "call.found_message({});"), ("newcomm", "call.makes({});"), ("newfh", "call.opens({});"),
        ("newwin", "call.makes_window({});"),
    ):  # fmt: skip
        if p := get(role):
            lines.append(line.format(value(p)))
    if f.name in ("Graph_create", "Dist_graph_create"):
        lines.append(f"call.tells_neighbours({value(get('newcomm'))});")
    if p := get("req"):
        persistent = "true" if f.name.endswith("_init") else "false"
        lines.append(f"call.request({value(p)}, {persistent});")
    return lines


def objects_held(f: Function, say: Language) -> str | None:
    """C++ expression for the number of objects that the call may release; None if it releases none."""
    for p in f.parameters:
        if kind := RELEASES.get(p.kind):
            handle = f"{p.name}[k]"
            if say.fortran and p.kind in HANDLES:
                handle = f"PMPI_{HANDLES[p.kind]}_f2c({handle})"
            is_object = f"is_object<Object::{kind}>({handle})"
            if say.fortran and kind == "request":
                is_object = f"is_fortran_request({p.name}[k])"
            many = say.value(f.get("nreq")) if p.kind == "reqs" else "1"
            return f"call.held({many}, [&](int k) {{ return {is_object}; }})"
    return None


def counted(f: Function, say: Language) -> list[str]:
    """Statements that count the objects created and released by the call."""
    lines = []
    good = f"call.counts() && succeeded({'ierror' if say.fortran else 'code'})"
    for p in f.parameters:
        if kind := MAKES.get(p.kind):
            # A communicator from a nonblocking call need not exist yet.
            there = "" if f.has("newcomm", "req") else f" && is_object<Object::{kind}>({say.value(p)})"
            lines.append(f"if ({good}{there}) call.made(Object::{kind});")
        if p.role == "gottypes":
            lines.append(f"if ({good}) call.made(Object::datatype, contents({say.value(f.get('t'))}, {say.element(p)}));")
        if kind := RELEASES.get(p.kind):
            lines.append(f"call.released(Object::{kind}, held - {objects_held(f, say)});")
    return lines


def unseen(f: Function, say: Language, call: str) -> str:
    """Code of the wrapper for calls that are not recorded."""
    before, after = [], counted(f, say)
    if made := f.get("newcomm"):
        after.append(f"process().made_unseen({say.value(made)});")
    elif freed := f.get("pcomm"):
        before.append(f"process().freed_unseen({say.value(freed)});")
    if not before and not after:
        return f"return {call};"
    lines = [*before, f"{call};" if say.fortran else f"const int code = {call};", *after, "return;" if say.fortran else "return code;"]
    return "{\n" + "".join(f"    {line}\n" for line in lines) + "  }"


def body(f: Function, say: Language, target: str) -> str:
    names = [p.name for p in f.parameters]
    status = f.get("st") or f.get("sts")
    setup = ""
    if status:
        count = say.value(f.get("nreq")) if f.has("sts") else "1"
        kind = "FortranStatuses" if say.fortran else "CStatuses"
        setup = f"  {kind} statuses{{call, {status.name}, {count}}};\n"
    extra = ""
    if say.fortran:
        strings = [f"length_of_{p.name}" for p in f.parameters if p.kind in STRINGS]
        extra = ", ".join(["", "ierror", *strings])
    plain = f"{target}({', '.join(names)}{extra})"
    held = objects_held(f, say)
    held = f"  const std::int64_t held = {held};\n" if held else ""
    objects = "".join(f"  {line}\n" for line in counted(f, say))
    if f.only_counts:
        result, last = ("", "") if say.fortran else ("const int code = ", "  return code;\n")
        return f"  const Counted call;\n{held}  {result}{plain};\n{objects}{last}"
    passed = ", ".join("statuses.given()" if p is status else p.name for p in f.parameters)
    before = "".join(f"  {line}\n" for line in told_before(f, say))
    after = "".join(f"  {line}\n" for line in told_after(f, say))
    start = f"  Call call{{Op::{f.name}, SITE}};\n{held}  if (!call) {unseen(f, say, plain)}\n"
    if say.fortran:
        after = after.replace("return call.found_nothing(), code;", "return call.found_nothing();")
        return (
            f"{start}  call.speaks_fortran();\n{before}{setup}"
            f"  call.enters();\n  {target}({passed}{extra});\n  call.leaves();\n{after}{objects}  call.finish();\n"
        )
    return (
        f"{start}{before}{setup}"
        f"  call.enters();\n  const int code = {target}({passed});\n  call.leaves();\n{after}{objects}  call.finish();\n  return code;\n"
    )


def c_wrapper(f: Function, *, large: bool = False) -> str:
    say = Language(fortran=False, in_place="c_in_place", large=large)
    declared = ", ".join(say.declaration(p) for p in f.parameters)
    name = f.name + ("_c" if large else "")
    undeclared = f"#undef MPI_{name}\nint PMPI_{name}({declared});\n" if f.kind == "count1" else ""
    return f"{undeclared}int MPI_{name}({declared}) {{\n{body(f, say, 'PMPI_' + name)}}}\n\n"


def fortran_wrapper(f: Function, name: str, target: str) -> str:
    say = Language(fortran=True, in_place="descriptor_in_place" if name.endswith("ts_") else "fortran_in_place")
    strings = [f"std::size_t length_of_{p.name}" for p in f.parameters if p.kind in STRINGS]
    declared = ", ".join([*(say.declaration(p) for p in f.parameters), "MPI_Fint* ierror", *strings])
    return f"void {target}({declared}) __attribute__((weak));\nvoid {name}({declared}) {{\n{body(f, say, target)}}}\n\n"


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
        for f in functions if not f.only_counts
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
