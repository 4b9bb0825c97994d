"""A PostgreSQL server that asks for a password, over TLS if a client wants."""

import contextlib
import os
import shutil
import stat
import subprocess
import tempfile

from support import free_port, run, running, wait_until, write

# The server refuses to run as root.
USER = {"user": "postgres"} if os.getuid() == 0 else {}


@contextlib.contextmanager
def server(role, password, database, health):
    """Runs a new server until it is healthy, and gives its port and its certificate."""
    with tempfile.TemporaryDirectory() as folder:
        data, key, certificate = (os.path.join(folder, it) for it in ["data", "key.pem", "certificate.pem"])
        write(os.path.join(folder, "password"), f"{password}\n")
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=db.example", "-addext", "subjectAltName=IP:127.0.0.1", "-addext",
            "basicConstraints=critical,CA:FALSE", "-keyout", key, "-out", certificate)
        os.chmod(key, stat.S_IRUSR)
        for path in [folder, key] if USER else []:
            shutil.chown(path, USER["user"])
        run("initdb", f"--pgdata={data}", f"--username={role}", f"--pwfile={folder}/password",
            "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", cwd="/", **USER)
        port = str(free_port())
        options = {"listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": folder, "ssl": "on",
                   "ssl_key_file": key, "ssl_cert_file": certificate, "fsync": "off"}
        command = ["postgres", "-D", data, *(f"--{name}={value}" for name, value in options.items())]
        client = {"env": os.environ | {"PGPORT": port, "PGPASSWORD": password}}
        with running(command, os.path.join(folder, "log"), cwd="/", **USER) as program:
            wait_until(lambda: subprocess.run(health, stdout=subprocess.DEVNULL, **client).returncode == 0, program)
            run("createdb", "--host=127.0.0.1", f"--username={role}", database, **client)
            yield port, certificate
