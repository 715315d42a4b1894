"""Compares transfers through `CurlTransport` with a bare libcurl client, `curl --parallel` and Foundation's URLSession: wall time, CPU time and peak memory, against nginx on loopback.

Benchmarks/compare fetch [--rounds N] [--count N] [--connections N] [--programs FOLDER]
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import harness
from report import OURS, Report

FOLDER = Path(__file__).parent
WORK = FOLDER / "work/fetch"
BARE, CURL, SESSION = "bare libcurl", "curl --parallel", "URLSession"
PLAIN, TLS = "HTTP/1.1", "HTTP/2 over TLS"
BODY_BYTES = 40_000
#: How many fetches the program's task group awaits at a time.
TASKS = 64
#: URLSession takes many times as long; it is compared with fewer transfers, so that a round stays short.
FEW = 5_000
START_TRIES = 100

CONFIGURATION = """
worker_processes 1; daemon off; pid {work}/nginx.pid; error_log {work}/nginx.errors;
events {{ worker_connections 1024; }}
http {{
    access_log off; sendfile on; keepalive_requests 1000000; default_type application/octet-stream;
    client_body_temp_path {work}/t1; proxy_temp_path {work}/t2; fastcgi_temp_path {work}/t3;
    uwsgi_temp_path {work}/t4; scgi_temp_path {work}/t5;
    ssl_certificate {work}/certificate.pem; ssl_certificate_key {work}/key.pem;
    server {{ listen 127.0.0.1:{port}; listen 127.0.0.1:{tls_port} ssl http2; root {work}/files; }}
}}
"""


def free_port():
    """A port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_nginx():
    """(process, port, port for TLS) of an nginx with one worker that serves one file."""
    (WORK / "files").mkdir(parents=True, exist_ok=True)
    (WORK / "files/body").write_bytes(os.urandom(BODY_BYTES))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", WORK / "key.pem",
                    "-out", WORK / "certificate.pem"], check=True, stderr=subprocess.DEVNULL)  # fmt: skip
    port, tls_port = free_port(), free_port()
    (WORK / "nginx.conf").write_text(CONFIGURATION.format(work=WORK, port=port, tls_port=tls_port))
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    process = subprocess.Popen([nginx, "-c", WORK / "nginx.conf", "-p", WORK])
    for _ in range(START_TRIES):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process, port, tls_port
        time.sleep(0.05)
    process.kill()
    raise SystemExit("compare: nginx does not answer")


def build():
    """The folder of the programs that fetch, built if they have not been."""
    package = FOLDER / "fetch"
    subprocess.run(["swift", "build", "-c", "release", "--package-path", package], check=True, stdout=sys.stderr)
    return package / ".build/release"


def compare(report, options, count, protocol, commands):
    """Time and memory of so many transfers by each of the commands."""
    samples = harness.alternate(commands, options.rounds)
    memory = {name: [harness.peak_memory(command) for _ in range(3)] for name, command in commands.items()}
    job = f"{count:,} transfers of {BODY_BYTES // 1000} KB, {protocol}, {options.connections} at once"
    report.add(f"{job}: wall time", {name: sample.wall for name, sample in samples.items()}, "ms")
    report.add(f"{job}: CPU time", {name: sample.cpu for name, sample in samples.items()}, "ms")
    report.add(f"{job}: peak memory (VmHWM)", memory, "MiB")


def main():
    """Measures in alternating rounds, prints a table, and writes results/fetch.json."""
    parser = argparse.ArgumentParser(description="Compares CurlTransport with bare libcurl, curl --parallel and URLSession.")
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default 9)")
    parser.add_argument("--count", type=int, default=20_000, help="transfers (default 20,000)")
    parser.add_argument("--connections", type=int, default=16, help="transfers at once (default 16)")
    parser.add_argument("--programs", type=Path, help="where the built programs are, if they are not to be built")
    parser.add_argument("--spyglass", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    programs = options.programs.resolve() if options.programs else build()
    nginx, port, tls_port = start_nginx()
    print(f"## CurlTransport against bare libcurl, curl and URLSession\n\n{json.dumps(harness.machine())}", flush=True)
    report = Report("fetch")
    try:

        def program(name, count, base):
            addresses = WORK / "addresses" / f"{name}-{count}-{base.partition(':')[0]}"
            addresses.parent.mkdir(exist_ok=True)
            addresses.write_text("".join(f"{base}?{number}\n" for number in range(1, count + 1)))
            return ["env", f"CURL_CA_BUNDLE={authority}", str(programs / name), str(addresses), str(options.connections), str(TASKS)]

        def all_three(base):
            curl = ["curl", "--silent", "--parallel", "--parallel-max", str(options.connections), "--cacert", authority,
                    "--output", "/dev/null", f"{base}?[1-{options.count}]"]  # fmt: skip
            return {OURS: program("fetch-all", options.count, base), BARE: program("bare-all", options.count, base), CURL: curl}

        authority = str(WORK / "certificate.pem")
        plain, few = f"http://127.0.0.1:{port}/body", min(FEW, options.count)
        compare(report, options, options.count, PLAIN, all_three(plain))
        compare(report, options, options.count, TLS, all_three(f"https://127.0.0.1:{tls_port}/body"))
        compare(report, options, few, PLAIN, {OURS: program("fetch-all", few, plain), SESSION: program("session-all", few, plain)})
    finally:
        nginx.terminate()
        nginx.wait()
    report.save()


if __name__ == "__main__":
    main()
