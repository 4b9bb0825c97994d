"""What the checks of deploy/ share: its files, commands, and programs that run meanwhile."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from registry_of_demo import free_port  # noqa: E402, for the other checks too

WORKSPACE = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DEPLOY = os.path.join(WORKSPACE, "deploy")
SECONDS_TO_START = 60
# A name server that does not answer: the seeds of a test are looked up nowhere.
OFFLINE = {"AGENTDEX_NAMESERVER": "127.0.0.1:9", "AGENTDEX_NO_SEMANTIC": "true"}
# Where the public part of the key is that signs requests.
KEY_DIRECTORY = "/.well-known/http-message-signatures-directory"


def read(*path):
    """Gives the text of a file of deploy/."""
    with open(os.path.join(DEPLOY, *path), encoding="utf8") as file:
        return file.read()


def write(path, text):
    """Writes a text file, with the folders above it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf8") as file:
        file.write(text)


def replaced(text, pattern, by):
    """Gives a text in which a pattern, which has to be there, is replaced everywhere."""
    text, times = re.subn(pattern, by, text)
    assert times > 0, f"{pattern} is not in:\n{text}"
    return text


def copy_tracked(target, is_wanted):
    """Copies the files of the repository, tracked or new, of which the path is wanted."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=WORKSPACE)
    for path in filter(is_wanted, listed.splitlines()):
        place = os.path.join(target, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copy(os.path.join(WORKSPACE, path), place)


def run(*command, **options):
    """Runs a command that has to succeed, and gives its output."""
    ran = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert ran.returncode == 0, f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stdout}"
    return ran.stdout


@contextlib.contextmanager
def running(command, log, **options):
    """Runs a program that SIGTERM has to end with 0; its output is in a file."""
    with open(log, "w+", encoding="utf8") as output:
        program = subprocess.Popen(command, stdout=output, stderr=output, **options)
        try:
            yield program
            program.terminate()
            code = program.wait()
            output.seek(0)
            assert code == 0, f"{command} ended with {code}:\n{output.read()[-4000:]}"
        except BaseException:
            output.seek(0)
            print(output.read()[-4000:], file=sys.stderr)
            raise
        finally:
            program.kill()
            program.wait()


@contextlib.contextmanager
def registry(programs, folder, *arguments):
    """Runs a new registry that visits nothing, because its only seed is blocked, and gives its port and that of
    its metrics."""
    seeds, blocked = os.path.join(folder, "seeds.txt"), os.path.join(folder, "blocked.txt")
    for path in [seeds, blocked]:
        write(path, "shop.example\n")
    port, admin = free_port(), free_port()
    command = [os.path.join(programs, "agentdex"), "--seeds", seeds, "--blocklist", blocked,
               "--listen", f"127.0.0.1:{port}", "--admin-listen", f"127.0.0.1:{admin}", *arguments]
    with running(command, os.path.join(folder, "log"), cwd=folder, env=os.environ | OFFLINE) as program:
        wait_for(f"http://127.0.0.1:{admin}/readyz", program)
        yield port, admin


def sign_key(folder):
    """Makes a key that signs requests, as the guide says, and gives its place."""
    place = os.path.join(folder, "sign.pem")
    run("openssl", "genpkey", "-algorithm", "ed25519", "-out", place)
    return place


def get(url):
    """Gives the answer at an address as text."""
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


def wait_for(url, program):
    """Waits until an address of a program answers 200, and gives the answer."""
    def answer():
        with contextlib.suppress(OSError, urllib.error.HTTPError):
            return get(url)
        return None
    return wait_until(answer, program, f"{url} does not answer")


def wait_until(check, program, message="it did not become ready"):
    """Waits for a result of a check that is not empty, while a program runs, and gives it."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end and program.poll() is None:
        result = check()
        if result:
            return result
        time.sleep(0.1)
    raise AssertionError(message)


def known_variables(programs):
    """Gives the names of the variables that any of our programs reads."""
    helps = [run(os.path.join(programs, it), "--help") for it in ["agentdex", "crawler", "indexer", "web"]]
    return set(re.findall(r"\[env: (\w+)", "".join(helps)))


def settings(text):
    """Gives the variables of a file of `NAME=VALUE` lines."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)
