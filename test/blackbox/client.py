"""A client of the trading service made from its specification alone, with Python's standard library: spot and futures, once around.

    python3 client.py SPOT_URL FUTURES_URL KEY SECRET
"""

import hashlib
import hmac
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


class ServiceError(Exception):
    """A reply that is an error. `code` is the code of the specification."""

    def __init__(self, status, body):
        super().__init__(f"HTTP {status}: {body.get('code')} {body.get('msg')}")
        self.code = int(body.get("code", 0))


class Client:
    """Signs with HMAC SHA256 over timestamp, method, path and body, as part 5 of the specification says."""

    def __init__(self, url, key, secret):
        self.url = url
        self.key = key
        self.secret = secret
        self.ahead_ms = 0

    def follow_clock(self, path):
        """Measures how far the service's clock is ahead of this computer's."""
        self.ahead_ms = self.get(path)["serverTime"] - time.time_ns() // 1_000_000

    def get(self, path, signed=False, **params):
        query = urllib.parse.urlencode(params)
        return self.send("GET", f"{path}?{query}" if query else path, "", signed)

    def post(self, path, **params):
        return self.send("POST", path, json.dumps(params), True)

    def send(self, method, target, body, signed):
        request = urllib.request.Request(self.url + target, body.encode() if body else None, method=method)
        request.add_header("Content-Type", "application/json")
        if signed:
            timestamp = str(time.time_ns() // 1_000_000 + self.ahead_ms)
            message = (timestamp + method + target + body).encode()
            request.add_header("X-CH-APIKEY", self.key)
            request.add_header("X-CH-TS", timestamp)
            request.add_header("X-CH-SIGN", hmac.new(self.secret.encode(), message, hashlib.sha256).hexdigest())
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        answer = json.loads(text)
        if isinstance(answer, dict) and answer.get("code", 0) not in (0, "0"):
            raise ServiceError(status, answer)
        return answer


def spot(client):
    """Places, finds and cancels a spot order. Returns what the replies said."""
    client.follow_clock("/sapi/v1/time")
    symbol = client.get("/sapi/v1/symbols")[0]
    name = symbol["symbol"]
    order = {"symbol": name, "volume": 1, "side": "BUY", "type": "LIMIT", "price": 10}
    placed = client.post("/sapi/v1/order", **order, newClientOrderId="from-python")
    order_id = placed["orderId"]
    found = client.get("/sapi/v1/order", signed=True, orderId=order_id, symbol=name)
    open_ids = [row["orderId"] for row in client.get("/sapi/v1/openOrders", signed=True, symbol=name, limit=100)]
    canceled = client.post("/sapi/v1/cancel", orderId=str(order_id), symbol=name)
    after = client.get("/sapi/v1/order", signed=True, orderId=order_id, symbol=name)
    return {
        "symbol": name,
        "digits": len(str(order_id)),
        "states": [placed["status"], found["status"], canceled["status"], after["status"]],
        "clientOrderId": found["clientOrderId"],
        "isOpen": order_id in open_ids,
        "free": {row["asset"]: row["free"] for row in client.get("/sapi/v1/account", signed=True)["balances"]}["USDT"],
    }


def futures(client):
    """Places, finds and cancels a futures order. Returns what the replies said."""
    client.follow_clock("/fapi/v1/time")
    name = client.get("/fapi/v1/contracts")[0]["symbol"]
    order = {"contractName": name, "volume": 1, "price": 10, "type": "LIMIT", "side": "BUY", "open": "OPEN", "positionType": 1}
    order_id = client.post("/fapi/v1/order", **order, clientOrderId="from-python")["orderId"]
    found = client.get("/fapi/v1/order", signed=True, contractName=name, orderId=order_id)
    open_ids = [str(row["orderId"]) for row in client.get("/fapi/v1/openOrders", signed=True, contractName=name)["data"] or []]
    canceled = client.post("/fapi/v1/cancel", contractName=name, orderId=order_id)
    after = client.get("/fapi/v1/order", signed=True, contractName=name, orderId=order_id)
    history = client.post("/fapi/v1/orderHistorical", contractName=name, limit="1")
    return {
        "contractName": name,
        "states": [found["status"], after["status"]],
        "isOpen": order_id in open_ids,
        "isCanceled": canceled["orderId"] == order_id,
        "clientId": history[0]["clientId"],
    }


def refusal(client):
    """Returns the code with which the cancel of an unknown order fails."""
    try:
        client.post("/sapi/v1/cancel", orderId="7", symbol="BTCUSDT")
    except ServiceError as error:
        return error.code
    return 0


if __name__ == "__main__":
    spot_url, futures_url, key, secret = sys.argv[1:]
    on_spot, on_futures = Client(spot_url, key, secret), Client(futures_url, key, secret)
    wrong = Client(spot_url, key, "wrong")
    print(json.dumps({"spot": spot(on_spot), "futures": futures(on_futures), "refusals": [refusal(on_spot), refusal(wrong)]}))
