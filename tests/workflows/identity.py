"""An identity provider on loopback, so that API Gateway has real tokens to verify."""

import base64
import http.server
import json
import threading
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

AUDIENCE = "chat"
_KEY_ID = "key-1"


class IdentityProvider:
    """Issues tokens and shows the key they are signed with."""

    def __init__(self):
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def token(self, subject, audience=AUDIENCE):
        """A token that says who someone is."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": audience, "sub": subject, "iat": now - 5, "exp": now + 600}
        signed = ".".join(_encoded(part) for part in ({"alg": "RS256", "kid": _KEY_ID}, claims))
        signature = self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{_base64(signature)}"

    def _handler(self):
        numbers = self._key.public_key().public_numbers()
        key = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": _KEY_ID}
        key |= {"n": _number(numbers.n), "e": _number(numbers.e)}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path == "/.well-known/openid-configuration":
                    return self._say({"jwks_uri": f"http://{self.headers['host']}/keys"})
                return self._say({"keys": [key]})

            def _say(self, document):
                body = json.dumps(document).encode()
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler


def _encoded(part):
    return _base64(json.dumps(part).encode())


def _base64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _number(value):
    return _base64(value.to_bytes((value.bit_length() + 7) // 8, "big"))
