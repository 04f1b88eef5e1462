"""Sends thousands of webhooks to a receiver that fails, hangs, breaks off and answers too late.

The receiver is the public library of Standard Webhooks. The server is killed twice while it sends.
Prints one line a check and figures; the exit status is 1 when a check failed.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

BUNDLE = "com.example.demo"
PRODUCT = "com.example.demo.coins"
TIMEOUT_SECONDS = 1

failures = 0


def check(name, holds, detail=""):
    global failures
    if not holds:
        failures += 1
    print(f"{'ok  ' if holds else 'FAIL'} webhooks: {name}{' - ' + str(detail) if detail else ''}")


def ask(url, body=None, method=None, timeout=60):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method)
    if data is not None:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=timeout) as response:
        return json.loads(response.read())


class Receiver:
    """Keeps what came; how it behaves follows from the event's name and how often it came."""

    def __init__(self):
        self.lock = threading.Lock()
        self.secrets = []
        self.arrivals = []
        self.times = {}
        self.refused = 0
        self.behaviours = {}

    def take(self, headers, body):
        name = headers.get("webhook-id", "")
        genuine = False
        for secret in self.secrets:
            try:
                Webhook(secret).verify(body, dict(headers))
                genuine = True
                break
            except WebhookVerificationError:
                continue
        if not genuine:
            with self.lock:
                self.refused += 1
            return "refuse"
        event = json.loads(body)
        with self.lock:
            count = self.times.get(name, 0)
            self.times[name] = count + 1
            behaviour = self.behaviour(name, count)
            self.behaviours[behaviour] = self.behaviours.get(behaviour, 0) + 1
            # What is refused outright was not taken; everything else was, whatever is answered.
            if behaviour != "fail":
                self.arrivals.append((event["customer"], event["sequence"], name))
        return behaviour

    @staticmethod
    def behaviour(name, count):
        dice = hashlib.sha256(f"{name}:{count}".encode()).digest()[0]
        if count > 3 or dice >= 52:
            return "take"
        if dice < 26:
            return "fail"
        if dice < 39:
            return "take and fail"
        if dice < 46:
            return "take and hang"
        return "take and break off"


def serve(receiver):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            behaviour = receiver.take(headers, body)
            if behaviour == "take and break off":
                self.close_connection = True
                self.connection.close()
                return
            if behaviour == "take and hang":
                time.sleep(TIMEOUT_SECONDS + 0.5)
            status = {"take": 200, "refuse": 401}.get(behaviour, 500)
            try:
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()
            except OSError:
                self.close_connection = True

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 256
        daemon_threads = True

        def handle_error(self, *_):
            pass

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/in"


class EntitlementServer:
    """A server process that can be killed and started again on its database."""

    def __init__(self, iap, work, root):
        self.words = [
            iap, "serve", "--listen", "127.0.0.1:0", "--database", f"{work}/webhooks.sqlite",
            "--simulated", "--root", root, "--insecure-no-keys", "--app",
            f"{BUNDLE}=1234567890", "--environment", "Sandbox", "--config",
            f"{work}/webhooks.json",
        ]
        with open(f"{work}/webhooks.json", "w", encoding="utf-8") as file:
            json.dump(
                {
                    "webhooks": {
                        "retrySeconds": [1], "attemptsMax": 100,
                        "timeoutSeconds": TIMEOUT_SECONDS,
                    },
                    "limits": {"connectionsPerAddressMax": 1000},
                },
                file,
            )
        self.errors = open(f"{work}/webhooks.err", "ab")
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=self.errors)
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening "):
            raise SystemExit("iap serve did not start")
        self.url = line.split()[1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)


def fill(store, server, count, customers):
    """Has customers order and buy, and the store announce it; one event each."""
    numbers = iter(range(count))
    lock = threading.Lock()
    problems = []

    def work(device):
        while True:
            with lock:
                number = next(numbers, None)
            if number is None or problems:
                return
            try:
                order = ask(
                    f"{server.url}/v1/orders?environment=Sandbox",
                    {"productId": PRODUCT, "account": f"customer-{number % customers}"},
                )
                ask(
                    f"{store}/control/purchases",
                    {
                        "device": device, "productId": PRODUCT,
                        "appAccountToken": order["orderNumber"],
                    },
                )
            except (urllib.error.URLError, OSError) as error:
                problems.append(error)
                return

    devices = [f"webhooks-{index}" for index in range(4)]
    for device in devices:
        ask(f"{store}/control/accounts", {"account": device})
        ask(f"{store}/control/devices", {"device": device, "account": device})
    threads = [threading.Thread(target=work, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise SystemExit(f"the events could not be made: {problems[0]}")
    ask(f"{store}/control/notifications/drain", {}, timeout=1800)


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def main():
    iap, store, root, work, count = sys.argv[1:6]
    count = int(count)
    customers = max(1, min(200, count // 10))
    receiver = Receiver()
    url = serve(receiver)
    server = EntitlementServer(iap, work, root)
    ask(
        f"{store}/control/notifications/url",
        {"url": f"{server.url}/v1/notifications/apple", "version": 2},
        "PUT",
    )
    endpoint = ask(f"{server.url}/v1/webhooks", {"url": url, "types": ["purchase.granted"]})
    receiver.secrets.append(endpoint["secret"])
    path = f"/v1/webhooks/{endpoint['id']}"
    ask(server.url + path, {"enabled": False}, "PATCH")
    fill(store, server, count, customers)
    events = ask(f"{server.url}/v1/events?limit=1")
    check("the events are in the feed", len(events["events"]) == 1)
    secret = ask(f"{server.url}{path}/secret", {"overlapSeconds": 3600})["secret"]
    # The receiver still knows the old secret only: both sign.
    check("a new secret was made", secret not in receiver.secrets)
    ask(server.url + path, {"enabled": True}, "PATCH")
    begin = time.monotonic()
    unique = lambda: len({name for _, _, name in receiver.arrivals})
    kills = 0
    for part in (3, 1.5):
        if wait_for(lambda: unique() >= count / part, 900):
            server.kill()
            kills += 1
            server.start()
    done = wait_for(lambda: unique() >= count, 1800)
    settled = wait_for(lambda: ask(server.url + path)["pending"] == 0, 600)
    seconds = time.monotonic() - begin
    final = ask(server.url + path)
    server.stop()
    check(f"each of {count} events arrived", done and unique() == count, unique())
    check("everything is settled", settled, final["pending"])
    check("every signature was genuine by the old secret too", receiver.refused == 0, receiver.refused)
    check("the server was killed twice", kills == 2, kills)
    check("nothing is a dead letter", final["deadLetters"] == 0, final["deadLetters"])
    disordered = 0
    seen = {}
    for customer, sequence, _ in receiver.arrivals:
        last = seen.get(customer, 0)
        # What came before may come again; what is new has to be the next one.
        if sequence > last + 1:
            disordered += 1
        seen[customer] = max(last, sequence)
    check("each customer's events came in order", disordered == 0, disordered)
    attempts = sum(receiver.times.values())
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(receiver.behaviours.items()))
    print(
        f"webhooks: {count} events of {customers} customers in {attempts} attempts"
        f" ({attempts - count} more than once; {kinds}), {seconds:.1f} s with two kills"
    )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
