"""Spack package of RE2's Python bindings, which Spack's own repository lacks."""

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyGoogleRe2(PythonPackage):
    """Python bindings of RE2, a regular expression library with linear run time."""

    homepage = "https://github.com/google/re2"
    pypi = "google-re2/google_re2-1.1.20240702.tar.gz"

    license("BSD-3-Clause")

    version(
        "1.1.20240702", sha256="8788db69f6c93cb229df62c74b2d9aa8e64bf754e9495700f85812afa32efd2b"
    )

    depends_on("cxx", type="build")

    depends_on("python@3.8:", type=("build", "run"))
    depends_on("py-setuptools", type="build")
    depends_on("py-pybind11", type="build")
    depends_on("re2@2024-07-02+shared")
    depends_on("abseil-cpp")

    import_modules = ["re2"]
