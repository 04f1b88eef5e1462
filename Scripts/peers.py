"""How many signed texts a second Apple's Python library verifies, with its cache of chains warm.

Usage: peers.py FOLDER, the folder that `iap bench --inputs FOLDER` wrote, with `iap bench`'s own
figures in ours.json. Prints lines like those of `iap bench`: the median of five rounds, how far the
quartiles lie apart, and how many times as fast ours are, of which 10 are wanted.
"""

import json
import pathlib
import statistics
import sys
import time

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

ROUNDS = 5
SECONDS_A_ROUND = 0.4


def rate(verify, text):
    verify(text)  # Fills the library's cache, and shows that the text is accepted.
    rates = []
    for _ in range(ROUNDS):
        count = 0
        start = time.perf_counter()
        while time.perf_counter() - start < SECONDS_A_ROUND:
            verify(text)
            count += 1
        rates.append(count / (time.perf_counter() - start))
    rates.sort()
    median = statistics.median(rates)
    return median, (rates[3] - rates[1]) / median


def main():
    folder = pathlib.Path(sys.argv[1])
    verifier = SignedDataVerifier(
        [(folder / "root.der").read_bytes()],
        False,  # No questions about revoked certificates: nobody answers for a simulated root.
        Environment.PRODUCTION,
        "com.example.app",
        1234567890,
    )
    inputs = [
        ("transaction", verifier.verify_and_decode_signed_transaction, "transaction.jws", "transaction"),
        (
            "notification, outer signature",
            verifier.verify_and_decode_notification,
            "notification.jws",
            "notificationOuter",
        ),
    ]
    figures = json.loads((folder / "ours.json").read_text())["benchmarks"]
    ours = {figure["name"]: figure["median"] for figure in figures}
    for what, verify, name, own in inputs:
        median, spread = rate(verify, (folder / name).read_text())
        times = f"{ours[own] / median:.0f} x"
        print(
            f"{median:10.0f}/s{100 * spread:6.0f} %{times:>10}{'>= 10 x':>9}{'':10}"
            f"  Apple's Python library: {what} (ours in times of it)"
        )


if __name__ == "__main__":
    main()
