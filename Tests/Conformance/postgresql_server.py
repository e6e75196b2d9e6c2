"""A PostgreSQL of one's own, in a folder, reached by a socket in it: `postgresql_server.py stop FOLDER` ends it."""
import glob
import os
import pwd
import shutil
import subprocess
import sys


def _program(name):
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else shutil.which(name) or name


def _run(arguments, **options):
    # PostgreSQL refuses to run as root.
    prefix = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    subprocess.run(prefix + arguments, check=True, stdout=subprocess.DEVNULL, cwd="/", **options)


def user():
    return "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name


def start(work):
    """Starts a server whose language orders texts otherwise than their bytes do: the script has to say how."""
    folder = f"{work}/postgresql"
    os.mkdir(folder)
    os.chmod(work, 0o755)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    language = ["--locale-provider=icu", "--icu-locale=en", "--locale=C.UTF-8", "--encoding=UTF8"]
    _run([_program("initdb"), "-D", f"{folder}/data", "-A", "trust", "-N", *language])
    settings = f"-k {folder} -c listen_addresses= -c fsync=off -c work_mem=64MB -c jit=off -c max_wal_size=4GB"
    _run([_program("pg_ctl"), "-D", f"{folder}/data", "-o", settings, "-l", f"{folder}/log", "-w", "start"])
    return folder


def stop(work):
    folder = f"{work}/postgresql"
    if os.path.exists(f"{folder}/data/postmaster.pid"):
        _run([_program("pg_ctl"), "-D", f"{folder}/data", "-m", "immediate", "stop"])


if __name__ == "__main__" and sys.argv[1:2] == ["stop"]:
    stop(sys.argv[2])
