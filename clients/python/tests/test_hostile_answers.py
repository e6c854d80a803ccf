"""The Python client and what a hostile server, or a broken proxy, may send: each is a PostalPlacesError, in time and size.

POSTAL_PLACES_HOSTILE names the servers and the rows of the table, as test/clients of the project makes them: the path of
an address names the row. SSL_CERT_FILE is the certificate of the server with TLS.
"""

from __future__ import annotations

import json
import os
import socket
import time
import unittest
from typing import Any, Dict, List, Tuple
from unittest.mock import patch
from urllib.parse import quote

from postal_places import CLIENT_ERROR_CODES, ERROR_CODES, PostalPlaces, PostalPlacesError

HOSTILE = json.loads(os.environ["POSTAL_PLACES_HOSTILE"])
ORIGIN: str = HOSTILE["origin"]
TLS_ORIGIN: str = HOSTILE["tlsOrigin"]

#: A timeout that is over soon, seconds.
SHORT = 0.3


class HostileAnswers(unittest.TestCase):
    def assert_error(self, code: str, origin: str, row: str, timeout: float = 30.0) -> None:
        with self.assertRaises(PostalPlacesError) as caught:
            PostalPlaces(f"{origin}/{quote(row)}", "k", timeout=timeout).list_countries()
        self.assertEqual(caught.exception.code, code)

    def test_each_answer_is_the_error_of_the_table(self) -> None:
        self.assertGreater(len(HOSTILE["rows"]), 20)
        for row in HOSTILE["rows"]:
            with self.subTest(row["name"]):
                limits = {name: row[name] for name in ("timeout", "max_retries") if name in row}
                client = PostalPlaces(f"{ORIGIN}/{quote(row['name'])}", "k", **limits)
                with self.assertRaises(PostalPlacesError) as caught:
                    if row["question"] == "pages":
                        next(client.iterate_places("LI"))
                    else:
                        client.list_countries()
                error = caught.exception
                self.assertIn(error.code, ERROR_CODES + CLIENT_ERROR_CODES)
                outcome = {
                    "code": error.code,
                    "status": error.status,
                    "retryAfterSeconds": error.retry_after_seconds,
                }
                self.assertEqual(outcome, row["outcome"])

    def test_a_good_answer_is_data(self) -> None:
        for origin in (ORIGIN, TLS_ORIGIN):
            with self.subTest(origin):
                self.assertEqual(PostalPlaces(f"{origin}/good", "k").list_countries(), ["good"])

    def test_the_limits_hold_over_tls(self) -> None:
        self.assert_error("TIMEOUT", TLS_ORIGIN, "a trickle of a body", SHORT)
        self.assert_error("TIMEOUT", TLS_ORIGIN, "a trickle of headers", SHORT)
        self.assert_error("ANSWER_TOO_LARGE", TLS_ORIGIN, "a body without end")

    def test_a_handshake_that_gets_no_reply_times_out(self) -> None:
        self.assert_error("TIMEOUT", ORIGIN.replace("http:", "https:"), "good", SHORT)

    def test_a_certificate_that_nobody_trusts_is_refused(self) -> None:
        with patch.dict(os.environ):
            del os.environ["SSL_CERT_FILE"]
            self.assert_error("CONNECTION_FAILED", TLS_ORIGIN, "good")

    def test_a_closed_port_is_no_connection(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.assert_error("CONNECTION_FAILED", f"http://127.0.0.1:{port}", "good")

    def test_a_proxy_is_asked_and_has_no_more_time_than_the_server(self) -> None:
        with patch.dict(os.environ, {"http_proxy": ORIGIN, "https_proxy": ORIGIN}):
            self.assertEqual(PostalPlaces("http://places.test/good", "k").list_countries(), ["good"])
            self.assert_error("TIMEOUT", "https://places.test", "good", SHORT)

    def test_all_addresses_of_a_host_share_the_time(self) -> None:
        addresses = 40
        with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
            # With its queue full, it leaves more connections without a reply.
            waiting = [socket.socket() for _ in range(4)]
            try:
                for connection in waiting:
                    connection.setblocking(False)
                    connection.connect_ex(server.getsockname())
                found: List[Tuple[Any, ...]] = [
                    (socket.AF_INET, socket.SOCK_STREAM, 6, "", server.getsockname())
                ] * addresses
                with patch("socket.getaddrinfo", lambda *_, **__: found):
                    start = time.monotonic()
                    self.assert_error("TIMEOUT", "http://many.test", "good", SHORT)
            finally:
                for connection in waiting:
                    connection.close()
        # A wait of SHORT for each would take twelve seconds.
        self.assertLess(time.monotonic() - start, addresses * SHORT / 2)


if __name__ == "__main__":
    unittest.main()
