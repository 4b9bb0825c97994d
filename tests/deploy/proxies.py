"""The real nginx and Caddy with our configurations and certificates of their own, before a real registry.

Every client has its own address in 127.0.0.0/8, so that the registry can tell it from the proxy.
"""

import contextlib
import itertools
import json
import os
import re
import subprocess
import zlib

from support import DEPLOY, free_port, read, registry, replaced, run, running, write

NAME = "agentdex.example"
# Requests a minute: a fifth at once, and one more each half second.
RATE = 120
SECONDS_TO_ANSWER = 60
# Bodies that are refused, since an answer may be lost on some of them only.
TIMES = 10
OURS = ["content-security-policy", "x-content-type-options", "referrer-policy", "strict-transport-security"]
# What is searched, and how the addresses of clients begin.
QUERY, CLIENTS = "zeppelin", "127.0.1."
addresses = (f"{CLIENTS}{it}" for it in itertools.count(1))


def check(programs, _tools, folder):
    arguments = ["--public-url", f"https://{NAME}", "--trusted-proxy", "127.0.0.1,::1", "--rate-limit", str(RATE)]
    with contextlib.ExitStack() as proxies:
        with registry(programs, folder, *arguments) as (port, _):
            # Caddy resets the stream of a long body after the answer, which curl takes for a fault.
            sites = [Site(folder, *proxies.enter_context(proxy(folder, port)), larger)
                     for proxy, larger in [(nginx, [3_000_000, 20_000_000]), (caddy, [])]]
            for site in sites:
                visit(site)
            for proxy in [nginx, caddy]:
                one_of_two_is_away(proxy, folder, port)
        for site in sites:
            fail(site)
    logs_name_nobody(folder)
    print("nginx and Caddy: addresses, streams, bodies, compression, headers, HTTP/2 and logs are right, and a node "
          "that is away is passed over")


@contextlib.contextmanager
def nginx(folder, upstream, further=None):
    """Runs nginx with our site in a configuration like Debian's, and gives its ports."""
    http, https = free_port(), free_port()
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
        "-subj", f"/CN={NAME}", "-keyout", f"{folder}/privkey.pem", "-out", f"{folder}/fullchain.pem")
    site = replaced(read("nginx", "agentdex.conf"), r"listen 80;", f"listen 127.0.0.1:{http};")
    site = replaced(site, r"listen 443 ", f"listen 127.0.0.1:{https} ")
    site = replaced(site, r"listen \[::\]:.*\n", "\n")
    site = replaced(site, f"/etc/letsencrypt/live/{NAME}", folder)
    site = replaced(site, r"127\.0\.0\.1:8080", f"127.0.0.1:{upstream}")
    if further:
        site = replaced(site, r"#server 192\.0\.2\.11:8080", f"server 127.0.0.1:{further}")
    write(os.path.join(folder, "site.conf"), site)
    # Workers of a master without rights are that user; those of root need one that may read the folder.
    user = "user root;" if os.getuid() == 0 else ""
    spools = " ".join(f"{it}_temp_path {folder}/{it};" for it in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    main = os.path.join(folder, "nginx.conf")
    write(main, f"""{user} pid {folder}/nginx.pid; daemon off; error_log "{folder}/errors of nginx"; events {{}}
http {{
    include /etc/nginx/mime.types; gzip on; access_log "{folder}/access of nginx"; {spools}
    include {folder}/site.conf;
}}
""")
    command = ["nginx", "-e", "stderr", "-c", main]
    run(*command, "-t")
    with running(command, os.path.join(folder, "log of nginx")) as program:
        wait_until_open(https, program)
        yield http, https


@contextlib.contextmanager
def caddy(folder, upstream, further=None):
    """Runs Caddy with our site and its own authority, and gives its ports."""
    http, https = free_port(), free_port()
    upstreams = " ".join(f"127.0.0.1:{it}" for it in [further, upstream] if it)
    environment = os.environ | {"XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "AGENTDEX_DOMAIN": NAME,
                                "AGENTDEX_UPSTREAM": upstreams}
    ours = os.path.join(DEPLOY, "caddy/Caddyfile")
    run("caddy", "validate", "--adapter", "caddyfile", "--config", ours)
    assert run("caddy", "fmt", ours) == read("caddy", "Caddyfile"), "caddy fmt would change deploy/caddy/Caddyfile"
    main = os.path.join(folder, "Caddyfile")
    # Global options are one block, the first.
    write(main, replaced(read("caddy", "Caddyfile"), r"(?m)^\{$", f"""{{
    admin off
    local_certs
    skip_install_trust
    default_bind 127.0.0.1
    http_port {http}
    https_port {https}"""))
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", main]
    with running(command, os.path.join(folder, "log of caddy"), env=environment) as program:
        wait_until_open(https, program)
        yield http, https


def wait_until_open(port, program):
    """Waits until a proxy speaks TLS at a port, which needs no registry."""
    curl = ["curl", "--silent", "--insecure", "--retry", "50", "--retry-delay", "0", "--retry-all-errors",
            "--retry-max-time", str(SECONDS_TO_ANSWER), "--resolve", f"{NAME}:{port}:127.0.0.1",
            "--output", os.devnull, f"https://{NAME}:{port}/healthz"]
    assert subprocess.run(curl).returncode == 0 and program.poll() is None, "the proxy does not answer"


class Answer:
    """An answer as a client received it."""

    def __init__(self, head, body):
        self.version, status, *_ = head.splitlines()[0].split()
        self.status = int(status)
        self.headers = [line.lower().split(": ", 1) for line in head.splitlines()[1:] if ": " in line]
        self.body = body

    def all(self, name):
        return [value for header, value in self.headers if header == name]

    def remaining(self):
        return int(self.all("x-ratelimit-remaining")[0])


class Site:
    """The registry as its visitors see it, with lengths of bodies that its proxy might refuse by itself."""

    def __init__(self, folder, http, https, larger):
        self.folder, self.http, self.https, self.larger = folder, http, https, larger

    def curl(self, address, path, *arguments, secure=True):
        """Gives the command of a client at an address."""
        port = self.https if secure else self.http
        url = f"{'https' if secure else 'http'}://{NAME}:{port}{path}"
        return ["curl", "--silent", "--show-error", "--insecure", "--http2", "--max-time", str(SECONDS_TO_ANSWER),
                "--interface", address, "--resolve", f"{NAME}:{port}:127.0.0.1", *arguments, url]

    def get(self, address, path, *arguments, **options):
        head, body = os.path.join(self.folder, "head"), os.path.join(self.folder, "body")
        run(*self.curl(address, path, "--dump-header", head, "--output", body, *arguments, **options))
        with open(head, encoding="latin1") as text, open(body, "rb") as raw:
            # Of several heads, such as 100 (Continue), the last is the answer's.
            return Answer(text.read().strip().split("\n\n")[-1], raw.read())

    def post(self, body, *arguments):
        """Sends a manifest from an address of its own: a POST takes most of a client's requests."""
        path = os.path.join(self.folder, "manifest")
        write(path, body)
        return self.get(next(addresses), "/api/v1/validate", "--data-binary", f"@{path}",
                        "--header", "Content-Type: application/json", *arguments)


def visit(site):
    secured_once(site)
    compressed_once(site)
    visitors_are_told_apart(site)
    bodies_pass(site)
    streams_begin(site)


def secured_once(site):
    page = site.get(next(addresses), "/")
    assert page.status == 200 and page.version == "HTTP/2", page.version
    for header in OURS:
        assert len(page.all(header)) == 1, (header, page.all(header))
    plain = site.get(next(addresses), f"/search?q={QUERY}", secure=False)
    assert plain.status in [301, 308], plain.status
    assert re.fullmatch(rf"https://{NAME}(:\d+)?/search\?q={QUERY}", plain.all("location")[0]), plain.headers
    # The address for the operator is another one.
    assert site.get(next(addresses), "/metrics").status == 404


def compressed_once(site):
    address = next(addresses)
    for coding in ["gzip", "br", "zstd"]:
        page = site.get(address, "/docs/operating", "--header", f"Accept-Encoding: {coding}")
        assert page.all("content-encoding") == [coding], page.headers
        if coding == "gzip":
            assert b"<!DOCTYPE html>" in zlib.decompress(page.body, 31)
    assert not site.get(address, "/docs/operating").all("content-encoding")


def visitors_are_told_apart(site):
    """Takes requests from one client, and looks what others have left; nobody gets more by a header."""
    address, times = next(addresses), 12
    for number in range(times):
        busy = site.get(address, "/owners", "--header", f"X-Forwarded-For: 192.0.2.{number}")
    other = site.get(next(addresses), "/owners", "--header", f"X-Forwarded-For: {address}")
    assert other.remaining() == RATE // 5 - 1, f"another client has {other.remaining()} requests left"
    assert busy.remaining() < other.remaining() - times // 3, f"a busy client has {busy.remaining()} left"


def bodies_pass(site):
    card = '{"protocolVersion": "0.3.0", "name": "Shop", "description": "%s"}'
    for arguments in [[], ["--header", "Transfer-Encoding: chunked", "--http1.1"]]:
        passed = site.post(card % ("a" * 900_000), *arguments)
        assert passed.status == 200 and json.loads(passed.body), (passed.status, passed.body[:400])
    # Above its limit the registry answers, while the proxy still sends the body: if the connection were reset
    # then, the proxy would answer 502 now and then.
    for length in [1_500_000] * TIMES + site.larger:
        refused = site.post(card % ("a" * length))
        assert refused.status == 413, refused.status
        assert refused.all("content-type") == ["application/problem+json"], refused.headers
        assert json.loads(refused.body)["errorCode"] == "too_large", refused.body


def streams_begin(site):
    """Reads the first line of an event stream that says no more: a buffer would keep it."""
    command = site.curl(next(addresses), "/api/v1/changes/stream?since=0", "--no-buffer")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as stream:
        # Ends at the latest when curl gives up.
        line = stream.stdout.readline()
        stream.kill()
    assert line == ": changes\n", line


def one_of_two_is_away(proxy, folder, port):
    """Reads pages while a second web node does not run, which no visitor notices."""
    folder = os.path.join(folder, f"{proxy.__name__}-with-one-away")
    os.mkdir(folder)
    with proxy(folder, port, free_port()) as (http, https):
        site = Site(folder, http, https, [])
        answers = {site.get(next(addresses), "/owners").status for _ in range(TIMES)}
    assert answers == {200}, answers


def fail(site):
    """Makes a request for a registry that has ended."""
    assert site.get(next(addresses), f"/search?q={QUERY}").status == 502


def logs_name_nobody(folder):
    """Looks for visitors and what they searched in all logs, also after redirects, refused bodies and failures."""
    logs = [name for name in os.listdir(folder) if name.endswith((" of nginx", " of caddy"))]
    assert len(logs) == 4, logs
    for name in logs:
        with open(os.path.join(folder, name), encoding="utf8") as file:
            text = file.read()
        assert CLIENTS not in text and QUERY not in text, f"{name} names visitors:\n{text[-4000:]}"
        # A log that has nothing at all would prove nothing.
        assert name != "log of caddy" or '"status":502' in text, text
