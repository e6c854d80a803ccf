"""The Python client on a real server: every operation, pages, errors, retries.

POSTAL_PLACES_URL, _KEY, _HASTY_KEY and _SPENT_KEY name the server over the starter dataset and its keys; test/clients of
the project starts it. POSTAL_PLACES_DESCRIPTION is the OpenAPI document.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

import postal_places
from postal_places import CLIENT_ERROR_CODES, ERROR_CODES, PostalPlaces, PostalPlacesError

URL = os.environ["POSTAL_PLACES_URL"]
KEY = os.environ["POSTAL_PLACES_KEY"]
HASTY_KEY = os.environ["POSTAL_PLACES_HASTY_KEY"]
SPENT_KEY = os.environ["POSTAL_PLACES_SPENT_KEY"]
DESCRIPTION = json.loads(Path(os.environ["POSTAL_PLACES_DESCRIPTION"]).read_text(encoding="utf-8"))

Answer = Tuple[int, Dict[str, str], bytes]


def snake(name: str) -> str:
    return "from_" if name == "from" else re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name)


def refusal(status: int, code: str, retry_after: Optional[str] = None) -> Answer:
    body = {"statusCode": status, "error": {"message": "no", "code": code}, "metadata": {"correlationId": "c1"}}
    headers = {"x-correlation-id": "c1", **({} if retry_after is None else {"retry-after": retry_after})}
    return status, headers, json.dumps(body).encode()


SUCCESS: Answer = (200, {}, b'{"statusCode": 200, "data": [], "metadata": {"correlationId": "c2"}}')


class ScriptedServer:
    """Answers as it is told, the last answer again and again; None is no answer."""

    def __init__(self, *answers: Optional[Answer]) -> None:
        self.keys: List[Optional[str]] = []
        self.released = threading.Event()
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer = answers[min(len(script.keys), len(answers) - 1)]
                script.keys.append(self.headers["x-api-key"])
                if answer is None:
                    script.released.wait()
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in {"content-type": "application/json", **headers, "content-length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "ScriptedServer":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class RealServer(unittest.TestCase):
    def setUp(self) -> None:
        self.client = PostalPlaces(URL, KEY)

    def test_every_operation_gives_the_data_of_its_example(self) -> None:
        found = [operation for item in DESCRIPTION["paths"].values() for operation in item.values()]
        # The client has no methods for the protocols of others.
        operations = [operation for operation in found if operation["security"] and operation["tags"] != ["Photon"]]
        self.assertEqual(len(operations), 17)
        for operation in operations:
            with self.subTest(operation["operationId"]):
                given = {snake(p["name"]): p["example"] for p in operation["parameters"] if "example" in p}
                if "requestBody" in operation:
                    given.update(operation["requestBody"]["content"]["application/json"]["example"])
                expected = operation["responses"]["200"]["content"]["application/json"]["example"]["data"]
                self.assertEqual(getattr(self.client, snake(operation["operationId"]))(**given), expected)

    def test_a_bulk_request_has_an_entry_for_each_lookup(self) -> None:
        entries = self.client.bulk(
            [{"postcode": "9490"}, {"postcode": "ſ€😀"}, {"q": "vaduz", "limit": 1}, {"lat": 1e-7, "lng": 0}],
            country="LI",
        )
        self.assertEqual([entry["statusCode"] for entry in entries], [200, 404, 200, 404])
        self.assertEqual(entries[0]["data"], self.client.find_postcode("LI", "9490"))
        self.assertEqual(entries[1]["error"]["code"], "POSTCODE_NOT_FOUND")
        self.assertEqual(entries[2]["data"], self.client.autocomplete("vaduz", country="LI", limit=1))

    def test_a_bulk_request_that_is_refused_or_cannot_be_sent_raises(self) -> None:
        looped: Dict[str, Any] = {"q": "ber"}
        looped["self"] = looped
        for lookups, code in [
            ([], "VALIDATION_FAILED"),
            ([{"lat": float("nan"), "lng": 0}], "INVALID_ARGUMENT"),
            ([{"q": {1, 2}}], "INVALID_ARGUMENT"),
            ([looped], "INVALID_ARGUMENT"),
        ]:
            with self.subTest(code), self.assertRaises(PostalPlacesError) as caught:
                self.client.bulk(lookups)  # type: ignore[arg-type]
            self.assertEqual(caught.exception.code, code)

    def test_what_is_left_out_is_left_to_the_server(self) -> None:
        self.assertEqual(len(self.client.list_countries()), 250)
        self.assertEqual(self.client.list_places("LI")["pageSize"], 50)

    def test_texts_reach_the_server_as_they_are(self) -> None:
        self.assertEqual(self.client.find_postcode("LV", " lv–1010 ")["postcode"], "LV-1010")
        self.assertEqual(self.client.autocomplete("reykjavík", country="IS")[0]["name"], "Reykjavík")
        with self.assertRaises(PostalPlacesError) as caught:
            self.client.find_postcode("LI", "9490/../?#%&+")
        self.assertEqual(caught.exception.code, "POSTCODE_NOT_FOUND")

    def test_numbers_are_sent_without_exponent(self) -> None:
        with self.assertRaisesRegex(PostalPlacesError, "of 1e-7, -1.5e-10 in LI"):
            self.client.reverse(1e-7, -1.5e-10, country="LI")

    def test_an_iterator_goes_through_all_pages(self) -> None:
        ids = [place["id"] for place in self.client.iterate_places("FO", page_size=7)]
        total = self.client.list_places("FO")["totalCount"]
        self.assertGreater(total, 100)
        self.assertEqual((len(ids), len(set(ids))), (total, total))

    def test_an_iterator_starts_where_it_is_told(self) -> None:
        country, parent = "MC", "2115119e-6e15-5325-ad22-d6c862333156"
        every = [place["id"] for place in self.client.iterate_children(country, parent)]
        later = [place["id"] for place in self.client.iterate_children(country, parent, page=2, page_size=2)]
        self.assertEqual(later, every[2:])
        self.assertGreater(len(later), 2)

    def test_errors_say_what_happened(self) -> None:
        cases = [
            (lambda: self.client.get_country("QQ"), 404, "COUNTRY_NOT_FOUND"),
            (lambda: self.client.autocomplete("a"), 400, "VALIDATION_FAILED"),
            (lambda: PostalPlaces(URL, "x").list_countries(), 401, "SERVICE_API_KEY_INVALID"),
            (lambda: PostalPlaces(URL, SPENT_KEY).list_countries(), 429, "SERVICE_QUOTA_EXCEEDED"),
        ]
        for ask, status, code in cases:
            with self.subTest(code), self.assertRaises(PostalPlacesError) as caught:
                ask()
            error = caught.exception
            self.assertEqual((error.status, error.code), (status, code))
            self.assertIn(error.code, ERROR_CODES)
            self.assertRegex(str(error.correlation_id), "^[0-9a-f-]{36}$")
            self.assertEqual(error.retry_after_seconds is not None, status == 429)
            self.assertEqual([fault["param"] for fault in error.details], ["q"] if status == 400 else [])

    def test_every_fault_is_told(self) -> None:
        with self.assertRaises(PostalPlacesError) as caught:
            self.client.autocomplete("a", limit=0)
        last = {
            "param": "limit",
            "message": 'limit must be an integer from 1 to 25; got "0"',
            "expected": "an integer from 1 to 25",
        }
        self.assertEqual((len(caught.exception.details), caught.exception.details[-1]), (2, last))

    def test_the_rate_limit_is_waited_for(self) -> None:
        hasty = PostalPlaces(URL, HASTY_KEY, max_retries=5)
        for _ in range(2):
            self.assertEqual(hasty.get_country("LI")["code"], "LI")

    def test_what_would_ask_for_something_else_is_not_sent(self) -> None:
        for country, place in (("LI", ""), ("..", "1"), ("LI", "."), ("LI", "\ud800")):
            with self.subTest(country), self.assert_invalid(""):
                self.client.get_place(country, place)
        for latitude in (float("nan"), float("inf")):
            with self.assert_invalid("lat must be a finite number"):
                self.client.reverse(latitude, 0)
        for timeout in (0, -1, float("nan"), float("inf"), 1e300, "x"):
            with self.subTest(timeout), self.assert_invalid("timeout must be above 0"):
                self.client.list_countries(timeout=timeout)
            with self.subTest(timeout), self.assert_invalid("timeout must be above 0"):
                PostalPlaces(URL, "k", timeout=timeout)

    def test_a_client_of_no_address_or_key_is_refused(self) -> None:
        addresses = ("no address", "ftp://a", "http://a?b", "http://a#b", "http://u:secret@a", "http://a:99999", "http://[")
        for address in addresses:
            with self.subTest(address), self.assert_invalid("base_url must be") as caught:
                PostalPlaces(address, "k")
            self.assertNotIn("secret", str(caught.exception))
        for key in ("", "two words", "line\nbreak", "\u20ac"):
            with self.subTest(key), self.assert_invalid("api_key must be"):
                PostalPlaces(URL, key)

    @contextlib.contextmanager
    def assert_invalid(self, message: str) -> Iterator[Any]:
        with self.assertRaisesRegex(PostalPlacesError, message) as caught:
            yield caught
        self.assertEqual((caught.exception.code, caught.exception.status), ("INVALID_ARGUMENT", None))


class ScriptedAnswers(unittest.TestCase):
    def test_what_may_pass_is_tried_again(self) -> None:
        proxy: Answer = (503, {"retry-after": "0"}, b"<html>")
        unavailable = refusal(503, "SERVICE_UNAVAILABLE", "0")
        for answer in (unavailable, refusal(429, "SERVICE_RATE_LIMITED", "0"), proxy):
            with self.subTest(answer), ScriptedServer(answer, answer, SUCCESS) as server:
                self.assertEqual(PostalPlaces(server.url, "k").list_countries(), [])
                self.assertEqual(server.keys, ["k", "k", "k"])

    def test_it_is_tried_again_twice_unless_told_otherwise(self) -> None:
        with ScriptedServer(refusal(503, "SERVICE_UNAVAILABLE", "0")) as server:
            with self.assertRaises(PostalPlacesError) as caught:
                PostalPlaces(server.url, "k").list_countries()
            self.assertEqual((len(server.keys), caught.exception.retry_after_seconds), (3, 0))
            with self.assertRaises(PostalPlacesError):
                PostalPlaces(server.url, "k", max_retries=0).list_countries()
            self.assertEqual(len(server.keys), 4)

    def test_nothing_else_is_tried_again(self) -> None:
        for answer in (
            refusal(429, "SERVICE_QUOTA_EXCEEDED", "0"),
            refusal(500, "INTERNAL_ERROR"),
            refusal(503, "SERVICE_UNAVAILABLE", "31"),
        ):
            with self.subTest(answer), ScriptedServer(answer) as server:
                with self.assertRaises(PostalPlacesError):
                    PostalPlaces(server.url, "k").list_countries()
                self.assertEqual(len(server.keys), 1)

    def test_what_is_no_answer_of_the_service(self) -> None:
        answers: List[Answer] = [(200, {}, b"{}"), (200, {}, b'"data"'), (204, {}, b"")]
        for answer in answers:
            with self.subTest(answer), ScriptedServer(answer) as server:
                with self.assertRaises(PostalPlacesError) as caught:
                    PostalPlaces(server.url, "k").list_countries()
                self.assertEqual((caught.exception.code, caught.exception.status), ("UNEXPECTED_ANSWER", answer[0]))
                self.assertIsNone(caught.exception.correlation_id)


    def test_faults_that_are_none_are_left_out(self) -> None:
        fault = {"param": "a", "message": "b", "expected": "c"}
        mixed = [None, 1, "a", [], {}, {**fault, "param": 1}, {"param": "a", "message": "b"}, fault]
        told = {"message": "no", "code": "VALIDATION_FAILED"}
        for details, kept in ((mixed, [fault]), (5, []), ("a", []), (None, []), ({"0": fault}, [])):
            body = json.dumps({"error": {**told, "details": details}}).encode()
            with self.subTest(details), ScriptedServer((400, {}, body)) as server:
                with self.assertRaises(PostalPlacesError) as caught:
                    PostalPlaces(server.url, "k").list_countries()
                self.assertEqual((caught.exception.code, caught.exception.details), ("VALIDATION_FAILED", kept))


class Package(unittest.TestCase):
    def test_every_name_is_exported_and_every_file_is_python_3_9(self) -> None:
        for name in postal_places.__all__:
            self.assertTrue(hasattr(postal_places, name), name)
        self.assertEqual(set(ERROR_CODES) & set(CLIENT_ERROR_CODES), set())
        files = list(Path(postal_places.__file__).parent.glob("*.py"))
        self.assertEqual(len(files), 6)
        for file in files:
            ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
