"""Apple's own client library asks a local App Store: every endpoint, every page, every class of errors.

Its own verifier checks every signed text. Usage: client.py SERVER FOLDER, where SERVER is the built subledger-server.
Prints one JSON object: how much was asked and checked.
"""

import base64
import http.server
import json
import subprocess
import sys
import threading
import urllib.request
import uuid
from datetime import datetime, timedelta

from appstoreserverlibrary.api_client import APIError, APIException, AppStoreServerAPIClient
from appstoreserverlibrary.api_client import GetTransactionHistoryVersion
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

server_path, folder = sys.argv[1:3]
counts = {"asked": 0, "pages": 0, "verified": 0, "errors": 0, "posted": 0}
posted = []


class Webhook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


webhook = http.server.HTTPServer(("127.0.0.1", 0), Webhook)
threading.Thread(target=webhook.serve_forever, daemon=True).start()
app_store = subprocess.Popen(
    [server_path, "app-store", "--out", f"{folder}/shop", "--customers", "60", "--seed", "7", "--rate", "refund-asked=0.05",
     "--webhook", f"http://127.0.0.1:{webhook.server_port}/apple"],
    stdout=subprocess.PIPE, text=True)


def settings():
    lines = [line.rstrip("\n").split("=", 1) for line in open(f"{folder}/shop/settings.env")]
    return {name: value.strip("'") for name, value in lines}


class Environments:
    """A client and a verifier of one environment."""

    def __init__(self, environment, url, bundle=None, key=None, issuer=None):
        self.url = url
        pem = open(env["SUBLEDGER_APPLE_KEY_FILE"], "rb").read()
        self.client = AppStoreServerAPIClient(
            pem, key or env["SUBLEDGER_APPLE_KEY_ID"], issuer or env["SUBLEDGER_APPLE_ISSUER_ID"],
            bundle or env["SUBLEDGER_BUNDLE_ID"], environment)
        self.client._base_url = url
        root = base64.b64decode("".join(open(env["SUBLEDGER_TRUST"]).read().split("-----")[2].split()))
        app = 1234567890 if environment == Environment.PRODUCTION else None
        self.verifier = SignedDataVerifier([root], False, environment, env["SUBLEDGER_BUNDLE_ID"], app)

    def transaction(self, text):
        counts["verified"] += 1
        return self.verifier.verify_and_decode_signed_transaction(text)

    def renewal(self, text):
        counts["verified"] += 1
        return self.verifier.verify_and_decode_renewal_info(text)

    def notification(self, text):
        counts["verified"] += 1
        decoded = self.verifier.verify_and_decode_notification(text)
        assert decoded.notificationType is not None, decoded.rawNotificationType
        return decoded


def admin(method, path, body=None):
    request = urllib.request.Request(
        production.url + "/admin/" + path, json.dumps(body).encode() if body is not None else None, method=method)
    return json.loads(urllib.request.urlopen(request).read() or b"{}")


def walk(ask):
    """All pages, from the first to the last."""
    cursor = None
    while True:
        page = ask(cursor)
        counts["asked"] += 1
        counts["pages"] += 1
        yield page
        if not page.hasMore:
            return
        following = getattr(page, "revision", None) or getattr(page, "paginationToken", None)
        assert following and following != cursor
        cursor = following


def refused(code, ask):
    """Asserts that a question gets one of Apple's codes; an HTTP status stands for an answer without one."""
    counts["asked"] += 1
    try:
        ask()
    except APIException as error:
        given = error.raw_api_error or error.http_status_code
        assert given == code, f"{given} ({error.error_message}), not {code}"
        assert error.http_status_code == (code if code < 1000 else code // 10000)
        # Apple's library has no names for a few codes that Apple documents.
        assert code < 1000 or isinstance(error.api_error, APIError) or code in (4000044, 4000209, 4000227, 4030028)
        counts["errors"] += 1
        return
    raise AssertionError(f"no error, not {code}")


def ask_about(side, purchase):
    """Every endpoint that reads, about one purchase."""
    client, identifier = side.client, purchase["original_transaction_id"]
    first = side.transaction(client.get_transaction_info(identifier).signedTransactionInfo)
    assert first.transactionId == identifier and first.originalTransactionId == identifier
    history = [
        side.transaction(text)
        for page in walk(lambda cursor: client.get_transaction_history(
            identifier, cursor, TransactionHistoryRequest(sort=Order.ASCENDING), GetTransactionHistoryVersion.V2))
        for text in page.signedTransactions]
    assert identifier in {one.transactionId for one in history}
    older = [
        side.transaction(text)
        for page in walk(lambda cursor: client.get_transaction_history(identifier, cursor, TransactionHistoryRequest()))
        for text in page.signedTransactions]
    assert len(older) <= len(history)
    kinds = TransactionHistoryRequest(productTypes=[ProductType.AUTO_RENEWABLE, ProductType.CONSUMABLE])
    for page in walk(lambda cursor: client.get_transaction_history(
            identifier, cursor, kinds, GetTransactionHistoryVersion.V2)):
        assert page.bundleId == env["SUBLEDGER_BUNDLE_ID"]
    for group in client.get_all_subscription_statuses(identifier).data:
        for last in group.lastTransactions:
            assert last.status is not None
            assert side.transaction(last.signedTransactionInfo).originalTransactionId == last.originalTransactionId
            assert side.renewal(last.signedRenewalInfo).originalTransactionId == last.originalTransactionId
    for page in walk(lambda cursor: client.get_refund_history(identifier, cursor)):
        for text in page.signedTransactions:
            assert side.transaction(text).revocationDate
    app = side.verifier.verify_and_decode_app_transaction(
        client.get_app_transaction_info(identifier).signedAppTransactionInfo)
    assert app.bundleId == env["SUBLEDGER_BUNDLE_ID"]
    counts["asked"] += 3
    return history


def base36(number):
    digits = ""
    while number:
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number % 36] + digits
        number //= 36
    return digits


def milliseconds(text):
    return int((datetime.fromisoformat(text.replace("Z", "+00:00"))).timestamp() * 1000)


def notifications(side, **filters):
    now = datetime.fromtimestamp(milliseconds(admin("GET", "clock")["clock"]) / 1000)
    days = 179 if side is production else 29
    question = NotificationHistoryRequest(
        startDate=int((now - timedelta(days=days)).timestamp() * 1000), endDate=int(now.timestamp() * 1000) + 5000,
        **filters)
    return [
        item
        for page in walk(lambda cursor: side.client.get_notification_history(cursor, question))
        for item in page.notificationHistory]


def verify_receipt(side, receipt, password=None):
    body = {"receipt-data": receipt}
    if password:
        body["password"] = password
    request = urllib.request.Request(side.url + "/verifyReceipt", json.dumps(body).encode())
    counts["asked"] += 1
    return json.loads(urllib.request.urlopen(request).read())


def consumption(**changes):
    members = dict(customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED)
    return ConsumptionRequest(**{**members, **changes})


def act(customer, action):
    return admin("POST", "actions", {"customer": customer, "action": action})["notifications"]


def read_everything():
    secret = open(env["SUBLEDGER_SHARED_SECRET"].split("=", 1)[1]).read()
    for purchase in purchases:
        side = production if purchase["environment"] == "Production" else sandbox
        other = sandbox if side is production else production
        history = ask_about(side, purchase)
        if side is production:
            order = next(one for one in history if one.transactionId == purchase["original_transaction_id"])
            number = order.webOrderLineItemId or order.transactionId
            found = side.client.look_up_order_id("M" + base36(int(number)))
            assert found.rawStatus == 0 and found.signedTransactions
        refused(4040010, lambda: other.client.get_transaction_info(purchase["original_transaction_id"]))
        assert verify_receipt(side, purchase["receipt_data"], secret)["status"] == 0
        assert verify_receipt(other, purchase["receipt_data"], secret)["status"] == (
            21008 if side is production else 21007)
    for side in (production, sandbox):
        texts = [item.signedPayload for item in notifications(side)]
        assert len(texts) == len(set(texts)) > 20
        for text in texts:
            side.notification(text)
    assert all(
        production.notification(item.signedPayload).notificationType == NotificationTypeV2.DID_RENEW
        for item in notifications(production, notificationType=NotificationTypeV2.DID_RENEW))


def act_and_receive():
    client = production.client
    token = client.request_test_notification().testNotificationToken
    admin("POST", "clock", {"advance": "PT1M"})
    status = client.get_test_notification_status(token)
    assert [one.rawSendAttemptResult for one in status.sendAttempts] == ["SUCCESS"]
    assert production.notification(status.signedPayload).notificationType == NotificationTypeV2.TEST
    assert {"signedPayload": status.signedPayload} in posted
    act("user-000000", "buy bells")
    asked = act("user-000000", "ask-refund")
    case = asked[0]["original_transaction_id"]
    client.send_consumption_information(case, consumption(refundPreference=RefundPreference.GRANT_FULL))
    client.send_consumption_data(case, ConsumptionRequestV1(customerConsented=True))
    admin("POST", "clock", {"advance": "PT2H"})
    subscription = next(
        one["original_transaction_id"] for one in purchases if one["environment"] == "Production"
        and one["product_id"].endswith(("monthly", "yearly")) and is_extendable(one["original_transaction_id"]))
    extension = ExtendRenewalDateRequest(
        extendByDays=5, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, requestIdentifier="one")
    assert client.extend_subscription_renewal_date(subscription, extension).success
    client.set_app_account_token(subscription, UpdateAppAccountTokenRequest(appAccountToken=str(uuid.uuid4())))
    client.finish_transaction(subscription)
    identifier, product = str(uuid.uuid4()), env["SUBLEDGER_BUNDLE_ID"] + ".monthly"
    client.extend_renewal_date_for_all_active_subscribers(MassExtendRenewalDateRequest(
        extendByDays=3, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier=identifier, productId=product))
    assert not client.get_status_of_subscription_renewal_date_extensions(identifier, product).complete
    admin("POST", "clock", {"advance": "PT2H"})
    done = client.get_status_of_subscription_renewal_date_extensions(identifier, product)
    assert done.complete and done.succeededCount > 0
    counts["asked"] += 11
    admin("POST", "clock", {"advance": "P30D"})
    received, of_production = set(), set()
    for one in posted:
        text = one["signedPayload"]
        content = json.loads(base64.urlsafe_b64decode(text.split(".")[1] + "=="))
        is_of_sandbox = (content.get("data") or content.get("summary") or {}).get("environment") == "Sandbox"
        received.add((sandbox if is_of_sandbox else production).notification(text).rawNotificationType)
        if not is_of_sandbox:
            of_production.add(text)
    wanted = {"TEST", "ONE_TIME_CHARGE", "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "DID_RENEW"}
    assert received >= wanted, wanted - received
    assert {item.signedPayload for item in notifications(production)} >= of_production
    counts["posted"] = len(posted)
    return subscription


def is_extendable(identifier):
    for group in production.client.get_all_subscription_statuses(identifier).data:
        for last in group.lastTransactions:
            if last.originalTransactionId == identifier and last.rawStatus == 1:
                return production.transaction(last.signedTransactionInfo).price
    return False


def be_refused(subscription):
    client, question = production.client, TransactionHistoryRequest()
    v2 = GetTransactionHistoryVersion.V2
    extension = ExtendRenewalDateRequest(extendByDays=5, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier="x")
    # Mend the request.
    refused(4000006, lambda: client.get_transaction_info("abc"))
    refused(4000006, lambda: client.get_transaction_info("1%2F2"))
    refused(4000005, lambda: client.get_transaction_history(subscription, "x", question, v2))
    refused(4000020, lambda: client.get_test_notification_status("x"))
    refused(4000008, lambda: client.extend_subscription_renewal_date("x", extension))
    refused(4000035, lambda: client.send_consumption_information(subscription, consumption(customerConsented=False)))
    refused(4000209, lambda: client.send_consumption_information(subscription, consumption(consumptionPercentage=5)))
    refused(4000183, lambda: client.set_app_account_token(
        subscription, UpdateAppAccountTokenRequest(appAccountToken="x")))
    refused(4000012, lambda: client.get_notification_history(None, NotificationHistoryRequest(startDate=1, endDate=2)))
    refused(4040005, lambda: client.extend_subscription_renewal_date("1", extension))
    refused(4040009, lambda: client.get_status_of_subscription_renewal_date_extensions(
        str(uuid.uuid4()), env["SUBLEDGER_BUNDLE_ID"] + ".monthly"))
    # Not now, or in the other environment.
    refused(4040010, lambda: client.get_transaction_info("1"))
    refused(4040008, lambda: client.get_test_notification_status(f"{uuid.uuid4()}_1"))
    refused(404, lambda: sandbox.client.look_up_order_id("M1"))
    # Refused by rule: twice in 365 days is the limit, and the extension for all was the second.
    for _ in range(2):
        try:
            client.extend_subscription_renewal_date(subscription, ExtendRenewalDateRequest(
                extendByDays=1, extendReasonCode=ExtendReasonCode.OTHER, requestIdentifier=str(uuid.uuid4())))
        except APIException as error:
            assert error.raw_api_error == 4030005
    refused(4030005, lambda: client.extend_subscription_renewal_date(subscription, extension))
    # Mend the installation.
    refused(4040003, lambda: Environments(
        Environment.PRODUCTION, production.url, bundle="other.app").client.get_transaction_info("1"))
    refused(401, lambda: Environments(
        Environment.PRODUCTION, production.url, key="OTHER").client.get_transaction_info("1"))
    refused(401, lambda: Environments(
        Environment.PRODUCTION, production.url, issuer=str(uuid.uuid4())).client.get_transaction_info("1"))
    # Retry, soon or at an instant.
    for fault, code in [
            ("429", 4290000), ("500", 5000000), ("5000001", 5000001), ("503", 503), ("401", 401), ("4040002", 4040002),
            ("4040004", 4040004), ("4040006", 4040006), ("4040010", 4040010), ("4040019", 4040019),
            ("4000002", 4000002)]:
        admin("POST", "faults", {"fault": fault, "endpoint": "transaction_history", "environment": "Production"})
        refused(code, lambda: client.get_transaction_history(subscription, None, question, v2))
        client.get_transaction_history(subscription, None, question, v2)
    log = admin("GET", "requests")["requests"]
    assert {"no token"} != {one.get("refusal") for one in log if one["status"] == 401}
    assert len(log) >= 200 and "Bearer" not in json.dumps(log)


try:
    page = None
    for line in app_store.stdout:
        if line.startswith("clock:"):
            break
    env = settings()
    production = Environments(Environment.PRODUCTION, env["SUBLEDGER_APPLE_API_URL"])
    sandbox = Environments(Environment.SANDBOX, env["SUBLEDGER_APPLE_SANDBOX_API_URL"])
    purchases = [json.loads(line) for line in open(f"{folder}/shop/purchases.ndjson")]
    purchases = purchases[:25] + [one for one in purchases if one["environment"] == "Sandbox"][:5]
    read_everything()
    be_refused(act_and_receive())
    print(json.dumps(counts))
finally:
    app_store.terminate()
    app_store.wait()
