"""Apple's own library: verifies and decodes notifications with the transaction and renewal info in them.

Arguments: a file of lines {"payload": {"signedPayload": …}}, the root certificate (PEM), how many lines.
"""
import base64
import json
import sys
import time

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

path, root, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
der = base64.b64decode("".join(open(root).read().split("-----")[2].split()))
verifier = SignedDataVerifier([der], False, Environment.PRODUCTION, "com.example.meditation", 1234567890)

with open(path) as file:
    lines = [next(file) for _ in range(count)]

start = time.perf_counter()
for line in lines:
    notification = verifier.verify_and_decode_notification(json.loads(line)["payload"]["signedPayload"])
    if notification.data and notification.data.signedTransactionInfo:
        verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
    if notification.data and notification.data.signedRenewalInfo:
        verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
print(json.dumps({"seconds": time.perf_counter() - start, "count": len(lines)}))
