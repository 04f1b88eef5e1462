"""Drives Apple's server library and a receipt verifier against two simulated App Stores.

One line a check, then the count; the exit status is 1 when a check failed.
"""

import base64
import json
import sys
import threading
import time
import urllib.request
import uuid
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from appstoreserverlibrary.api_client import (
    APIError,
    APIException,
    AppStoreServerAPIClient,
    GetTransactionHistoryVersion,
)
from appstoreserverlibrary.jws_signature_creator import (
    AdvancedCommerceAPIInAppSignatureCreator,
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.AdvancedCommerceRequestInfo import (
    AdvancedCommerceRequestInfo,
)
from appstoreserverlibrary.models.AdvancedCommerceSubscriptionReactivateInAppRequest import (
    AdvancedCommerceSubscriptionReactivateInAppRequest,
)
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DefaultConfigurationRequest import (
    DefaultConfigurationRequest,
)
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import (
    ExtendRenewalDateRequest,
)
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.LifetimeDollarsPurchased import (
    LifetimeDollarsPurchased,
)
from appstoreserverlibrary.models.LifetimeDollarsRefunded import (
    LifetimeDollarsRefunded,
)
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import (
    MassExtendRenewalDateRequest,
)
from appstoreserverlibrary.models.NotificationHistoryRequest import (
    NotificationHistoryRequest,
)
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import (
    Order,
    ProductType,
    TransactionHistoryRequest,
)
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import (
    UpdateAppAccountTokenRequest,
)
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import (
    UploadMessageRequestBody,
)
from appstoreserverlibrary.models.UserStatus import UserStatus
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import (
    SignedDataVerifier,
    VerificationException,
)
import apple_purchase_receipt_verifier as receipts

BUNDLE = "com.example.demo"
APP_ID = 1234567890
COINS = BUNDLE + ".coins"
LIFETIME = BUNDLE + ".lifetime"
MONTHLY = BUNDLE + ".plus.monthly"
YEARLY = BUNDLE + ".plus.yearly"
TOKEN = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)

passed = 0
failures = []


def check(name, body):
    """Runs a check: it fails when it raises, or gives anything but True or None."""
    global passed
    try:
        outcome = body()
        reason = None if outcome in (None, True) else f"got {outcome!r}"
    except Exception as error:  # noqa: BLE001 - a check may fail in any way
        reason = f"{type(error).__name__}: {error}"
        if isinstance(error, APIException):
            reason = f"status {error.http_status_code}, code {error.raw_api_error}"
        elif isinstance(error, VerificationException):
            reason = f"{error.status} {error.__cause__ or ''}"
    if reason is None:
        passed += 1
        print(f"ok    {name}", flush=True)
    else:
        failures.append(name)
        print(f"FAIL  {name}: {reason}", flush=True)


def refused(error, body):
    """Whether the call is refused with a number of Apple's, or with a bare HTTP status."""
    try:
        body()
    except APIException as exception:
        if isinstance(error, APIError):
            return exception.api_error == error or (
                exception.http_status_code, exception.raw_api_error)
        return exception.http_status_code == error and exception.raw_api_error is None
    return "no refusal"


class Store:
    """A simulated store, by its control interface."""

    def __init__(self, url, environment):
        self.url = url
        self.environment = environment
        key = self.get("/control/api-key")
        self.p8 = key["privateKey"].encode()
        self.key_id = key["keyId"]
        self.issuer = key["issuerId"]
        self.root = self.raw("/control/roots/jws.der")
        self.receipt_root = self.raw("/control/roots/receipt.der")
        self.client = self.api(self.p8, self.key_id, self.issuer, BUNDLE)
        self.verifier = SignedDataVerifier([self.root], False, environment, BUNDLE, APP_ID)

    def api(self, p8, key_id, issuer, bundle):
        client = AppStoreServerAPIClient(p8, key_id, issuer, bundle, self.environment)
        client._base_url = self.url
        return client

    def raw(self, path, method="GET", body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.read()

    def get(self, path):
        return json.loads(self.raw(path))

    def post(self, path, body=None):
        return json.loads(self.raw(path, "POST", body or {}))

    def put(self, path, body):
        return json.loads(self.raw(path, "PUT", body))

    def buy(self, device, product):
        answer = self.post("/control/purchases", {"device": device, "productId": product})
        assert answer["outcome"] == "purchased", answer
        return answer

    def advance(self, days):
        return self.post("/control/clock/advance", {"seconds": days * 86400})

    def now(self):
        return self.get("/control/clock")["now"]

    def receipt(self, device):
        return self.get(f"/control/devices/{device}/receipt")["receipt"]


class Sink:
    """The developer's server, as far as notifications need one."""

    def __init__(self):
        sink = self
        self.bodies = []
        self.status = 200

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers.get("Content-Length", 0))
                sink.bodies.append(json.loads(self.rfile.read(length)))
                self.send_response(sink.status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"


def pages(first, more):
    """All pages of a listing."""
    page = first
    while True:
        yield page
        if not page.hasMore:
            return
        page = more(page)


def people(store):
    """Two customers with two devices."""
    for name in ("mia", "noah"):
        store.post("/control/accounts", {"account": name})
        store.post("/control/devices", {"device": name + "-phone", "account": name})


def transactions(store, label):
    client, verifier = store.client, store.verifier
    coins = store.buy("mia-phone", COINS)
    lifetime = store.buy("mia-phone", LIFETIME)
    monthly = store.buy("mia-phone", MONTHLY)
    yearly = store.buy("noah-phone", YEARLY)
    ids = {
        name: bought["transaction"]["transactionId"]
        for name, bought in (
            ("coins", coins), ("lifetime", lifetime), ("monthly", monthly), ("yearly", yearly),
        )
    }
    for name, bought in (("coins", coins), ("lifetime", lifetime), ("monthly", monthly),
                         ("yearly", yearly)):
        check(f"{label}: the verifier accepts the device's transaction ({name})", lambda b=bought:
              verifier.verify_and_decode_signed_transaction(b["signedTransaction"]).transactionId
              == b["transaction"]["transactionId"])
        check(f"{label}: getTransactionInfo, verified ({name})", lambda n=name:
              verifier.verify_and_decode_signed_transaction(
                  client.get_transaction_info(ids[n]).signedTransactionInfo
              ).transactionId == ids[n])
    check(f"{label}: getTransactionInfo of an unknown id", lambda: refused(
        APIError.TRANSACTION_ID_NOT_FOUND, lambda: client.get_transaction_info("42")))
    check(f"{label}: getTransactionInfo of no id", lambda: refused(
        APIError.INVALID_TRANSACTION_ID, lambda: client.get_transaction_info("abc")))

    for _ in range(22):
        store.buy("mia-phone", COINS)
    for version in GetTransactionHistoryVersion:
        def history(version=version):
            request = TransactionHistoryRequest(sort=Order.ASCENDING)
            first = client.get_transaction_history(ids["coins"], None, request, version)
            found = list(pages(first, lambda page: client.get_transaction_history(
                ids["coins"], page.revision, request, version)))
            texts = [text for page in found for text in page.signedTransactions]
            seen = {verifier.verify_and_decode_signed_transaction(text).transactionId
                    for text in texts}
            return (len(found), len(texts), len(seen)) == (2, 25, 25) or (
                len(found), len(texts), len(seen))
        check(f"{label}: getTransactionHistory {version.value}, all pages", history)
    check(f"{label}: getTransactionHistory, filtered", lambda: len(
        client.get_transaction_history(ids["coins"], None, TransactionHistoryRequest(
            startDate=0, endDate=store.now() + 1, productIds=[MONTHLY, LIFETIME],
            productTypes=[ProductType.AUTO_RENEWABLE], sort=Order.DESCENDING, revoked=False,
            inAppOwnershipType=InAppOwnershipType.PURCHASED,
        ), GetTransactionHistoryVersion.V2).signedTransactions) == 1)
    check(f"{label}: getTransactionHistory with a bad revision", lambda: refused(
        APIError.INVALID_REQUEST_REVISION, lambda: client.get_transaction_history(
            ids["coins"], "x", TransactionHistoryRequest(), GetTransactionHistoryVersion.V2)))

    def statuses():
        answer = client.get_all_subscription_statuses(ids["coins"], [Status.ACTIVE])
        last = answer.data[0].lastTransactions[0]
        renewal = verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
        transaction = verifier.verify_and_decode_signed_transaction(last.signedTransactionInfo)
        assert last.status == Status.ACTIVE and answer.bundleId == BUNDLE
        assert answer.environment == store.environment
        return renewal.autoRenewProductId == MONTHLY and transaction.productId == MONTHLY
    check(f"{label}: getAllSubscriptionStatuses, both texts verified", statuses)
    check(f"{label}: getAppTransactionInfo, verified", lambda:
          verifier.verify_and_decode_app_transaction(
              client.get_app_transaction_info(ids["coins"]).signedAppTransactionInfo
          ).bundleId == BUNDLE)
    check(f"{label}: the verifier accepts the device's app transaction", lambda:
          verifier.verify_and_decode_app_transaction(
              store.get("/control/devices/mia-phone/app-transaction")["signedAppTransaction"]
          ).deviceVerification is not None)

    def order():
        number = store.get(f"/control/transactions/{ids['coins']}/order")["orderId"]
        answer = client.look_up_order_id(number)
        if store.environment == Environment.SANDBOX:
            return answer.status == OrderLookupStatus.INVALID
        found = verifier.verify_and_decode_signed_transaction(answer.signedTransactions[0])
        return answer.status == OrderLookupStatus.VALID and found.transactionId == ids["coins"]
    check(f"{label}: lookUpOrderId", order)
    check(f"{label}: lookUpOrderId of an unknown number", lambda:
          client.look_up_order_id("MK00000000").status == OrderLookupStatus.INVALID)
    return ids


def changes(store, ids, label):
    client, verifier = store.client, store.verifier
    check(f"{label}: setAppAccountToken", lambda: client.set_app_account_token(
        ids["monthly"], UpdateAppAccountTokenRequest(appAccountToken=TOKEN)))
    check(f"{label}: the token stands in the transaction", lambda:
          verifier.verify_and_decode_signed_transaction(
              client.get_transaction_info(ids["monthly"]).signedTransactionInfo
          ).appAccountToken == TOKEN)
    check(f"{label}: setAppAccountToken of no UUID", lambda: refused(
        APIError.INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR, lambda: client.set_app_account_token(
            ids["monthly"], UpdateAppAccountTokenRequest(appAccountToken="x"))))
    check(f"{label}: finishTransaction", lambda: client.finish_transaction(ids["lifetime"]))
    check(f"{label}: the transaction is finished", lambda: ids["lifetime"] not in [
        t["transactionId"] for t in store.get("/control/devices/mia-phone/unfinished")])
    check(f"{label}: sendConsumptionInformation", lambda: client.send_consumption_information(
        ids["coins"], ConsumptionRequest(
            customerConsented=True, sampleContentProvided=False,
            deliveryStatus=DeliveryStatus.DELIVERED, consumptionPercentage=50000,
            refundPreference=RefundPreference.GRANT_PRORATED)))
    check(f"{label}: sendConsumptionInformation without consent", lambda: refused(
        APIError.INVALID_CUSTOMER_CONSENTED, lambda: client.send_consumption_information(
            ids["coins"], ConsumptionRequest(
                customerConsented=False, sampleContentProvided=False,
                deliveryStatus=DeliveryStatus.DELIVERED))))
    check(f"{label}: sendConsumptionData (version 1)", lambda: client.send_consumption_data(
        ids["coins"], ConsumptionRequestV1(
            customerConsented=True, consumptionStatus=ConsumptionStatus.NOT_CONSUMED,
            platform=Platform.NON_APPLE, sampleContentProvided=False,
            deliveryStatus=DeliveryStatusV1.DID_NOT_DELIVER_DUE_TO_SERVER_OUTAGE,
            appAccountToken=TOKEN, accountTenure=AccountTenure.THIRTY_DAYS_TO_NINETY_DAYS,
            playTime=PlayTime.ONE_DAY_TO_FOUR_DAYS,
            lifetimeDollarsRefunded=LifetimeDollarsRefunded.ONE_THOUSAND_DOLLARS_TO_ONE_THOUSAND_NINE_HUNDRED_NINETY_NINE_DOLLARS_AND_NINETY_NINE_CENTS,
            lifetimeDollarsPurchased=LifetimeDollarsPurchased.TWO_THOUSAND_DOLLARS_OR_GREATER,
            userStatus=UserStatus.LIMITED_ACCESS)))
    check(f"{label}: both were kept", lambda: [
        record["version"] for record in store.get("/control/consumption")] == [2, 1])

    extension = ExtendRenewalDateRequest(
        extendByDays=3, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION,
        requestIdentifier=str(uuid.uuid4()))
    check(f"{label}: extendSubscriptionRenewalDate", lambda:
          client.extend_subscription_renewal_date(ids["monthly"], extension).success)
    check(f"{label}: extendSubscriptionRenewalDate in a trial", lambda: refused(
        APIError.SUBSCRIPTION_EXTENSION_INELIGIBLE,
        lambda: client.extend_subscription_renewal_date(ids["yearly"], extension)))
    mass = str(uuid.uuid4())
    check(f"{label}: extendRenewalDateForAllActiveSubscribers", lambda:
          client.extend_renewal_date_for_all_active_subscribers(MassExtendRenewalDateRequest(
              extendByDays=2, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE,
              requestIdentifier=mass, storefrontCountryCodes=["USA", "MEX"], productId=MONTHLY,
          )).requestIdentifier == mass)
    check(f"{label}: its status before", lambda:
          client.get_status_of_subscription_renewal_date_extensions(mass, MONTHLY).complete
          is False)
    store.advance(1)
    check(f"{label}: its status after", lambda:
          client.get_status_of_subscription_renewal_date_extensions(mass, MONTHLY).succeededCount
          == 1)
    store.post(f"/control/transactions/{ids['coins']}/refund", {"reason": 1})

    def refunds():
        answer = client.get_refund_history(ids["coins"], None)
        found = [verifier.verify_and_decode_signed_transaction(text)
                 for text in answer.signedTransactions]
        again = client.get_refund_history(ids["coins"], answer.revision)
        return len(found) == 1 and found[0].revocationDate is not None and (
            again.signedTransactions == [] and not answer.hasMore)
    check(f"{label}: getRefundHistory, verified, and nothing after it", refunds)


def notifications(store, sink, ids, label):
    client, verifier = store.client, store.verifier
    store.post("/control/notifications/drain")
    payloads = [verifier_outcome(verifier, body) for body in sink.bodies]
    wrong = [payload for payload in payloads if isinstance(payload, Exception)]
    check(f"{label}: the verifier accepts all {len(payloads)} notifications and what is in them",
          lambda: True if payloads and not wrong else wrong[:1])
    kinds = {payload.notificationType for payload in payloads if not isinstance(payload, Exception)}
    for kind in (NotificationTypeV2.SUBSCRIBED, NotificationTypeV2.ONE_TIME_CHARGE,
                 NotificationTypeV2.REFUND, NotificationTypeV2.RENEWAL_EXTENDED,
                 NotificationTypeV2.RENEWAL_EXTENSION):
        check(f"{label}: {kind.value} was sent", lambda k=kind: k in kinds)
    token = client.request_test_notification().testNotificationToken
    store.post("/control/notifications/drain")
    check(f"{label}: requestTestNotification and its status", lambda:
          verifier.verify_and_decode_notification(
              client.get_test_notification_status(token).signedPayload
          ).notificationType == NotificationTypeV2.TEST)
    check(f"{label}: the test's attempts", lambda: [
        attempt.sendAttemptResult.value
        for attempt in client.get_test_notification_status(token).sendAttempts] == ["SUCCESS"])
    check(f"{label}: getTestNotificationStatus of an unknown token", lambda: refused(
        APIError.TEST_NOTIFICATION_NOT_FOUND,
        lambda: client.get_test_notification_status(str(uuid.uuid4()))))
    start = store.now() - 30 * 86400 * 1000
    request = NotificationHistoryRequest(startDate=start, endDate=store.now() + 1)

    def history():
        first = client.get_notification_history(None, request)
        found = list(pages(first, lambda page: client.get_notification_history(
            page.paginationToken, request)))
        items = [item for page in found for item in page.notificationHistory]
        uuids = {verifier.verify_and_decode_notification(item.signedPayload).notificationUUID
                 for item in items}
        sent = {payload.notificationUUID for payload in payloads} | {token}
        return (len(found) > 1 and len(items) == len(uuids) and uuids == sent) or (
            len(found), len(items), len(uuids), len(sent))
    check(f"{label}: getNotificationHistory, all pages, verified", history)
    check(f"{label}: getNotificationHistory of a type", lambda: len(
        client.get_notification_history(None, NotificationHistoryRequest(
            startDate=start, endDate=store.now() + 1,
            notificationType=NotificationTypeV2.SUBSCRIBED,
            notificationSubtype=Subtype.INITIAL_BUY)).notificationHistory) == 2)
    check(f"{label}: getNotificationHistory of a customer's failures", lambda:
          client.get_notification_history(None, NotificationHistoryRequest(
              startDate=start, endDate=store.now() + 1, transactionId=ids["coins"],
              onlyFailures=True)).notificationHistory == [])
    check(f"{label}: getNotificationHistory too far back", lambda: refused(
        APIError.START_DATE_TOO_FAR_IN_PAST, lambda: client.get_notification_history(
            None, NotificationHistoryRequest(startDate=1, endDate=store.now()))))
    check(f"{label}: getNotificationHistory with a bad token", lambda: refused(
        APIError.INVALID_PAGINATION_TOKEN,
        lambda: client.get_notification_history("x", request)))


def verifier_outcome(verifier, body):
    """The payload with everything in it verified, or what went wrong."""
    try:
        payload = verifier.verify_and_decode_notification(body["signedPayload"])
        if payload.data is not None:
            if payload.data.signedTransactionInfo:
                verifier.verify_and_decode_signed_transaction(payload.data.signedTransactionInfo)
            if payload.data.signedRenewalInfo:
                verifier.verify_and_decode_renewal_info(payload.data.signedRenewalInfo)
        return payload
    except Exception as error:  # noqa: BLE001 - the outcome is looked at later
        return error


def retention(store, ids, label):
    client = store.client
    image, message = uuid.uuid4(), uuid.uuid4()
    body = UploadMessageRequestBody(
        header="Stay", body="It is worth it.",
        image=UploadMessageImage(imageIdentifier=image, altText="A house"))
    check(f"{label}: uploadImage", lambda: client.upload_image(image, PNG, ImageSize.FULL_SIZE))
    check(f"{label}: uploadImage twice", lambda: refused(
        APIError.IMAGE_ALREADY_EXISTS, lambda: client.upload_image(image, PNG)))
    check(f"{label}: uploadImage of no image", lambda: refused(
        APIError.INVALID_IMAGE, lambda: client.upload_image(uuid.uuid4(), b"GIF89a")))
    check(f"{label}: getImageList", lambda: [
        item.imageIdentifier for item in client.get_image_list().imageIdentifiers] == [image])
    check(f"{label}: uploadMessage", lambda: client.upload_message(message, body))
    check(f"{label}: getMessageList", lambda: [
        item.messageIdentifier
        for item in client.get_message_list().messageIdentifiers] == [message])
    check(f"{label}: deleteImage in use", lambda: refused(
        APIError.IMAGE_IN_USE, lambda: client.delete_image(image)))
    check(f"{label}: configureDefaultMessage", lambda: client.configure_default_message(
        MONTHLY, "en-US", DefaultConfigurationRequest(messageIdentifier=message)))
    check(f"{label}: getDefaultMessage", lambda:
          client.get_default_message(MONTHLY, "en-US").messageIdentifier == message)
    check(f"{label}: deleteDefaultMessage", lambda:
          client.delete_default_message(MONTHLY, "en-US"))
    url = "https://example.com/retention"
    check(f"{label}: configureRealtimeUrl", lambda:
          client.configure_realtime_url(RealtimeUrlRequest(realtimeURL=url)))
    check(f"{label}: getRealtimeUrl", lambda: client.get_realtime_url().realtimeURL == url)

    def performance():
        started = client.initiate_performance_test(
            PerformanceTestRequest(originalTransactionId=ids["monthly"]))
        return client.get_performance_test_results(started.requestId).target == url
    check(f"{label}: initiatePerformanceTest and its results", performance)
    check(f"{label}: deleteRealtimeUrl", lambda: client.delete_realtime_url())
    check(f"{label}: deleteMessage", lambda: client.delete_message(message))
    check(f"{label}: deleteImage", lambda: client.delete_image(image))
    check(f"{label}: deleteImage of none", lambda: refused(
        APIError.IMAGE_NOT_FOUND, lambda: client.delete_image(image)))


def tokens(store, other, label):
    unknown = store.api(store.p8, "AAAAAAAAAA", store.issuer, BUNDLE)
    check(f"{label}: an unknown key is refused", lambda: refused(
        401, lambda: unknown.get_transaction_info("42")))
    bundle = store.api(store.p8, store.key_id, store.issuer, "com.example.other")
    check(f"{label}: another bundle is refused", lambda: refused(
        401, lambda: bundle.get_transaction_info("42")))
    issuer = store.api(store.p8, store.key_id, str(uuid.uuid4()), BUNDLE)
    check(f"{label}: another issuer is refused", lambda: refused(
        401, lambda: issuer.get_transaction_info("42")))
    wrong = AppStoreServerAPIClient(
        store.p8, store.key_id, store.issuer, BUNDLE, store.environment)
    wrong._base_url = store.url + "/" + other
    check(f"{label}: the address of the other environment knows nothing", lambda: refused(
        APIError.TRANSACTION_ID_NOT_FOUND, lambda: wrong.get_transaction_info("42")))
    store.put("/control/rate-limits", {"areOn": True, "requestsPerHour": 1})
    check(f"{label}: within the rate", lambda: refused(
        APIError.TRANSACTION_ID_NOT_FOUND, lambda: store.client.get_transaction_info("42")))
    check(f"{label}: beyond the rate", lambda: refused(
        APIError.RATE_LIMIT_EXCEEDED, lambda: store.client.get_transaction_info("42")))
    store.put("/control/rate-limits", {"areOn": False})


def offers(store, label):
    transaction = "42"
    args = (store.p8, store.key_id, store.issuer, BUNDLE)
    path = "/control/offer-signatures/check"
    nonce, now = uuid.uuid4(), int(time.time() * 1000)
    parts = {"keyId": store.key_id, "productId": MONTHLY, "offerId": "loyal",
             "applicationUsername": TOKEN, "nonce": str(nonce), "timestamp": now}
    parts["signature"] = PromotionalOfferSignatureCreator(
        store.p8, store.key_id, BUNDLE).create_signature(MONTHLY, "loyal", TOKEN, nonce, now)
    check(f"{label}: promotional offer, version 1", lambda:
          store.post(path, parts)["verdict"] == "genuine")
    check(f"{label}: promotional offer, version 1, of another product", lambda:
          store.post(path, {**parts, "productId": YEARLY}).get("reason") == "wrongSignature")
    check(f"{label}: promotional offer, version 2", lambda: store.post(path, {
        "jws": PromotionalOfferV2SignatureCreator(*args).create_signature(
            MONTHLY, "loyal", transaction)})["offerId"] == "loyal")
    check(f"{label}: introductory offer eligibility", lambda: store.post(path, {
        "jws": IntroductoryOfferEligibilitySignatureCreator(*args).create_signature(
            MONTHLY, True, transaction)})["allowIntroductoryOffer"])

    check(f"{label}: Advanced Commerce request", lambda: store.post(path, {
        "jws": AdvancedCommerceAPIInAppSignatureCreator(*args).create_signature(
            AdvancedCommerceSubscriptionReactivateInAppRequest(
                requestInfo=AdvancedCommerceRequestInfo(requestReferenceId=uuid.uuid4()),
                transactionId=transaction))})["verdict"] == "genuine")


def codes_and_old_receipts(store, sink, label):
    made = store.post("/control/offer-codes", {
        "productId": COINS, "offer": "spring", "price": 10, "count": 1})
    bought = store.post("/control/purchases", {
        "device": "mia-phone", "productId": COINS, "offerCode": made[0]["code"]})

    def one_time():
        data = store.verifier.verify_and_decode_signed_transaction(bought["signedTransaction"])
        return (data.rawOfferDiscountType == "ONE_TIME" and data.rawOfferType == 3
                and data.offerIdentifier == "spring" and data.price == 10)
    check(f"{label}: a code of a one-time product", one_time)
    transaction = bought["transaction"]["transactionId"]
    old = store.get(f"/control/transactions/{transaction}/receipt")["receipt"]
    check(f"{label}: the receipt utility reads the receipt of one transaction", lambda:
          ReceiptUtility().extract_transaction_id_from_transaction_receipt(old) == transaction)
    check(f"{label}: verifyReceipt takes the receipt of one transaction", lambda: store.post(
        "/verifyReceipt", {"receipt-data": old})["receipt"]["transaction_id"] == transaction)

    def failed(word):
        store.put("/control/faults", {"notificationFailure": word})
        token = store.client.request_test_notification().testNotificationToken
        store.post("/control/notifications/drain", {})
        status = store.client.get_test_notification_status(token)
        store.put("/control/faults", {})
        return status.sendAttempts[0].sendAttemptResult == SendAttemptResult(word)
    for word in SendAttemptResult:
        if word not in (SendAttemptResult.SUCCESS,
                        SendAttemptResult.UNSUCCESSFUL_HTTP_RESPONSE_CODE):
            check(f"{label}: an attempt that comes to {word.value}", lambda: failed(word.value))


def app_receipts(store, ids, label):
    text = store.receipt("mia-phone")
    check(f"{label}: the receipt utility finds a transaction", lambda:
          store.client.get_transaction_info(
              ReceiptUtility().extract_transaction_id_from_app_receipt(text)
          ).signedTransactionInfo is not None)
    verifier = receipts.Verifier(receipts.Config(roots=[store.receipt_root]))
    result = verifier.verify_receipt(text)
    check(f"{label}: the receipt verifier accepts the receipt", lambda:
          result.verified or str(result.failure))
    check(f"{label}: the receipt verifier reads the bundle and the purchases", lambda:
          result.payload.bundle_id == BUNDLE and len(result.payload.in_app) > 3)
    broken = bytearray(base64.b64decode(text))
    broken[-1] ^= 1
    check(f"{label}: the receipt verifier refuses a broken receipt", lambda:
          not verifier.verify_receipt(base64.b64encode(broken).decode()).verified)
    signed = receipts.Verifier(receipts.Config(roots=[store.root]))
    jws = store.client.get_transaction_info(ids["coins"]).signedTransactionInfo
    check(f"{label}: the receipt verifier accepts signed data", lambda:
          signed.verify_signed_data(jws).verified
          or str(signed.verify_signed_data(jws).failure))

    secret = store.get("/control/shared-secret")["sharedSecret"]
    body = {"receipt-data": text, "password": secret}
    here, there = ("production", "sandbox") if "production" in label else ("sandbox", "production")
    answer = store.post(f"/{here}/verifyReceipt", body)
    check(f"{label}: verifyReceipt", lambda: answer["status"] == 0 or answer)
    check(f"{label}: verifyReceipt at the other address", lambda:
          store.post(f"/{there}/verifyReceipt", body)
          == {"status": 21008 if here == "production" else 21007})
    check(f"{label}: verifyReceipt with a wrong secret", lambda:
          store.post(f"/{here}/verifyReceipt", {**body, "password": "0" * 32})
          == {"status": 21004})

    def same():
        name = getattr(receipts.Environment, here.upper())
        theirs = json.loads(verifier.verify_receipt_endpoint(name, json.dumps(body)))
        for key in ("bundle_id", "receipt_type", "application_version",
                    "receipt_creation_date_ms", "receipt_creation_date",
                    "receipt_creation_date_pst", "original_purchase_date_ms"):
            assert theirs["receipt"].get(key) == answer["receipt"].get(key), key
        ours = {line["transaction_id"]: line for line in answer["receipt"]["in_app"]}
        for line in theirs["receipt"]["in_app"]:
            for key in ("product_id", "original_transaction_id", "purchase_date_ms",
                        "purchase_date", "purchase_date_pst", "expires_date_ms", "quantity",
                        "is_trial_period"):
                assert line.get(key) == ours[line["transaction_id"]].get(key), key
        return len(ours) == len(theirs["receipt"]["in_app"])
    check(f"{label}: verifyReceipt says what the receipt verifier's endpoint says", same)


def drive(store, label):
    sink = Sink()
    other = "production" if store.environment == Environment.SANDBOX else "sandbox"
    check(f"{label}: requestTestNotification without an address", lambda: refused(
        APIError.SERVER_NOTIFICATION_URL_NOT_FOUND,
        lambda: store.client.request_test_notification()))
    store.put("/control/notifications/url", {"url": sink.url})
    people(store)
    ids = transactions(store, label)
    changes(store, ids, label)
    notifications(store, sink, ids, label)
    retention(store, ids, label)
    tokens(store, other, label)
    offers(store, label)
    app_receipts(store, ids, label)
    codes_and_old_receipts(store, sink, label)


def main():
    warnings.simplefilter("ignore", DeprecationWarning)
    drive(Store(sys.argv[1], Environment.SANDBOX), "sandbox")
    drive(Store(sys.argv[2], Environment.PRODUCTION), "production")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
