-- The purpose of every table and view, and how the program treats it. Every list of tables, views and columns that the
-- program needs comes from here.
--
-- The comments are the data dictionary: what each table, view and column holds, its unit, and what NULL means. Other
-- engines run these statements unchanged. A view without a comment here is a step of a derivation, for other views. Its
-- file says what it is, and has its marks. A column without its own comment inherits one. It inherits the first comment
-- below on a column with the same name, because a name has one meaning. A column with another meaning needs its own
-- comment. Inside a comment, a line end and the spaces after it are one space.
--
-- Lines that begin with "-- @" describe the relation whose comment follows:
--   step                a step of a derivation, for other views; `subledger schema` lists it with --all only
--   projection          stored results of views; emptied, it changes no answer, only its speed
--   machinery           tables that protect the file and store texts
--   sealed NUMBER       the rows are append-only and sealed, under this number in seals
--   append_only         the rows are append-only, and not sealed
--   erasable COLUMNS    an erasure may rewrite these columns
--   removable           an erasure may remove rows
--   identity COLUMNS    ids of people; an erasure writes only a pseudonym there
--   constant            the rows are the same in every ledger
--   service             rows that a server keeps about its own work; it may change them, and no answer needs them
--   parameter           a view with the parameters of a query; in other engines a table that the caller fills
--   internal COLUMNS    columns that have no meaning outside of the file
--   text COLUMNS        columns with the text that arrived; exported only on request
--   unexported          never exported
--   exported            a step or projection that is exported
--   sqlite              a view for SQLite only, with texts of payloads
--   elsewhere RELATION  in other engines the view has the rows of this relation: only SQLite needs fewer
--   integer COLUMNS     computed columns that are integers; the other computed columns are text

-- Evidence: what Apple stated, and when.
-- @sealed 4
-- @erasable source, template_id, layout
-- @internal header_id, signature, template_id, layout, salt
-- @text source
COMMENT ON TABLE payload IS 'The payloads that arrived, each different text once. payload_text has the whole text.
  stg_payload has the instants at which Apple stated it and the ledger recorded it.';
COMMENT ON COLUMN payload.payload_id IS 'The number of a payload in this file: the source of a row, or the evidence for
  an answer.';
COMMENT ON COLUMN payload.digest IS 'The SHA-256 of the whole text as it arrived; 32 bytes.';
COMMENT ON COLUMN payload.kind IS 'The format: verify_receipt, notification_v1, notification_v2, subscription_statuses,
  transaction_history, refund_history, transaction_info, order_lookup, notification_history, test_notification_status,
  app_transaction_info, api_error, transaction, renewal_info, app_transaction, app_receipt, transaction_receipt or
  client_event.';
COMMENT ON COLUMN payload.trust IS 'The reason to trust it: verified (the signature leads to a trusted root), unsigned
  (accepted because of its source) or unverified (accepted without proof, and never in Production).';
COMMENT ON COLUMN payload.environment IS 'The environment: Production, Sandbox, Xcode, LocalTesting, Unverified
  (accepted without proof) or Unknown. Filter every query by one environment.';
COMMENT ON COLUMN payload.bundle_id IS 'The app, by its bundle id. NULL: not stated.';
COMMENT ON COLUMN payload.app_apple_id IS 'The app, by its number in the App Store, as text. NULL: not stated.';
COMMENT ON COLUMN payload.stated_at IS 'The instant that Apple states for the whole payload (signedDate,
  request_date_ms, receipt_creation_date_ms); milliseconds since 1970. NULL: it states none.';
COMMENT ON COLUMN payload.inferred_at IS 'The greatest past-facing date inside, for payloads that state no instant;
  milliseconds since 1970. NULL: not needed, or not found.';
COMMENT ON COLUMN payload.receipt_status IS 'The status of verifyReceipt if it is not 0, or the code of an API error.
  NULL: success, or the format has no status.';
COMMENT ON COLUMN payload.failure IS 'What the caller must do after a failed response: retry, ask_sandbox,
  ask_production, mend_request or permanent. NULL: no failure.';
COMMENT ON COLUMN payload.source IS 'The stored text, without the objects and payloads inside it. Where template_id
  is NULL, it is the whole text. Else it has the values of the template, with U+001F between them.';
COMMENT ON COLUMN payload.header_id IS 'The first segment of the signed text, or the certificates of an app receipt, in
  jws_header. NULL: not signed.';
COMMENT ON COLUMN payload.signature IS 'The signature; bytes. NULL: not signed.';
COMMENT ON COLUMN payload.root_id IS 'The root_certificate that every signature in it leads to. If there are several, it
  is an added one. NULL: a part of it is not signed.';
COMMENT ON COLUMN payload.template_id IS 'The text_template that the values of source belong to. NULL: source is the
  whole text.';
COMMENT ON COLUMN payload.salt IS 'A random number. The digest of the row''s erasable columns in a seal includes it.
  NULL: an erasure rewrote the row and destroyed the number.';
COMMENT ON COLUMN payload.layout IS 'The positions of Apple''s objects and other payloads in source. Each one has t, r,
  a or p (transaction_info, renewal_info, app_transaction_info, payload), the distance in bytes from the one before, and
  the difference of its number from that of the one of its kind before. NULL: source holds none.';

-- @sealed 5
COMMENT ON TABLE delivery IS 'The deliveries of a payload that affected an instant when they were recorded: the first
  one, each one before all others, and each one before all others with an explicit received instant. The earliest one
  gives the payload''s recorded_at.';
COMMENT ON COLUMN delivery.received_at IS 'When it was received; milliseconds since 1970.';
COMMENT ON COLUMN delivery.is_explicit IS '1: the caller gave the received instant to the importer. 0: it is from the
  importer''s own clock.';
COMMENT ON COLUMN delivery.source_line IS 'The number of the line in the file, from 1. NULL: the source is not a file of
  lines.';

-- @sealed 40
COMMENT ON TABLE root_certificate IS 'The root certificates that signatures lead to: Apple''s, and added ones.';
COMMENT ON COLUMN root_certificate.root_id IS 'The number of a root in this file.';
COMMENT ON COLUMN root_certificate.digest IS 'The SHA-256 of the certificate; 32 bytes.';
COMMENT ON COLUMN root_certificate.name IS 'The common name in the certificate.';
COMMENT ON COLUMN root_certificate.is_apple IS '1 for Apple Root CA G3, 0 for a root that was added with --trust.';

-- @sealed 1
-- @erasable name
-- @internal salt
COMMENT ON TABLE origin IS 'The sources of deliveries: a file, standard input, a queue or a catalogue.';
COMMENT ON COLUMN origin.origin_id IS 'The number of an origin in this file.';
COMMENT ON COLUMN origin.name IS 'The name, such as the path of the imported file.';

-- @sealed 6
COMMENT ON TABLE payload_part IS 'The payloads inside payloads, such as the notifications on a page of notification
  history.';
COMMENT ON COLUMN payload_part.payload_id IS 'The outer payload.';
COMMENT ON COLUMN payload_part.part_id IS 'The inner payload: a payload_id.';

-- @sealed 7
-- @erasable path, value
-- @internal salt
-- @text value
COMMENT ON TABLE problem IS 'Rows and fields inside a recorded payload that could not be used. The rest of the payload
  was used.';
COMMENT ON COLUMN problem.ordinal IS 'The position of the row among those of the same payload, version or text.';
COMMENT ON COLUMN problem.code IS 'The kind of problem, such as unreadable_instant, missing_transaction_id or
  unattributed_renewal.';
COMMENT ON COLUMN problem.path IS 'The position in the payload: a JSON path.';
COMMENT ON COLUMN problem.value IS 'The value at that position, shortened if it is long.';

-- @sealed 8
-- @erasable text
-- @internal salt
-- @removable
-- @unexported
COMMENT ON TABLE receipt_data IS 'The texts of latest_receipt. An import stores them only on request
  (--keep-latest-receipt).';
COMMENT ON COLUMN receipt_data.digest IS 'The SHA-256 of text; 32 bytes.';
COMMENT ON COLUMN receipt_data.text IS 'The receipt, in Base 64, as it arrived.';

-- @sealed 9
-- @erasable path, detail, advice
-- @internal salt
COMMENT ON TABLE quarantine IS 'The payloads that could not be recorded, and the reason. quarantine_bytes has their
  bytes. quarantine_release lists those that a later attempt recorded.';
COMMENT ON COLUMN quarantine.quarantine_id IS 'The number of a quarantined payload in this file.';
COMMENT ON COLUMN quarantine.digest IS 'The SHA-256 of its bytes; 32 bytes.';
COMMENT ON COLUMN quarantine.reason IS 'The reason for the quarantine: empty, malformed, truncated, not_utf8, too_deep,
  duplicate_key, too_long, unrecognised, nothing_usable, unusable_event, signature, unverified, foreign_bundle,
  from_the_future or unreadable_received_at.';
COMMENT ON COLUMN quarantine.path IS 'The position in the payload: a JSON path.';
COMMENT ON COLUMN quarantine.byte_offset IS 'The position in the payload, in bytes from 0. NULL: the reason concerns no
  single position.';
COMMENT ON COLUMN quarantine.detail IS 'A description of the error.';
COMMENT ON COLUMN quarantine.advice IS 'What to do next.';
COMMENT ON COLUMN quarantine.byte_count IS 'The length in bytes.';
COMMENT ON COLUMN quarantine.received_at IS 'When it was received; milliseconds since 1970.';

-- @sealed 10
-- @erasable bytes
-- @internal salt
-- @removable
-- @unexported
COMMENT ON TABLE quarantine_bytes IS 'The bytes of a quarantined payload without secrets. Many bytes are stored in
  several parts.';
COMMENT ON COLUMN quarantine_bytes.bytes IS 'The bytes of one part.';

-- @sealed 11
COMMENT ON TABLE quarantine_release IS 'The quarantined payloads that a later attempt recorded.';
COMMENT ON COLUMN quarantine_release.released_at IS 'When it was recorded; milliseconds since 1970.';

-- @sealed 38
COMMENT ON TABLE payload_mention IS 'Ids that recorded payloads name, although nothing about them could be read.';
COMMENT ON COLUMN payload_mention.identifier IS 'The id; text.';
COMMENT ON COLUMN payload_mention.kind IS 'What kind of id: transaction_id, original_transaction_id,
  web_order_line_item_id or notification_uuid.';

-- @sealed 39
COMMENT ON TABLE quarantine_mention IS 'Ids that payloads in quarantine name.';
COMMENT ON COLUMN quarantine_mention.identifier IS 'The id; text.';
COMMENT ON COLUMN quarantine_mention.kind IS 'What kind of id: transaction_id, original_transaction_id,
  web_order_line_item_id or notification_uuid.';

-- @sealed 12
COMMENT ON TABLE original_transaction IS 'Every subscription relationship and one-time purchase. The key is an
  environment and an original transaction id.';
COMMENT ON COLUMN original_transaction.original_transaction_key IS 'The number of an original transaction in this file:
  of a subscription or a one-time purchase.';
COMMENT ON COLUMN original_transaction.original_transaction_id IS 'Apple''s id of the first transaction, which is the
  same for all renewals; text. NULL: none was named.';

-- @sealed 13
-- @identity app_account_token
-- @erasable source, template_id
-- @internal header_id, signature, template_id, salt
-- @text source
COMMENT ON TABLE transaction_info IS 'What Apple stated of a transaction, field by field: each different text once. When
  it was stated: transaction_version.';
COMMENT ON COLUMN transaction_info.transaction_info_id IS 'The number of a transaction info in this file.';
COMMENT ON COLUMN transaction_info.transaction_id IS 'Apple''s id of a transaction; text. NULL: no transaction is
  named.';
COMMENT ON COLUMN transaction_info.transaction_key IS 'The number of a transaction in this file: transaction_info_id of
  the first text that was recorded of it. NULL: no transaction is named.';
COMMENT ON COLUMN transaction_info.digest IS 'The SHA-256 of its whole text; 32 bytes.';
COMMENT ON COLUMN transaction_info.source IS 'Its text; of a signed one the decoded payload. With a template only the
  values. The whole text is in transaction_info_text.';
COMMENT ON COLUMN transaction_info.product_id IS 'The product, by the id that the app gave it. NULL: none was named.';
COMMENT ON COLUMN transaction_info.purchase_at IS 'purchaseDate: when it was bought or renewed, and the period begins;
  milliseconds since 1970. NULL: no transaction is known or was stated.';
COMMENT ON COLUMN transaction_info.expires_at IS 'expiresDate: when the period ends by itself; milliseconds since 1970.
  NULL: it does not expire, or no transaction is known.';
COMMENT ON COLUMN transaction_info.revoked_at IS 'revocationDate or cancellation_date: when it was refunded, taken back,
  or ended by an upgrade; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN transaction_info.is_upgraded IS 'isUpgraded: 1 where an upgrade replaced it, and then revoked_at is no
  refund; else 0. NULL: no transaction is known.';
COMMENT ON COLUMN transaction_info.original_purchase_at IS 'originalPurchaseDate: when the first transaction was bought,
  or the app was first downloaded; milliseconds since 1970. NULL: not stated.';
COMMENT ON COLUMN transaction_info.web_order_line_item_id IS 'Apple''s id of one purchase or renewal, which a restore
  repeats under a new transaction_id; text. NULL: not stated.';
COMMENT ON COLUMN transaction_info.subscription_group_identifier IS 'The subscription group, in which a customer has one
  subscription at a time; text. NULL: not stated, or no subscription.';
COMMENT ON COLUMN transaction_info.type IS 'Auto-Renewable Subscription, Non-Renewing Subscription, Non-Consumable or
  Consumable. NULL: not stated.';
COMMENT ON COLUMN transaction_info.in_app_ownership_type IS 'PURCHASED, FAMILY_SHARED or ASSIGNED (by an organization).
  NULL: not stated.';
COMMENT ON COLUMN transaction_info.quantity IS 'How many were bought. NULL: not stated.';
COMMENT ON COLUMN transaction_info.transaction_reason IS 'PURCHASE or RENEWAL. NULL: not stated, as in receipts.';
COMMENT ON COLUMN transaction_info.revocation_reason IS 'Why it was refunded: 1 an issue with the app, 0 any other.
  NULL: not stated, or not refunded.';
COMMENT ON COLUMN transaction_info.revocation_type IS 'How it was taken back: REFUND_FULL, REFUND_PRORATED,
  FAMILY_REVOKE or ASSIGNMENT_REVOKE. NULL: not stated, as before December 2025, or not taken back.';
COMMENT ON COLUMN transaction_info.revocation_percentage IS 'How much of the price was given back, in thousandths of a
  percent: 100000 is all. NULL: not stated.';
COMMENT ON COLUMN transaction_info.is_trial_period IS '1 where the period is a free trial, else 0. NULL: not stated.';
COMMENT ON COLUMN transaction_info.is_in_intro_offer_period IS '1 where the period has an introductory price, else 0.
  NULL: not stated.';
COMMENT ON COLUMN transaction_info.offer_type IS '1 introductory, 2 promotional, 3 offer code, 4 win-back. NULL: no
  offer, or not stated.';
COMMENT ON COLUMN transaction_info.offer_identifier IS 'The offer''s id or reference name. NULL: no offer, an
  introductory one, or not stated.';
COMMENT ON COLUMN transaction_info.offer_discount_type IS 'FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME. NULL: no
  offer, or not stated.';
COMMENT ON COLUMN transaction_info.offer_period IS 'How long the offer runs; an ISO 8601 duration. NULL: no offer, or
  not stated.';
COMMENT ON COLUMN transaction_info.storefront IS 'The storefront''s country; three letters (ISO 3166). NULL: not stated,
  as in receipts.';
COMMENT ON COLUMN transaction_info.storefront_id IS 'Apple''s id of the storefront; text. NULL: not stated.';
COMMENT ON COLUMN transaction_info.price_milliunits IS 'The price that was paid, in milliunits of currency: 9990 is
  9.99; a free trial is 0. NULL: not stated, as in receipts.';
COMMENT ON COLUMN transaction_info.currency IS 'The currency of the amounts beside it; three letters (ISO 4217). NULL:
  not stated.';
COMMENT ON COLUMN transaction_info.app_account_token IS 'The UUID that the app gave with the purchase. NULL: it gave
  none, or it is not stated.';
COMMENT ON COLUMN transaction_info.app_transaction_id IS 'Apple''s id of the customer''s copy of the app, the same for
  all its purchases; text. NULL: not stated.';
COMMENT ON COLUMN transaction_info.billing_plan_type IS 'BILLED_UPFRONT or MONTHLY (a year''s commitment, paid by the
  month). NULL: not stated.';
COMMENT ON COLUMN transaction_info.commitment_billing_period_number IS 'Which payment of a commitment this is, from 1.
  NULL: no commitment.';
COMMENT ON COLUMN transaction_info.commitment_total_billing_periods IS 'How many payments the commitment has. NULL: no
  commitment.';
COMMENT ON COLUMN transaction_info.commitment_price_milliunits IS 'The price of the whole commitment, in milliunits of
  currency. NULL: no commitment, or not stated.';
COMMENT ON COLUMN transaction_info.commitment_expires_at IS 'When the commitment ends; milliseconds since 1970. NULL: no
  commitment.';
COMMENT ON COLUMN transaction_info.previous_original_transaction_id IS 'The subscription that this one was migrated
  from; text. NULL: none.';

-- @sealed 45
COMMENT ON TABLE transaction_seat_info IS 'What Apple stated of the seats of a transaction. A transaction info that
  states nothing about seats has no row.';
COMMENT ON COLUMN transaction_seat_info.transaction_info_id IS 'The transaction_info.';
COMMENT ON COLUMN transaction_seat_info.additional_transaction_reason IS 'additionalTransactionReason: why more than one
  transaction covers the period, such as SEAT_ADDITION. NULL: one transaction covers it.';
COMMENT ON COLUMN transaction_seat_info.invitation_management IS 'Who invites the members: APPLE or DEVELOPER. NULL: not
  stated.';
COMMENT ON COLUMN transaction_seat_info.revoked_seat_quantity IS 'How many of its seats were refunded. NULL: none.';

-- @sealed 46
COMMENT ON TABLE transaction_price_tier IS 'The seats that a transaction bought at each price. A transaction info without
  price tiers, or with some that do not add up to its quantity, has no rows.';
COMMENT ON COLUMN transaction_price_tier.transaction_info_id IS 'The transaction_info.';
COMMENT ON COLUMN transaction_price_tier.ordinal IS 'The position in Apple''s list, from 0.';
COMMENT ON COLUMN transaction_price_tier.price_milliunits IS 'The price of one seat, in milliunits of the transaction
  info''s currency.';
COMMENT ON COLUMN transaction_price_tier.quantity IS 'The number of seats at this price.';

-- @sealed 14
-- @identity app_account_token
-- @erasable source, template_id
-- @internal header_id, signature, template_id, salt
-- @text source
COMMENT ON TABLE renewal_info IS 'What Apple stated of a subscription''s renewal, field by field: each different text
  once. When it was stated: renewal_info_version.';
COMMENT ON COLUMN renewal_info.renewal_info_id IS 'The number of a renewal info in this file.';
COMMENT ON COLUMN renewal_info.digest IS 'The SHA-256 of its whole text; 32 bytes.';
COMMENT ON COLUMN renewal_info.source IS 'Its text; of a signed one the decoded payload. With a template only the
  values. The whole text is in renewal_info_text.';
COMMENT ON COLUMN renewal_info.product_id IS 'The product that it renews from. NULL: not stated.';
COMMENT ON COLUMN renewal_info.auto_renew_product_id IS 'The product that it renews to. NULL: not stated.';
COMMENT ON COLUMN renewal_info.auto_renew_status IS 'Whether renewal is on: 1, or off: 0. NULL: not stated.';
COMMENT ON COLUMN renewal_info.expiration_intent IS 'Why it expired: 1 the customer cancelled, 2 a billing error, 3 no
  consent to a price increase, 4 the product was not available, 5 another reason. NULL: not expired, or not stated.';
COMMENT ON COLUMN renewal_info.is_in_billing_retry_period IS '1 while Apple retries a failed payment, 0 where it has
  stopped or nothing failed. NULL: not stated: nothing failed.';
COMMENT ON COLUMN renewal_info.grace_period_expires_at IS 'gracePeriodExpiresDate: when a billing grace period ends; it
  stays, in the past, after grace has failed; milliseconds since 1970. NULL: no grace period.';
COMMENT ON COLUMN renewal_info.auto_renew_status_changed_at IS 'When renewal was last turned on or off (V1 only);
  milliseconds since 1970. NULL: not stated.';
COMMENT ON COLUMN renewal_info.price_increase_status IS '0 where the customer has not answered to a price increase, 1
  where they consented or only had to be informed. NULL: no price increase.';
COMMENT ON COLUMN renewal_info.price_consent_status IS '1 where the customer consented to a price increase, else 0.
  NULL: no consent was asked for.';
COMMENT ON COLUMN renewal_info.renewal_at IS 'renewalDate: when it renews next; milliseconds since 1970. NULL: not
  stated.';
COMMENT ON COLUMN renewal_info.renewal_price_milliunits IS 'What it renews for, in milliunits of currency. NULL: not
  stated.';
COMMENT ON COLUMN renewal_info.recent_subscription_start_at IS 'When the present run of paid service began, lapses under
  60 days overlooked; milliseconds since 1970. NULL: not stated.';
COMMENT ON COLUMN renewal_info.eligible_win_back_offer_ids IS 'The win-back offers that the customer may have, as a JSON
  list. NULL: not stated.';
COMMENT ON COLUMN renewal_info.renewal_billing_plan_type IS 'The plan that it renews with: BILLED_UPFRONT or MONTHLY.
  NULL: not stated.';
COMMENT ON COLUMN renewal_info.commitment_auto_renew_product_id IS 'The product that the commitment renews to. NULL: no
  commitment.';
COMMENT ON COLUMN renewal_info.commitment_auto_renew_status IS 'Whether the commitment renews: 1 or 0. NULL: no
  commitment.';
COMMENT ON COLUMN renewal_info.commitment_renewal_billing_plan_type IS 'The plan that the commitment renews with:
  BILLED_UPFRONT or MONTHLY. NULL: no commitment.';
COMMENT ON COLUMN renewal_info.commitment_renewal_at IS 'When the commitment renews; milliseconds since 1970. NULL: no
  commitment.';
COMMENT ON COLUMN renewal_info.commitment_renewal_price_milliunits IS 'What the commitment renews for, in milliunits of
  currency. NULL: no commitment.';

-- @sealed 47
COMMENT ON TABLE renewal_seat_info IS 'What Apple stated of the seats at the next renewal. A renewal info that states
  nothing about seats has no row.';
COMMENT ON COLUMN renewal_seat_info.renewal_info_id IS 'The renewal_info.';
COMMENT ON COLUMN renewal_seat_info.renewal_quantity IS 'renewalQuantity: the number of seats at the next renewal. NULL:
  not stated.';

-- @sealed 48
COMMENT ON TABLE renewal_price_tier IS 'The seats at each price at the next renewal. A renewal info without price tiers,
  or with some that do not add up to its quantity, has no rows.';
COMMENT ON COLUMN renewal_price_tier.renewal_info_id IS 'The renewal_info.';
COMMENT ON COLUMN renewal_price_tier.ordinal IS 'The position in Apple''s list, from 0.';
COMMENT ON COLUMN renewal_price_tier.price_milliunits IS 'The price of one seat, in milliunits of the renewal info''s
  currency.';
COMMENT ON COLUMN renewal_price_tier.quantity IS 'The number of seats at this price.';

-- @sealed 15
COMMENT ON TABLE transaction_version IS 'Each time that a payload stated a transaction. A refund, its reversal and an
  extension are versions of one transaction.';
COMMENT ON COLUMN transaction_version.version_id IS 'The number of a version in this file: of a transaction, in
  transaction_version. NULL: none is known.';
COMMENT ON COLUMN transaction_version.source_rank IS 'How strong the source is, 1 being the strongest: 1 signed (JWS), 2
  latest_receipt_info, 3 in_app.';
COMMENT ON COLUMN transaction_version.signed_at IS 'signedDate: when Apple signed it; milliseconds since 1970. NULL: not
  signed; the payload''s evidence_at stands for it.';

-- @sealed 16
COMMENT ON TABLE renewal_info_version IS 'Each time that a payload stated a renewal info.';
COMMENT ON COLUMN renewal_info_version.version_id IS 'The number of the renewal version in this file.';

-- @sealed 17
COMMENT ON TABLE status_claim IS 'Every status that Apple stated for a subscription. `subledger audit` compares it with
  the derived state. It decides nothing.';
COMMENT ON COLUMN status_claim.claim_id IS 'The number of the status claim in this file.';
COMMENT ON COLUMN status_claim.status IS '1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.';
COMMENT ON COLUMN status_claim.purchase_at IS 'purchaseDate of the transaction that came with the status; milliseconds
  since 1970. NULL: no transaction came with it.';

-- @sealed 18
COMMENT ON TABLE notification IS 'What a notification states beside its transaction and renewal info. One row for each
  notification.';
COMMENT ON COLUMN notification.notification_type IS 'Apple''s notificationType, such as DID_RENEW.';
COMMENT ON COLUMN notification.subtype IS 'Apple''s subtype, such as BILLING_RECOVERY. NULL: none.';
COMMENT ON COLUMN notification.notification_uuid IS 'Apple''s id of the notification, the same for each attempt to send
  it. NULL: V1, which has none.';
COMMENT ON COLUMN notification.version IS 'The version of the notification format, such as 2.0. NULL: V1.';
COMMENT ON COLUMN notification.original_transaction_key IS 'The original transaction that it is about. NULL: it is about
  none.';
COMMENT ON COLUMN notification.consumption_request_reason IS 'Why a customer requests a refund: UNINTENDED_PURCHASE,
  FULFILLMENT_ISSUE, UNSATISFIED_WITH_PURCHASE, LEGAL or OTHER. NULL: no such request, or not stated.';
COMMENT ON COLUMN notification.bundle_version IS 'The version of the app. NULL: not stated.';
COMMENT ON COLUMN notification.external_purchase_id IS 'Apple''s id of an external purchase token. NULL: it is not about
  such a token.';
COMMENT ON COLUMN notification.external_purchase_token_type IS 'ACQUISITION, SERVICES or CORE_TECHNOLOGY. NULL: not
  stated.';
COMMENT ON COLUMN notification.external_purchase_token_created_at IS 'When the external purchase token was created;
  milliseconds since 1970. NULL: not stated.';
COMMENT ON COLUMN notification.external_purchase_token_expires_at IS 'When the external purchase token expires;
  milliseconds since 1970. NULL: not stated.';
COMMENT ON COLUMN notification.request_identifier IS 'The app''s id of a request to extend the renewal dates of all
  subscribers. NULL: not a summary of such a request.';
COMMENT ON COLUMN notification.summary_product_id IS 'The product whose renewal dates were extended. NULL: not a
  summary of such a request.';
COMMENT ON COLUMN notification.succeeded_count IS 'The number of extended subscriptions. NULL: not a summary of such
  a request.';
COMMENT ON COLUMN notification.failed_count IS 'The number of subscriptions that could not be extended. NULL: not a
  summary of such a request.';

-- @sealed 49
COMMENT ON TABLE seat_release IS 'The seat claims that Apple released, by notifications of the type UNCLAIM_SEATS.';
COMMENT ON COLUMN seat_release.seat_claim_id IS 'Apple''s id of the claim; text.';
COMMENT ON COLUMN seat_release.payload_id IS 'The notification, by its payload_id.';

-- @sealed 19
-- @erasable source, template_id
-- @internal header_id, signature, template_id, salt
-- @text source
COMMENT ON TABLE app_transaction_info IS 'What Apple stated of the customer''s copy of the app itself, field by field:
  each different text once. When it was stated: app_transaction_version.';
COMMENT ON COLUMN app_transaction_info.app_transaction_info_id IS 'The number of an app transaction info in this file.';
COMMENT ON COLUMN app_transaction_info.digest IS 'The SHA-256 of its whole text; 32 bytes.';
COMMENT ON COLUMN app_transaction_info.source IS 'Its text; of a signed one the decoded payload. With a template only
  the values. The whole text is in app_transaction_info_text.';
COMMENT ON COLUMN app_transaction_info.application_version IS 'The version of the app that asked. NULL: not stated.';
COMMENT ON COLUMN app_transaction_info.original_application_version IS 'The version that the customer first got. NULL:
  not stated.';
COMMENT ON COLUMN app_transaction_info.original_purchase_at IS 'When the customer first got the app; milliseconds since
  1970. NULL: not stated.';
COMMENT ON COLUMN app_transaction_info.preorder_at IS 'When it was ordered in advance; milliseconds since 1970. NULL: it
  was not.';
COMMENT ON COLUMN app_transaction_info.original_platform IS 'Where it was first got: iOS, macOS, tvOS or visionOS. NULL:
  not stated.';

-- @sealed 20
COMMENT ON TABLE app_transaction_version IS 'Each time that a payload stated an app transaction.';
COMMENT ON COLUMN app_transaction_version.version_id IS 'The number of the version in this file.';

-- @sealed 21
COMMENT ON TABLE order_lookup IS 'The order that a response of Look Up Order ID is about. The response does not contain
  the order id, so the caller gives it to the importer.';
COMMENT ON COLUMN order_lookup.order_id IS 'The order id that customers see on their receipts.';

-- @sealed 22
COMMENT ON TABLE send_attempt IS 'Apple''s attempts to send a notification, from pages of notification history.';
COMMENT ON COLUMN send_attempt.payload_id IS 'The page of notification history.';
COMMENT ON COLUMN send_attempt.notification_id IS 'The notification, by its payload_id.';
COMMENT ON COLUMN send_attempt.attempted_at IS 'When Apple tried; milliseconds since 1970.';
COMMENT ON COLUMN send_attempt.result IS 'The result of the attempt, such as SUCCESS, TIMED_OUT or TLS_ISSUE. NULL: not
  stated.';

-- Derived from the evidence: who has access, and what was bought. One row for each query. In any SQLite tool, the query
-- is about now. `subledger query --as-of … --known-at …` uses other instants.
-- @step
-- @parameter
-- @integer as_of, known_at, minimum_trust
COMMENT ON VIEW param_query IS 'The instants of the query. In the file they are now, with everything that is known.';
COMMENT ON COLUMN param_query.as_of IS 'The instant that the query is about; milliseconds since 1970.';
COMMENT ON COLUMN param_query.known_at IS 'The limit of knowledge: only what was recorded by this instant counts;
  milliseconds since 1970.';
COMMENT ON COLUMN param_query.minimum_trust IS 'The evidence that counts: 0 all, 1 signed, 2 signed by Apple. It is the
  same in all rows.';

-- @integer has_access, access_ends_at, confirmed, will_renew, is_renewal_contradictory
COMMENT ON VIEW entitlement IS 'Who has access. One row for each subscription, with the rule that decided and the fields
  of the deciding transaction.';
COMMENT ON COLUMN entitlement.state IS 'active, grace_period, billing_retry, expired or revoked.';
COMMENT ON COLUMN entitlement.has_access IS '1 if there is access, else 0.';
COMMENT ON COLUMN entitlement.access_ends_at IS 'When access ends or ended; milliseconds since 1970. NULL: no end.';
COMMENT ON COLUMN entitlement.confirmed IS '0 if a period has ended and a renewal may be missing from the ledger. Also 0
  if only contradictory payloads support the answer. Then ask Apple before you deny access. Else 1.';
COMMENT ON COLUMN entitlement.trust IS 'The reason to trust the evidence that decided: verified (signed), unsigned
  (accepted because of its source) or unverified. The lower one of the deciding transaction''s and the deciding renewal
  info''s.';
COMMENT ON COLUMN entitlement.added_root IS 'The root that its signature leads to, if that root was added with --trust.
  NULL: Apple''s root, or not signed.';
COMMENT ON COLUMN entitlement.is_contradictory IS '1 if a payload that decided contradicts itself, else 0. Two of its
  keys then state one date differently. It may be forged or edited.';
COMMENT ON COLUMN entitlement.is_renewal_contradictory IS '1 if the deciding renewal info contradicts itself, else 0. It
  then states that the customer cancelled (expiration_intent 1), and also that auto-renew is on.';
COMMENT ON COLUMN entitlement.will_renew IS 'The latest auto-renew status: 1 on, 0 off. NULL: not stated.';
COMMENT ON COLUMN entitlement.next_product_id IS 'The product of the next renewal, from the latest renewal info. NULL:
  not stated.';
COMMENT ON COLUMN entitlement.expiration_reason IS 'Why it expired: customer_cancelled, billing_error,
  price_increase_not_accepted, product_unavailable or other. NULL: not expired, or not stated.';
COMMENT ON COLUMN entitlement.rule IS 'The rule that decided: covered, revoked, grace, retry, retry_exhausted, lapsed,
  unconfirmed or superseded.';
COMMENT ON COLUMN entitlement.evidence_at IS 'The newest evidence_at of the subscription; milliseconds since 1970.';
COMMENT ON COLUMN entitlement.expires_at IS 'When the period of the deciding transaction ends; milliseconds since
  1970.';
COMMENT ON COLUMN entitlement.revoked_at IS 'When the deciding transaction was refunded or revoked, also if that is
  after as_of; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN entitlement.grace_period_expires_at IS 'When a grace period later than expires_at ends or ended;
  milliseconds since 1970. NULL: there was none.';
COMMENT ON COLUMN entitlement.seats IS 'The number of seats: 0 without access. NULL: a member''s own subscription, or
  the number is not known.';
COMMENT ON COLUMN entitlement.seats_next IS 'The number of seats at the next renewal, from the latest renewal info.
  NULL: not stated.';
COMMENT ON COLUMN entitlement.version_id IS 'The transaction_version of the deciding transaction.';
COMMENT ON COLUMN entitlement.renewal_info_version_id IS 'The renewal_info_version that decides for a lapsed
  subscription. NULL: none decides.';

COMMENT ON VIEW entitlement_state IS 'Who has access, without the fields of the deciding transaction. Use it for
  counts.';
COMMENT ON COLUMN entitlement_state.evidence_at IS 'The newest evidence_at of the subscription; milliseconds since
  1970.';
COMMENT ON COLUMN entitlement_state.version_id IS 'The transaction_version of the deciding transaction.';
COMMENT ON COLUMN entitlement_state.expires_at IS 'When the period of the deciding transaction ends; milliseconds since
  1970.';
COMMENT ON COLUMN entitlement_state.revoked_at IS 'When the deciding transaction was refunded or revoked, also if that
  is after as_of; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN entitlement_state.grace_period_expires_at IS 'When a grace period later than expires_at ends or ended;
  milliseconds since 1970. NULL: there was none.';

-- @integer is_free, price_milliunits, refunded_milliunits, is_counted, is_paid_by_owner, refunded_share
-- @integer revoked_seat_quantity, is_refund_estimated
COMMENT ON VIEW transaction_current IS 'Every transaction that had begun, in its current version. One row for each
  transaction. Later changes than as_of are not shown.';
COMMENT ON COLUMN transaction_current.revoked_at IS 'When it was refunded, revoked or ended by an upgrade (is_upgraded),
  at or before as_of; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN transaction_current.is_upgraded IS '1 if an upgrade had replaced it by as_of, else 0. Its revoked_at
  is then not a refund.';
COMMENT ON COLUMN transaction_current.price_milliunits IS 'The price that was paid, in milliunits of currency: 9990 is
  9.99. A free trial is 0. For several seats it is the total of the price tiers. NULL: not stated, as in receipts, or not
  paid by its owner (family sharing, assigned seats).';
COMMENT ON COLUMN transaction_current.additional_transaction_reason IS 'Why several transactions cover the period, such
  as SEAT_ADDITION. NULL: it is the only one.';
COMMENT ON COLUMN transaction_current.revoked_seat_quantity IS 'How many of its seats were refunded at or before as_of.
  NULL: none.';
COMMENT ON COLUMN transaction_current.refunded_share IS 'The refunded share of the price; thousandths of a percent. NULL:
  not refunded.';
COMMENT ON COLUMN transaction_current.is_refund_estimated IS '1 if seats were refunded and Apple stated no share of the
  price. The refunded amount is then the share of the seats. Else 0.';
COMMENT ON COLUMN transaction_current.refunded_milliunits IS 'The refunded amount, in milliunits of currency. NULL: not
  refunded, or the price is not known.';
COMMENT ON COLUMN transaction_current.is_counted IS '1 for one transaction of each purchase, 0 for its copies, which
  restores create. Count and sum only rows with 1.';
COMMENT ON COLUMN transaction_current.is_paid_by_owner IS '0 if it is family-shared or an assigned seat, else 1.';
COMMENT ON COLUMN transaction_current.is_free IS '1 if the offer or the price makes it free, else 0.';
COMMENT ON COLUMN transaction_current.trust IS 'The reason to trust the payload of the current version: verified
  (everything in it is signed), unsigned or unverified.';

COMMENT ON VIEW one_time_purchase IS 'Purchases that do not renew automatically, and whether they grant access. One row
  for each transaction.';
COMMENT ON COLUMN one_time_purchase.type IS 'Auto-Renewable Subscription, Non-Renewing Subscription, Non-Consumable,
  Consumable or unknown. It comes from the transaction, else from the catalogue, else from other evidence of the
  product.';
COMMENT ON COLUMN one_time_purchase.state IS 'active, expired, revoked, consumable (grants no entitlement) or unknown
  (the type is not known).';
COMMENT ON COLUMN one_time_purchase.rule IS 'The rule that decided: bought, within_duration, duration_over, revoked,
  consumable or unknown_type.';
COMMENT ON COLUMN one_time_purchase.access_ends_at IS 'When access ends or ended; milliseconds since 1970. NULL: no end,
  or no access at any time.';
COMMENT ON COLUMN one_time_purchase.revoked_at IS 'When it was refunded or revoked, also if that is after as_of;
  milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN one_time_purchase.ends_at IS 'When a non-renewing subscription ends by the catalogue''s duration;
  milliseconds since 1970. NULL: it has no end, or no duration is known.';
COMMENT ON COLUMN one_time_purchase.confirmed IS '0 if only contradictory payloads state it, else 1.';
COMMENT ON COLUMN one_time_purchase.is_contradictory IS '1 if the payload that decided contradicts itself, else 0. It
  may be forged or edited.';
COMMENT ON COLUMN one_time_purchase.trust IS 'The reason to trust the payload of the current version: verified
  (everything in it is signed), unsigned or unverified.';

-- @integer related_at
COMMENT ON VIEW history_event IS 'The events of each original transaction up to as_of. One row for each event.';
COMMENT ON COLUMN history_event.event IS 'The kind of event: notification, purchase, trial, period, upgraded, revoked,
  returned, changed_at_once, changed_at_renewal, changed_on_return, send_attempt, renewal_on, renewal_off, product_next,
  seats_added, seats_refunded, seats_next, grace, retry_began, retry_ended or price_increase.';
COMMENT ON COLUMN history_event.happened_at IS 'When it happened, as Apple states it; milliseconds since 1970.';
COMMENT ON COLUMN history_event.recorded_at IS 'When the ledger recorded it; milliseconds since 1970.';
COMMENT ON COLUMN history_event.product_id IS 'The product that it is about. NULL: none is stated.';
COMMENT ON COLUMN history_event.is_inferred IS '1 if Apple stated no date for it, else 0. Then it happened at or after
  happened_at.';
COMMENT ON COLUMN history_event.auto_renew_status IS 'For a change of auto-renew, or a notification of one: 1 on, 0 off.
  NULL: another event, or not stated.';
COMMENT ON COLUMN history_event.detail IS 'For a notification its type, for a period its transaction_reason, for a
  revocation its type. For a change the product before or next, for a send attempt its result, for a price increase its
  status. NULL: none.';
COMMENT ON COLUMN history_event.second_detail IS 'For a notification its subtype, for a period its in_app_ownership_type. For a
  revocation its reason, for a send attempt the type of the notification. NULL: none.';
COMMENT ON COLUMN history_event.related_at IS 'A second instant; milliseconds since 1970. It is the end of the period, of
  the grace period, or of the period before a change. NULL: none.';

-- @integer requested_at, answered_at
COMMENT ON VIEW refund_request IS 'Refund requests, from Apple''s notification CONSUMPTION_REQUEST, and their
  outcomes.';
COMMENT ON COLUMN refund_request.transaction_id IS 'The transaction of the request. NULL: a V1 notification, which does
  not state it.';
COMMENT ON COLUMN refund_request.requested_at IS 'When Apple sent the request; milliseconds since 1970.';
COMMENT ON COLUMN refund_request.reason IS 'Why the customer requests it: UNINTENDED_PURCHASE, FULFILLMENT_ISSUE,
  UNSATISFIED_WITH_PURCHASE, LEGAL or OTHER. NULL: not stated.';
COMMENT ON COLUMN refund_request.outcome IS 'refunded or declined. NULL: still open.';
COMMENT ON COLUMN refund_request.answered_at IS 'When it was refunded or declined; milliseconds since 1970. NULL: still
  open.';
COMMENT ON COLUMN refund_request.payload_id IS 'The notification with the request.';
COMMENT ON COLUMN refund_request.transaction_key IS 'The number of the transaction in this file. NULL: a V1
  notification, which does not state it.';

-- @step
-- @sqlite
COMMENT ON VIEW int_scope_derived IS 'The query scope that entitlement_period does not answer.';
-- For analysts: the states of subscriptions, purchases as facts, and metrics as sums of metric deltas.
-- @integer renewal_number, start_at, end_at, grace_period_end_at, effective_end_at, is_auto_renewable
-- @integer is_trial_conversion, is_first_payment, is_payment, is_sandbox
-- @integer purchase_price_in_purchased_currency_milliunits, price_in_purchased_currency_milliunits, refunded_at
-- @integer unsubscribe_detected_at, billing_issues_detected_at, updated_at, trial_start_at
-- @integer previous_effective_end_at, is_offer_start, previous_offer_type, refunded_share
COMMENT ON VIEW transaction_fact IS 'Every purchase and renewal once, for analysts. One row for each period and each
  addition of seats, without restored copies. Columns have the names of RevenueCat''s transaction export where the meaning is the same. Filter
  every query by one environment.';
COMMENT ON COLUMN transaction_fact.original_store_transaction_id IS 'originalTransactionId. With environment, it is the
  key of the original transaction.';
COMMENT ON COLUMN transaction_fact.store_transaction_id IS 'transactionId. For a purchase that was restored, the first
  one.';
COMMENT ON COLUMN transaction_fact.renewal_number IS 'The number of the period in its subscription, from 1. Trials
  count. An addition of seats has the number of its period.';
COMMENT ON COLUMN transaction_fact.is_addition IS '1 if it added seats to a period that an earlier transaction began, else
  0. It is a payment and begins no period.';
COMMENT ON COLUMN transaction_fact.product_identifier IS 'productId. NULL: not stated.';
COMMENT ON COLUMN transaction_fact.product_display_name IS 'The product''s reference name in the catalogue. NULL: not in
  the catalogue.';
COMMENT ON COLUMN transaction_fact.product_duration IS 'The length of one period in the catalogue; ISO 8601 duration.
  NULL: not in the catalogue.';
COMMENT ON COLUMN transaction_fact.country IS 'The country of the storefront; three letters (ISO 3166). NULL: not
  stated, as in receipts.';
COMMENT ON COLUMN transaction_fact.start_at IS 'When the period began; milliseconds since 1970.';
COMMENT ON COLUMN transaction_fact.end_at IS 'When the period ends without a refund or an upgrade; milliseconds since
  1970. NULL: it does not expire.';
COMMENT ON COLUMN transaction_fact.grace_period_end_at IS 'When the grace period after a failed payment ends or ended;
  milliseconds since 1970. NULL: no grace period.';
COMMENT ON COLUMN transaction_fact.effective_end_at IS 'When the access of this period ended or will end; milliseconds
  since 1970. That is the end of the period or its grace period, a refund, or the start of the next period. NULL: no
  end.';
COMMENT ON COLUMN transaction_fact.is_auto_renewable IS '1 if it expires and may renew, else 0.';
COMMENT ON COLUMN transaction_fact.is_trial_period IS '1 if it was free, else 0.';
COMMENT ON COLUMN transaction_fact.is_in_intro_offer_period IS '1 if it had a paid introductory price, else 0.';
COMMENT ON COLUMN transaction_fact.is_trial_conversion IS '1 if it is the payment after a free period, else 0.';
COMMENT ON COLUMN transaction_fact.is_first_payment IS '1 if it is the first payment of the subscription, else 0.';
COMMENT ON COLUMN transaction_fact.is_payment IS '1 if its holder paid for it. 0 if it is free, shared or assigned.';
COMMENT ON COLUMN transaction_fact.is_sandbox IS '1 if its environment is not Production, else 0.';
COMMENT ON COLUMN transaction_fact.ownership_type IS 'PURCHASED, FAMILY_SHARED or ASSIGNED.';
COMMENT ON COLUMN transaction_fact.offer IS 'The identifier of the offer. NULL: no offer, or an introductory one.';
COMMENT ON COLUMN transaction_fact.purchased_currency IS 'The currency of the amounts; ISO 4217. NULL: not stated, as in
  receipts.';
COMMENT ON COLUMN transaction_fact.purchase_price_in_purchased_currency_milliunits IS 'The price that was paid, also if
  it was refunded, in milliunits of purchased_currency. NULL: not stated, or not paid by its holder.';
COMMENT ON COLUMN transaction_fact.price_in_purchased_currency_milliunits IS 'The price that was paid, less the refund,
  in milliunits of purchased_currency. NULL: not stated, or not paid by its holder.';
COMMENT ON COLUMN transaction_fact.refunded_milliunits IS 'The refunded amount, in milliunits of purchased_currency.
  NULL: not refunded, or the price is not known.';
COMMENT ON COLUMN transaction_fact.refunded_share IS 'The refunded share of the price; thousandths of a percent. NULL:
  not refunded.';
COMMENT ON COLUMN transaction_fact.refunded_at IS 'When it was refunded or revoked; milliseconds since 1970. An upgrade
  is not a refund. NULL: it was not.';
COMMENT ON COLUMN transaction_fact.period_refunded_at IS 'When all transactions of its period were refunded or revoked;
  milliseconds since 1970. Without additions of seats, it is refunded_at. NULL: they were not.';
COMMENT ON COLUMN transaction_fact.unsubscribe_detected_at IS 'Since when auto-renew was off, as last stated in this
  period; milliseconds since 1970. NULL: it was on, or is not stated.';
COMMENT ON COLUMN transaction_fact.billing_issues_detected_at IS 'When the payment for the next period failed;
  milliseconds since 1970. NULL: it did not fail.';
COMMENT ON COLUMN transaction_fact.updated_at IS 'When Apple stated its current version; milliseconds since 1970.';
COMMENT ON COLUMN transaction_fact.trial_start_at IS 'When the trial began that this period is, or that came before it;
  milliseconds since 1970. NULL: no such trial.';
COMMENT ON COLUMN transaction_fact.previous_effective_end_at IS 'When the access of the period before ended; milliseconds
  since 1970. NULL: it is the first period, or the one before has no end.';
COMMENT ON COLUMN transaction_fact.previous_product_identifier IS 'The product of the period before. NULL: it is the
  first period, or not stated.';
COMMENT ON COLUMN transaction_fact.previous_offer_type IS 'The offer_type of the period before. NULL: no offer, or no
  period before.';
COMMENT ON COLUMN transaction_fact.previous_offer IS 'The offer of the period before. NULL: no offer, an introductory
  one, or no period before.';
COMMENT ON COLUMN transaction_fact.is_offer_start IS '1 if an offer began with it, else 0.';
COMMENT ON COLUMN transaction_fact.is_after_paid_year IS '1 if 365 days of paid service came before it without a gap of
  more than 60 days, else 0. Apple''s commission is reduced then.';
COMMENT ON VIEW state_history IS 'The states of each subscription by the rules. Nothing in a row changes from begins_at
  until ends_at. The row that contains an instant is the answer of entitlement for that instant.';
COMMENT ON COLUMN state_history.begins_at IS 'The first instant of the row; milliseconds since 1970.';
COMMENT ON COLUMN state_history.ends_at IS 'The first instant after the row; milliseconds since 1970. NULL: no end.';
COMMENT ON COLUMN state_history.state IS 'active, grace_period, billing_retry, expired or revoked.';
COMMENT ON COLUMN state_history.rule IS 'The rule that decided: covered, revoked, grace, retry, retry_exhausted, lapsed,
  unconfirmed or superseded.';
COMMENT ON COLUMN state_history.grace_period_expires_at IS 'When a grace period later than expires_at ends or ended;
  milliseconds since 1970. NULL: there was none, or the period has not ended.';
-- @unexported
-- @integer period_number, is_complete, of_amount
COMMENT ON VIEW metric_figure IS 'The metrics of a report for each period: see subledger report list. In the file, they
  are what the last report stored, for the last 24 months and the current one, in Production, without a dimension. subledger
  report and subledger query first store what was imported since.';
COMMENT ON COLUMN metric_figure.metric IS 'The metric: subledger report list describes each one.';
COMMENT ON COLUMN metric_figure.begins_at IS 'When the period begins; milliseconds since 1970.';
COMMENT ON COLUMN metric_figure.ends_at IS 'When the next period begins; milliseconds since 1970.';
COMMENT ON COLUMN metric_figure.period_number IS 'The number of the period, from 1.';
COMMENT ON COLUMN metric_figure.is_complete IS '1 if the period was over at as_of, else 0.';
COMMENT ON COLUMN metric_figure.product IS 'The product id. NULL: the report is not split by product.';
COMMENT ON COLUMN metric_figure.duration IS 'The length of a period, such as P1M, or unknown. For retention, a plan of a
  year that is paid each month is P1Y monthly. NULL: the report is not split by duration.';
COMMENT ON COLUMN metric_figure.country IS 'The country of the storefront; three letters (ISO 3166), or unknown. NULL: the
  report is not split by country.';
COMMENT ON COLUMN metric_figure.offer IS 'The identifier of the offer, introductory or none. NULL: the report is not split
  by offer.';
COMMENT ON COLUMN metric_figure.offer_type IS 'introductory, promotional, offer_code, win_back, other or none. NULL: the
  report is not split by type of offer.';
COMMENT ON COLUMN metric_figure.reason IS 'The reason; each metric has its own. none: it has none. NULL: the report is not
  split by reason.';
COMMENT ON COLUMN metric_figure.detail IS 'The customer''s reason for a refund request, or none. NULL: the report is not split
  by it.';
COMMENT ON COLUMN metric_figure.app IS 'The bundle id of the app, or unknown. NULL: the report is not split by app.';
COMMENT ON COLUMN metric_figure.currency IS 'The currency of the amount; ISO 4217. NULL: the amount is a number, or
  Apple stated no currency.';
COMMENT ON COLUMN metric_figure.step IS 'The number of a payment (0 is the first), or of days. NULL: the metric or
  measure has no such number.';
COMMENT ON COLUMN metric_figure.amount IS 'The amount: a number, or milliunits of currency.';
COMMENT ON COLUMN metric_figure.of_amount IS 'For a share, the amount that it is a share of. For retention, the number
  of payments that were due by then. NULL: it is not a share.';
-- @integer month_begins_at, subscription_count
COMMENT ON VIEW expiring IS 'The number of subscriptions with access, by the month in which it ends.';
COMMENT ON COLUMN expiring.month_begins_at IS 'The first instant of the month (UTC); milliseconds since 1970.';
COMMENT ON COLUMN expiring.subscription_count IS 'The number of subscriptions.';
-- @integer of_subscription_count
COMMENT ON VIEW data_quality IS 'What the ledger does not know about its subscriptions.';
COMMENT ON COLUMN data_quality.gap IS 'What is missing: no_price, no_renewal_info, unconfirmed,
  incomplete_period or no_evidence_in_35_days.';
COMMENT ON COLUMN data_quality.subscription_count IS 'The number of subscriptions with this gap.';
COMMENT ON COLUMN data_quality.of_subscription_count IS 'The number of all subscriptions in the environment.';
-- @integer factor
COMMENT ON VIEW metric_measure IS 'The measures that each metric consists of.';
COMMENT ON COLUMN metric_measure.part IS 'amount, or of: the amount that a share is a share of.';
COMMENT ON COLUMN metric_measure.measure IS 'The measure: what a metric delta counts or adds up.';
COMMENT ON COLUMN metric_measure.kind IS 'flow (the sum in a period), balance (the sum up to its end) or opening (the
  sum up to its beginning).';
COMMENT ON COLUMN metric_measure.factor IS 'The factor of the measure: 1, -1 or 12.';
COMMENT ON VIEW exchange_rate IS 'The value of one unit of a currency in another currency, by rates that were recorded
  by known_at. It is rate_numerator / rate_denominator from begins_at until ends_at.';
COMMENT ON COLUMN exchange_rate.rate_numerator IS 'The rate multiplied by rate_denominator.';
COMMENT ON COLUMN exchange_rate.rate_denominator IS 'The divisor of the rate: 1000000 or 1000000000.';
COMMENT ON COLUMN exchange_rate.into_currency IS 'The currency in which the value is expressed; ISO 4217.';
COMMENT ON COLUMN exchange_rate.begins_at IS 'The first instant at which the rate is valid; milliseconds since 1970.';
COMMENT ON COLUMN exchange_rate.ends_at IS 'The first instant at which the rate is no longer valid; milliseconds since
  1970. NULL: no end.';
COMMENT ON COLUMN exchange_rate.currency IS 'The currency whose unit has this value; ISO 4217.';
-- @step
-- @parameter
-- @integer by_product, by_duration, by_country, by_offer, by_offer_type, by_reason, by_detail, by_app
COMMENT ON VIEW param_report IS 'The parameters of a report, beside the instants of the query.';
COMMENT ON COLUMN param_report.metric IS 'The metric. NULL: all.';
COMMENT ON COLUMN param_report.bundle_id IS 'The app, by its bundle id. NULL: all.';
COMMENT ON COLUMN param_report.by_product IS '1 if the figures are split by product, else 0.';
COMMENT ON COLUMN param_report.by_duration IS '1 if the figures are split by length of a period, else 0.';
COMMENT ON COLUMN param_report.by_country IS '1 if the figures are split by country of the storefront, else 0.';
COMMENT ON COLUMN param_report.by_offer IS '1 if the figures are split by offer, else 0.';
COMMENT ON COLUMN param_report.by_offer_type IS '1 if the figures are split by type of offer, else 0.';
COMMENT ON COLUMN param_report.by_reason IS '1 if the figures are split by reason, else 0.';
COMMENT ON COLUMN param_report.by_detail IS '1 if the figures are split by detail, else 0.';
COMMENT ON COLUMN param_report.by_app IS '1 if the figures are split by app, else 0.';
COMMENT ON COLUMN param_report.currency IS 'The currency into which money is converted; ISO 4217. NULL: no conversion.';
COMMENT ON COLUMN param_report.environment IS 'The environment whose purchases count, such as Production.';
-- @step
-- @parameter
COMMENT ON VIEW param_report_day IS 'The days of a report, each with the number of its period.';
COMMENT ON COLUMN param_report_day.day_at IS 'The day (UTC); milliseconds since 1970.';
-- @sealed 37
COMMENT ON TABLE exchange_rate_entry IS 'The exchange rates that the ledger''s owner imported. For each day, the entry
  that was recorded last decides.';
COMMENT ON COLUMN exchange_rate_entry.entry_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN exchange_rate_entry.currency IS 'The currency whose unit has this value; ISO 4217.';
COMMENT ON COLUMN exchange_rate_entry.day_at IS 'The first day (UTC) at which the rate is valid; milliseconds since
  1970.';
COMMENT ON COLUMN exchange_rate_entry.entered_at IS 'When the entry was made; milliseconds since 1970.';
-- @projection
COMMENT ON TABLE projection_metric_dimensions IS 'The dimensions that metric deltas share. Emptied, it changes no
  answer.';
COMMENT ON COLUMN projection_metric_dimensions.reason IS 'The cause or category; each measure has its own values. NULL:
  the measure has none.';
COMMENT ON COLUMN projection_metric_dimensions.detail IS 'The customer''s reason for a refund request. NULL: not a
  refund request, or not stated.';
COMMENT ON COLUMN projection_metric_dimensions.name IS 'All dimensions as one text, which is different for each row.';
COMMENT ON COLUMN projection_metric_dimensions.product_id IS 'productId. NULL: not stated.';
COMMENT ON COLUMN projection_metric_dimensions.country IS 'The country of the storefront; three letters (ISO 3166).
  NULL: not stated.';
COMMENT ON COLUMN projection_metric_dimensions.currency IS 'The currency of the amounts; ISO 4217. NULL: the amounts are
  numbers, or Apple stated no currency.';
COMMENT ON COLUMN projection_metric_dimensions.offer_type IS '1 introductory, 2 promotional, 3 offer code, 4 win-back.
  NULL: no offer, or not stated.';
COMMENT ON COLUMN projection_metric_dimensions.offer_identifier IS 'The identifier of the offer. NULL: no offer, or an
  introductory one.';
COMMENT ON COLUMN projection_metric_dimensions.step IS 'The number of a payment (0 is the first), or of days. NULL: the
  measure has no such number.';
COMMENT ON COLUMN projection_metric_dimensions.dimensions_id IS 'The number of the row in this file.';
COMMENT ON COLUMN projection_metric_dimensions.own_months IS 'The number of months that a price is for, as the plan or offer
  states it. NULL: not stated, or the measure is not a price.';
COMMENT ON COLUMN projection_metric_dimensions.own_days IS 'The number of days that a price is for, as the offer states it.
  NULL: not stated, or the measure is not a price.';
COMMENT ON COLUMN projection_metric_dimensions.stated_days IS 'The number of days in the period. NULL: the measure is not a
  price.';
-- @projection
COMMENT ON TABLE projection_metric_delta IS 'The metric deltas of each original transaction. Emptied, it changes no
  report: the next one stores them again.';
COMMENT ON COLUMN projection_metric_delta.delta_id IS 'The number of the row in this file.';
COMMENT ON COLUMN projection_metric_delta.dimensions_id IS 'The row of projection_metric_dimensions.';
-- @projection
COMMENT ON TABLE projection_metric_delta_sum IS 'The metric deltas of all original transactions, added up by day.
  Emptied with projection_metric_delta, it changes no report.';
COMMENT ON COLUMN projection_metric_delta_sum.dimensions_id IS 'The row of projection_metric_dimensions.';
COMMENT ON COLUMN projection_metric_delta_sum.effective_day IS 'The day of effective_at; days since 1970.';
-- @projection
COMMENT ON TABLE projection_metric_coverage IS 'The original transactions whose metric deltas are up to date. Emptied,
  it changes no answer.';

-- Customers and catalogue: what the app's owner and staff recorded.
COMMENT ON VIEW product IS 'The catalogue at known_at. One row for each product of an app.';
COMMENT ON COLUMN product.bundle_id IS 'The app that sells it. NULL: it was imported before products belonged to apps.';
COMMENT ON COLUMN product.product_id IS 'The app''s id of the product.';
COMMENT ON COLUMN product.reference_name IS 'The name that the app''s owner uses. NULL: not in the catalogue.';
COMMENT ON COLUMN product.subscription_group_name IS 'The name of its subscription group. NULL: not in the catalogue, or
  in no group.';
COMMENT ON COLUMN product.service_level IS 'The level of service in its group: 1 is the highest. NULL: not in the
  catalogue, or in no group.';
COMMENT ON COLUMN product.period IS 'The length of one period; an ISO 8601 duration, such as P1M. NULL: not in the
  catalogue, or the product has no period.';
COMMENT ON COLUMN product.period_months IS 'The calendar months of period. NULL: no period.';
COMMENT ON COLUMN product.period_days IS 'The days of period, beside its months. NULL: no period.';
COMMENT ON COLUMN product.is_family_shareable IS '1 if a family may share it, else 0. NULL: not in the catalogue.';
COMMENT ON COLUMN product.entered_at IS 'When this version was entered in the catalogue; milliseconds since 1970.';
COMMENT ON COLUMN product.version_id IS 'The product_version.';

COMMENT ON VIEW product_entitlement IS 'The entitlements that each product grants, at known_at. One row for each product
  and entitlement.';
COMMENT ON COLUMN product_entitlement.product_id IS 'The app''s id of the product.';
COMMENT ON COLUMN product_entitlement.entitlement IS 'The app''s own name of the entitlement, such as pro.';
COMMENT ON COLUMN product_entitlement.bundle_id IS 'The app that sells it. NULL: the entry was made before products
  belonged to apps.';

-- @integer claimed_at, claimant_count
COMMENT ON VIEW customer_original_transaction IS 'The customers that each original transaction belongs to. The last
  staff entry decides. Without an entry, it belongs to its account token.';
COMMENT ON COLUMN customer_original_transaction.customer IS 'The customer, by the app''s own id. An account token is a
  customer''s id until an entry links it to another customer.';
COMMENT ON COLUMN customer_original_transaction.basis IS 'Why it belongs to this customer: link (a staff entry) or
  app_account_token.';
COMMENT ON COLUMN customer_original_transaction.identifier IS 'The id by which it belongs to this customer.';
COMMENT ON COLUMN customer_original_transaction.reason IS 'The reason in the staff entry. NULL: an account token,
  without an entry.';
COMMENT ON COLUMN customer_original_transaction.author IS 'Who made the staff entry. NULL: an account token, without an
  entry.';
COMMENT ON COLUMN customer_original_transaction.claimed_at IS 'When the staff entry was made; milliseconds since 1970.
  NULL: an account token, without an entry.';
COMMENT ON COLUMN customer_original_transaction.claimant_count IS 'The number of customers that it belongs to.';

COMMENT ON VIEW customer_entitlement IS 'The entitlements of each customer: the best row of customer_access. One row for
  each customer, entitlement and environment.';
COMMENT ON COLUMN customer_entitlement.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN customer_entitlement.basis IS 'What supports it: subscription, one_time_purchase, seat_claim or
  grant.';
COMMENT ON COLUMN customer_entitlement.trust IS 'The reason to trust the evidence that decided: verified, unsigned or
  unverified. NULL: a grant.';
COMMENT ON COLUMN customer_entitlement.rule IS 'The rule that decided: one of entitlement, one_time_purchase or
  customer_grant.';
COMMENT ON COLUMN customer_entitlement.product_id IS 'The product that grants it. NULL: a grant.';
COMMENT ON COLUMN customer_entitlement.original_transaction_id IS 'The original transaction that grants it. NULL: a
  grant.';
COMMENT ON COLUMN customer_entitlement.evidence_at IS 'The newest evidence_at of the purchase; milliseconds since 1970.
  NULL: a grant, which is not evidence from Apple.';
COMMENT ON COLUMN customer_entitlement.original_transaction_key IS 'The number of the original transaction in this file.
  NULL: a grant.';
COMMENT ON COLUMN customer_entitlement.added_root IS 'The root that its signature leads to, if that root was added with
  --trust. NULL: Apple''s root, not signed, or a grant.';
COMMENT ON COLUMN customer_entitlement.is_contradictory IS '1 if a payload that decided contradicts itself, else 0. It
  may be forged or edited.';
COMMENT ON COLUMN customer_entitlement.claimant_count IS 'The number of customers that the purchase belongs to. It is 1
  for a grant.';

COMMENT ON VIEW customer_seat_claim IS 'The seats that the app gave to customers, as of an instant. One row for each
  claim.';
COMMENT ON COLUMN customer_seat_claim.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN customer_seat_claim.original_transaction_id IS 'The subscription that has the seats.';
COMMENT ON COLUMN customer_seat_claim.unclaimed_at IS 'When the app or Apple ended it, at or before as_of; milliseconds
  since 1970. NULL: it is open.';
COMMENT ON COLUMN customer_seat_claim.is_open IS '1 if it is open, else 0.';
COMMENT ON COLUMN customer_seat_claim.is_released_by_apple IS '1 if Apple ended it, by a notification UNCLAIM_SEATS.';
COMMENT ON COLUMN customer_seat_claim.open_claim_count IS 'The number of open claims of the subscription. If it is greater
  than seats, nobody loses access.';

COMMENT ON VIEW customer_grant IS 'The access that the app''s staff granted, as of an instant. Apple does not know of
  it, and no metric counts it.';
COMMENT ON COLUMN customer_grant.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN customer_grant.state IS 'active, expired, revoked or not_begun.';
COMMENT ON COLUMN customer_grant.rule IS 'The rule that decided: granted, grant_ended or grant_revoked.';
COMMENT ON COLUMN customer_grant.begins_at IS 'The first instant at which it counts; milliseconds since 1970.';
COMMENT ON COLUMN customer_grant.ends_at IS 'When it ends without a revocation; milliseconds since 1970. NULL: no end.';
COMMENT ON COLUMN customer_grant.revoked_at IS 'When it was revoked; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN customer_grant.reason IS 'The reason that its author gave.';
COMMENT ON COLUMN customer_grant.author IS 'Who granted it.';
COMMENT ON COLUMN customer_grant.entered_at IS 'When it was granted; milliseconds since 1970.';
COMMENT ON COLUMN customer_grant.grant_id IS 'The number of the grant in this file.';

-- @sealed 24
COMMENT ON TABLE product_version IS 'The versions of the products in the catalogue. Each change adds a row, with
  everything that was known then.';
COMMENT ON COLUMN product_version.product_id IS 'The app''s id of the product.';
COMMENT ON COLUMN product_version.bundle_id IS 'The app that sells it. NULL: it was imported before products belonged to
  apps.';
COMMENT ON COLUMN product_version.entered_at IS 'When it was imported; milliseconds since 1970.';
COMMENT ON COLUMN product_version.version_id IS 'The number of the version in this file.';

-- @sealed 25
COMMENT ON TABLE product_name IS 'The texts about a product that customers read, in each language.';
COMMENT ON COLUMN product_name.locale IS 'The language and region, such as en_US.';
COMMENT ON COLUMN product_name.display_name IS 'The name.';
COMMENT ON COLUMN product_name.description IS 'The description.';
COMMENT ON COLUMN product_name.version_id IS 'The product_version.';

-- @sealed 26
COMMENT ON TABLE product_price IS 'The prices of a product.';
COMMENT ON COLUMN product_price.price_milliunits IS 'The price, in milliunits of currency: 9990 is 9.99.';
COMMENT ON COLUMN product_price.currency IS 'The currency of the price; three letters (ISO 4217). NULL: not in the
  catalogue.';
COMMENT ON COLUMN product_price.storefront IS 'The country where the price applies. NULL: not in the catalogue, or all
  countries.';
COMMENT ON COLUMN product_price.billing_plan_type IS 'The billing plan that the price is for: BILLED_UPFRONT or MONTHLY.
  NULL: the product has only one plan.';
COMMENT ON COLUMN product_price.version_id IS 'The product_version.';

-- @sealed 27
COMMENT ON TABLE product_offer IS 'The offers of a product.';
COMMENT ON COLUMN product_offer.offer_type IS '1 introductory, 2 promotional, 3 offer code, 4 win-back.';
COMMENT ON COLUMN product_offer.period IS 'The length of one period of the offer; an ISO 8601 duration. NULL: not in the
  catalogue.';
COMMENT ON COLUMN product_offer.period_count IS 'The number of periods of the offer. NULL: not in the catalogue.';
COMMENT ON COLUMN product_offer.price_milliunits IS 'The price of one period, in milliunits of the product''s currency.
  A free trial is 0. NULL: not in the catalogue.';
COMMENT ON COLUMN product_offer.eligibility IS 'The customers that may use it, as Apple''s values with spaces between
  them. NULL: not in the catalogue.';
COMMENT ON COLUMN product_offer.is_stackable IS '1 if it can be combined with other offers, else 0. NULL: not in the
  catalogue.';
COMMENT ON COLUMN product_offer.version_id IS 'The product_version.';
COMMENT ON COLUMN product_offer.offer_identifier IS 'The id of the offer. NULL: an introductory offer, or not in the
  catalogue.';
COMMENT ON COLUMN product_offer.offer_discount_type IS 'FREE_TRIAL, PAY_AS_YOU_GO or PAY_UP_FRONT. NULL: not in the
  catalogue.';
COMMENT ON COLUMN product_offer.reference_name IS 'The name of the offer that the app''s owner uses. NULL: not in the
  catalogue.';

-- @sealed 28
COMMENT ON TABLE product_entitlement_entry IS 'The entries about the entitlements that products grant. The last entry
  for a product and entitlement decides.';
COMMENT ON COLUMN product_entitlement_entry.entry_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN product_entitlement_entry.product_id IS 'The app''s id of the product.';
COMMENT ON COLUMN product_entitlement_entry.bundle_id IS 'The app that sells it. NULL: the entry was made before
  products belonged to apps.';
COMMENT ON COLUMN product_entitlement_entry.is_granted IS '1: granted from this entry on. 0: no longer granted.';
COMMENT ON COLUMN product_entitlement_entry.entered_at IS 'When the entry was made; milliseconds since 1970.';

-- @sealed 29
-- @identity customer
-- @internal salt
COMMENT ON TABLE customer IS 'The customers that staff entries name.';
COMMENT ON COLUMN customer.customer_key IS 'The number of the customer in this file.';
COMMENT ON COLUMN customer.customer IS 'The customer, by the app''s own id.';

-- @sealed 30
-- @identity identifier
-- @erasable reason, author
-- @internal salt
COMMENT ON TABLE customer_link_entry IS 'The staff''s entries that link purchases to customers. The last entry in effect
  decides.';
COMMENT ON COLUMN customer_link_entry.identifier IS 'Any id from Apple that names purchases. The evidence need not
  contain it yet.';
COMMENT ON COLUMN customer_link_entry.action IS 'link or unlink.';
COMMENT ON COLUMN customer_link_entry.effective_at IS 'The first instant at which it counts; milliseconds since 1970. 0:
  at any instant.';
COMMENT ON COLUMN customer_link_entry.other_customer_key IS 'For a transfer, the other customer: a customer_key. NULL:
  no transfer.';
COMMENT ON COLUMN customer_link_entry.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN customer_link_entry.author IS 'Who made the entry.';
COMMENT ON COLUMN customer_link_entry.entered_at IS 'When the entry was made; milliseconds since 1970.';

-- @sealed 31
-- @erasable text, author
-- @internal salt
COMMENT ON TABLE customer_note IS 'The notes of staff about customers.';
COMMENT ON COLUMN customer_note.note_id IS 'The number of the note in this file.';
COMMENT ON COLUMN customer_note.text IS 'The note.';
COMMENT ON COLUMN customer_note.author IS 'Who wrote it.';
COMMENT ON COLUMN customer_note.entered_at IS 'When it was written; milliseconds since 1970.';

-- @sealed 32
-- @erasable reason, author
-- @internal salt
COMMENT ON TABLE access_grant IS 'The access that the app''s staff granted. customer_grant shows its state.';
COMMENT ON COLUMN access_grant.begins_at IS 'The first instant at which it counts; milliseconds since 1970.';
COMMENT ON COLUMN access_grant.ends_at IS 'When it ends without a revocation; milliseconds since 1970. NULL: no end.';
COMMENT ON COLUMN access_grant.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN access_grant.author IS 'Who granted it.';
COMMENT ON COLUMN access_grant.entered_at IS 'When it was granted; milliseconds since 1970.';

-- @sealed 33
-- @erasable reason, author
-- @internal salt
COMMENT ON TABLE access_grant_revocation IS 'The revocations of access that the app''s staff granted.';
COMMENT ON COLUMN access_grant_revocation.revocation_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN access_grant_revocation.revoked_at IS 'The first instant at which the grant no longer counts;
  milliseconds since 1970.';
COMMENT ON COLUMN access_grant_revocation.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN access_grant_revocation.author IS 'Who revoked it.';
COMMENT ON COLUMN access_grant_revocation.entered_at IS 'When it was revoked; milliseconds since 1970.';

-- @sealed 50
-- @erasable reason, author
-- @internal salt
COMMENT ON TABLE seat_claim IS 'The seats that the app gave to customers. customer_seat_claim shows whether a claim is
  open.';
COMMENT ON COLUMN seat_claim.claim_id IS 'The number of the claim in this file.';
COMMENT ON COLUMN seat_claim.seat_claim_id IS 'Apple''s seatClaimId. NULL: not stated.';
COMMENT ON COLUMN seat_claim.claimed_at IS 'The first instant at which it counts; milliseconds since 1970.';
COMMENT ON COLUMN seat_claim.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN seat_claim.author IS 'Who claimed it.';
COMMENT ON COLUMN seat_claim.entered_at IS 'When the claim was entered; milliseconds since 1970.';

-- @sealed 51
-- @erasable reason, author
-- @internal salt
COMMENT ON TABLE seat_unclaim IS 'The ends of seat claims, by the app. Apple ends claims too: see seat_release.';
COMMENT ON COLUMN seat_unclaim.unclaim_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN seat_unclaim.claim_id IS 'The seat_claim.';
COMMENT ON COLUMN seat_unclaim.unclaimed_at IS 'The first instant at which the claim no longer counts; milliseconds since
  1970.';
COMMENT ON COLUMN seat_unclaim.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN seat_unclaim.author IS 'Who ended it.';
COMMENT ON COLUMN seat_unclaim.entered_at IS 'When it was entered; milliseconds since 1970.';

-- @integer preference
COMMENT ON VIEW customer_access IS 'Everything that supports a customer''s entitlement, in any state. One row for each
  subscription, one-time purchase, open seat claim or grant.';
COMMENT ON COLUMN customer_access.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN customer_access.basis IS 'What supports it: subscription, one_time_purchase, seat_claim or
  grant.';
COMMENT ON COLUMN customer_access.state IS 'active, grace_period, billing_retry, expired or revoked.';
COMMENT ON COLUMN customer_access.rule IS 'The rule that decided: one of entitlement, one_time_purchase or
  customer_grant.';
COMMENT ON COLUMN customer_access.original_transaction_id IS 'The original transaction that supports it. NULL: a
  grant.';
COMMENT ON COLUMN customer_access.evidence_at IS 'The newest evidence_at of the purchase; milliseconds since 1970. NULL:
  a grant, which is not evidence from Apple.';
COMMENT ON COLUMN customer_access.trust IS 'The reason to trust the evidence that decided: verified, unsigned or
  unverified. NULL: a grant.';
COMMENT ON COLUMN customer_access.original_transaction_key IS 'The number of the original transaction in this file.
  NULL: a grant.';
COMMENT ON COLUMN customer_access.preference IS 'The order of states: 1 active, 2 grace_period, 3 billing_retry, 4
  expired, 5 revoked.';
COMMENT ON COLUMN customer_access.product_id IS 'The product that supports it. NULL: a grant.';
COMMENT ON COLUMN customer_access.added_root IS 'The root that its signature leads to, if that root was added with
  --trust. NULL: Apple''s root, not signed, or a grant.';
COMMENT ON COLUMN customer_access.is_contradictory IS '1 if a payload that decided contradicts itself, else 0. It may be
  forged or edited.';
COMMENT ON COLUMN customer_access.claimant_count IS 'The number of customers that the purchase belongs to. It is 1 for a
  grant.';

-- What the app itself reported. It never grants or removes access.
-- @integer is_from_future, began_at, paid_at, is_open, is_in_evidence, is_theirs, redelivery_count, state_since
COMMENT ON VIEW purchase_attempt IS 'Every purchase attempt that the app reported, beside what the evidence states about
  it.';
COMMENT ON COLUMN purchase_attempt.customer IS 'The customer, by the app''s own id, else the account token. NULL: the
  app stated neither.';
COMMENT ON COLUMN purchase_attempt.kind IS 'purchase, restore (a copy under a new id) or delivery (a payment without a
  reported beginning, usually a renewal).';
COMMENT ON COLUMN purchase_attempt.state IS 'What the device reported: in_flight, waiting_for_approval, paid_unfinished,
  finished, failed, cancelled or abandoned.';
COMMENT ON COLUMN purchase_attempt.is_open IS '1 while nothing has ended it, else 0.';
COMMENT ON COLUMN purchase_attempt.closed_by IS 'What ended it: device or evidence. NULL: it is open.';
COMMENT ON COLUMN purchase_attempt.is_in_evidence IS '1 if the evidence contains the payment, else 0.';
COMMENT ON COLUMN purchase_attempt.is_theirs IS '0 if the original transaction of the payment was never connected with
  this customer, else 1.';
COMMENT ON COLUMN purchase_attempt.finding IS 'What support should check: paid_never_verified, paid_not_theirs,
  finished_while_purchasing, removed_without_update or failed. NULL: nothing.';
COMMENT ON COLUMN purchase_attempt.began_at IS 'When it was first reported; milliseconds since 1970.';
COMMENT ON COLUMN purchase_attempt.state_since IS 'When its state began; milliseconds since 1970. NULL: no report states
  it.';
COMMENT ON COLUMN purchase_attempt.paid_at IS 'When the device first reported the payment; milliseconds since 1970.
  NULL: it did not.';
COMMENT ON COLUMN purchase_attempt.transaction_id IS 'The transaction id that the device reported. NULL: none.';
COMMENT ON COLUMN purchase_attempt.original_transaction_id IS 'The original transaction id that the device reported.
  NULL: none.';
COMMENT ON COLUMN purchase_attempt.redelivery_count IS 'The number of repeated reports of the payment.';
COMMENT ON COLUMN purchase_attempt.error_domain IS 'StoreKit''s error domain, such as SKErrorDomain. NULL: no error.';
COMMENT ON COLUMN purchase_attempt.error_code IS 'StoreKit''s error code. Code 2 of SKErrorDomain: the customer
  cancelled. NULL: no error.';
COMMENT ON COLUMN purchase_attempt.error_message IS 'The error message. NULL: none.';
COMMENT ON COLUMN purchase_attempt.is_from_future IS '1 if the device''s clock was more than five minutes ahead, else
  0.';
COMMENT ON COLUMN purchase_attempt.queue IS 'The owner of the sequence of purchases: the customer, else the account
  token, else the device.';
COMMENT ON COLUMN purchase_attempt.recorded_at IS 'When the ledger first recorded a report of it; milliseconds since
  1970.';
-- @step
-- @parameter
-- @integer patience
COMMENT ON VIEW param_clearance IS 'The parameter of rule_purchase_obstacle, beside the instants of the query.';
COMMENT ON COLUMN param_clearance.patience IS 'How long an attempt without an end stands against another purchase;
  milliseconds.';

-- @sealed 23
-- @identity customer, app_account_token, queue
-- @erasable device, error_domain, error_message
-- @internal salt
COMMENT ON TABLE client_event IS 'The app''s reports about StoreKit''s payment queue. One row for each event.';
COMMENT ON COLUMN client_event.payload_id IS 'The payload with the report.';
COMMENT ON COLUMN client_event.event IS 'updated or removed.';
COMMENT ON COLUMN client_event.transaction_state IS 'purchasing, purchased, failed, deferred or restored. NULL: not
  stated.';
COMMENT ON COLUMN client_event.product_id IS 'The product that was to be bought.';
COMMENT ON COLUMN client_event.device IS 'The device, by the app''s own id. NULL: not stated.';
COMMENT ON COLUMN client_event.happened_at IS 'When it happened, on the device''s clock; milliseconds since 1970.';
COMMENT ON COLUMN client_event.transaction_id IS 'The transaction id that the device reported. NULL: none.';
COMMENT ON COLUMN client_event.original_transaction_id IS 'The original transaction id that the device reported. NULL:
  none.';
COMMENT ON COLUMN client_event.customer IS 'The customer, by the app''s own id. NULL: not stated.';

-- What a server keeps in the file.
-- @sealed 41
-- @erasable reason, author
-- @internal salt
-- @unexported
COMMENT ON TABLE api_token IS 'The tokens with which programs ask the server.';
COMMENT ON COLUMN api_token.token_key IS 'The number of the token in this file.';
COMMENT ON COLUMN api_token.token_id IS 'The public part of the token. Logs name it.';
COMMENT ON COLUMN api_token.name IS 'The name that its maker gave it.';
COMMENT ON COLUMN api_token.scopes IS 'What it may do: admin, ask, ingest, metrics and support, with spaces between them.';
COMMENT ON COLUMN api_token.requests_per_second IS 'How many requests a second it may make. NULL: the server''s default.';
COMMENT ON COLUMN api_token.expires_at IS 'When it ends; milliseconds since 1970. NULL: it does not end by itself.';
COMMENT ON COLUMN api_token.reason IS 'Why it was made, in the author''s words.';
COMMENT ON COLUMN api_token.author IS 'Who made it.';
COMMENT ON COLUMN api_token.entered_at IS 'When it was made; milliseconds since 1970.';

-- @sealed 42
-- @erasable author
-- @internal salt
-- @unexported
COMMENT ON TABLE api_token_secret IS 'The secrets of each token. Only their digests are stored.';
COMMENT ON COLUMN api_token_secret.secret_id IS 'The number of the secret in this file.';
COMMENT ON COLUMN api_token_secret.token_key IS 'The api_token.';
COMMENT ON COLUMN api_token_secret.digest IS 'The SHA-256 of the secret; 32 bytes.';
COMMENT ON COLUMN api_token_secret.earlier_end_at IS 'When the earlier secrets of the token end; milliseconds since 1970.
  NULL: it is the first secret.';
COMMENT ON COLUMN api_token_secret.author IS 'Who made it.';
COMMENT ON COLUMN api_token_secret.entered_at IS 'When it was made; milliseconds since 1970.';

-- @sealed 43
-- @erasable reason, author
-- @internal salt
-- @unexported
COMMENT ON TABLE api_token_revocation IS 'The tokens that were revoked.';
COMMENT ON COLUMN api_token_revocation.token_key IS 'The api_token.';
COMMENT ON COLUMN api_token_revocation.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN api_token_revocation.author IS 'Who revoked it.';
COMMENT ON COLUMN api_token_revocation.entered_at IS 'When it was revoked; milliseconds since 1970.';

-- @service
-- @unexported
COMMENT ON TABLE api_token_use IS 'When each token was last used.';
COMMENT ON COLUMN api_token_use.token_key IS 'The api_token.';
COMMENT ON COLUMN api_token_use.last_used_at IS 'The hour of its last use; milliseconds since 1970.';

-- @sealed 44
-- @identity customer
-- @erasable reason, user_name
-- @internal salt
-- @unexported
COMMENT ON TABLE access_log_entry IS 'Every reading about a person, and every change that a program made through the server.';
COMMENT ON COLUMN access_log_entry.entry_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN access_log_entry.token_id IS 'The public part of the token that asked. Empty: a command line or a user
  of the support page.';
COMMENT ON COLUMN access_log_entry.user_name IS 'The user''s name on the machine of the command line. NULL: a token or a
  user of the support page asked.';
COMMENT ON COLUMN access_log_entry.staff_user_key IS 'The staff_user of the support page. NULL: a token or a command line
  asked.';
COMMENT ON COLUMN access_log_entry.request_id IS 'The id of the request, as in the server''s log. The entries of one
  reading have the same.';
COMMENT ON COLUMN access_log_entry.operation IS 'What was done, by its operationId in openapi.json.';
COMMENT ON COLUMN access_log_entry.customer IS 'The customer whom it was about. NULL: it named none.';
COMMENT ON COLUMN access_log_entry.original_transaction_id IS 'The purchase that it was about. NULL: it named none, or
  none was found.';
COMMENT ON COLUMN access_log_entry.as_of IS 'The instant that was asked about; milliseconds since 1970. NULL: it was no
  question.';
COMMENT ON COLUMN access_log_entry.known_at IS 'The limit of knowledge of the question; milliseconds since 1970. NULL: it
  was no question.';
COMMENT ON COLUMN access_log_entry.reason IS 'The reason, in the words of who asked. NULL: not stated.';
COMMENT ON COLUMN access_log_entry.result_count IS 'How many purchases or entries the answer had.';
COMMENT ON COLUMN access_log_entry.entered_at IS 'When it was done; milliseconds since 1970.';

-- @sqlite
-- @integer is_read
COMMENT ON VIEW access_log IS 'Who read about whom, and who made which change through the server. One row for each person
  whom an answer names.';
COMMENT ON COLUMN access_log.entry_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN access_log.program IS 'The program: subledger (the command line), subledger-server (a token), or support
  page.';
COMMENT ON COLUMN access_log.author IS 'The user''s name on the machine of the command line, the name of the token, or the
  name of the user of the support page.';
COMMENT ON COLUMN access_log.token_id IS 'The public part of the token. NULL: a command line or the support page.';
COMMENT ON COLUMN access_log.customer IS 'The customer whom it was about. NULL: it named none.';
COMMENT ON COLUMN access_log.original_transaction_id IS 'The purchase that it was about. NULL: it named none, or none was
  found.';
COMMENT ON COLUMN access_log.as_of IS 'The instant that was asked about; milliseconds since 1970. NULL: it was no
  question.';
COMMENT ON COLUMN access_log.known_at IS 'The limit of knowledge of the question; milliseconds since 1970. NULL: it was no
  question.';
COMMENT ON COLUMN access_log.reason IS 'The reason, in the words of who asked. NULL: not stated.';
COMMENT ON COLUMN access_log.entered_at IS 'When it was done; milliseconds since 1970.';
COMMENT ON COLUMN access_log.request_id IS 'The id of the request, as in the server''s log. The entries of one reading have
  the same.';
COMMENT ON COLUMN access_log.is_read IS '1: somebody read about a person or a purchase. 0: a change, a recording, a
  search, or a reading of the access log.';

-- @service
-- @unexported
COMMENT ON TABLE idempotent_answer IS 'The answers to requests that may be repeated, for a day.';
COMMENT ON COLUMN idempotent_answer.token_key IS 'The api_token. NULL: a user of the support page sent the request.';
COMMENT ON COLUMN idempotent_answer.staff_user_key IS 'The staff_user. NULL: a token sent the request.';
COMMENT ON COLUMN idempotent_answer.key_digest IS 'The SHA-256 of the request''s Idempotency-Key; 32 bytes.';
COMMENT ON COLUMN idempotent_answer.request_digest IS 'The SHA-256 of the request; 32 bytes.';
COMMENT ON COLUMN idempotent_answer.answer IS 'The answer; JSON without ids of people.';
COMMENT ON COLUMN idempotent_answer.entered_at IS 'When the request was answered; milliseconds since 1970.';

-- @sealed 53
-- @erasable reason, author
-- @internal salt
-- @unexported
COMMENT ON TABLE staff_user IS 'The people who may sign in at the support page.';
COMMENT ON COLUMN staff_user.staff_user_key IS 'The number of the user in this file.';
COMMENT ON COLUMN staff_user.name IS 'The name with which the user signs in. The access log names it.';
COMMENT ON COLUMN staff_user.reason IS 'Why the user was made, in the author''s words.';
COMMENT ON COLUMN staff_user.author IS 'Who made the user.';
COMMENT ON COLUMN staff_user.entered_at IS 'When the user was made; milliseconds since 1970.';

-- @sealed 54
-- @erasable reason, author
-- @internal salt
-- @unexported
COMMENT ON TABLE staff_user_role IS 'What each user may do on the support page. The latest entry counts.';
COMMENT ON COLUMN staff_user_role.entry_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN staff_user_role.staff_user_key IS 'The staff_user.';
COMMENT ON COLUMN staff_user_role.role IS 'viewer, support, lead or admin. NULL: the user may not sign in any more.';
COMMENT ON COLUMN staff_user_role.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN staff_user_role.author IS 'Who gave the role.';
COMMENT ON COLUMN staff_user_role.entered_at IS 'When it was given; milliseconds since 1970.';

-- @service
-- @unexported
COMMENT ON TABLE staff_user_password IS 'The present password of each user, as a slow hash.';
COMMENT ON COLUMN staff_user_password.staff_user_key IS 'The staff_user.';
COMMENT ON COLUMN staff_user_password.hash IS 'scrypt with its parameters, salt and result: $scrypt$ln=15,r=8,p=3$salt$result.';
COMMENT ON COLUMN staff_user_password.entered_at IS 'When it was set; milliseconds since 1970.';

-- @service
-- @unexported
COMMENT ON TABLE staff_session IS 'The sessions of users who are signed in.';
COMMENT ON COLUMN staff_session.digest IS 'The SHA-256 of the secret that the browser has; 32 bytes.';
COMMENT ON COLUMN staff_session.staff_user_key IS 'The staff_user.';
COMMENT ON COLUMN staff_session.began_at IS 'When the user signed in; milliseconds since 1970.';
COMMENT ON COLUMN staff_session.last_used_at IS 'The minute of its last use; milliseconds since 1970.';

-- @service
-- @unexported
COMMENT ON TABLE anonymous_quarantine_day IS 'What senders without a token put into quarantine on each day, and how much
  more they sent.';
COMMENT ON COLUMN anonymous_quarantine_day.day IS 'The begin of a day of UTC; milliseconds since 1970.';
COMMENT ON COLUMN anonymous_quarantine_day.payload_count IS 'How many payloads went into quarantine.';
COMMENT ON COLUMN anonymous_quarantine_day.byte_count IS 'Their length in bytes.';
COMMENT ON COLUMN anonymous_quarantine_day.left_out_count IS 'How many payloads were left out: the quota was used up, or
  the disk was nearly full.';
COMMENT ON COLUMN anonymous_quarantine_day.left_out_byte_count IS 'Their length in bytes.';
COMMENT ON COLUMN anonymous_quarantine_day.last_left_out_digest IS 'The SHA-256 of the last one that was left out; 32
  bytes. NULL: none was.';

-- @service
-- @unexported
COMMENT ON TABLE change_feed_position IS 'How far the change feed has read. Empty: the feed has not begun.';
COMMENT ON COLUMN change_feed_position.position_id IS '1: the table has one row.';
COMMENT ON COLUMN change_feed_position.transaction_version_id IS 'The last transaction_version that the feed has read.';
COMMENT ON COLUMN change_feed_position.renewal_info_version_id IS 'The last renewal_info_version that the feed has read.';
COMMENT ON COLUMN change_feed_position.grant_id IS 'The last access_grant that the feed has read.';
COMMENT ON COLUMN change_feed_position.grant_revocation_id IS 'The last access_grant_revocation that the feed has read.';
COMMENT ON COLUMN change_feed_position.link_entry_id IS 'The last customer_link_entry that the feed has read.';
COMMENT ON COLUMN change_feed_position.advanced_at IS 'When the feed last read; milliseconds since 1970.';
COMMENT ON COLUMN change_feed_position.epoch IS 'The run of the feed that the ids of changes belong to; letters and
  digits.';

-- @service
-- @unexported
COMMENT ON TABLE change_feed_state IS 'What the change feed stated last about each subscription, one-time purchase and
  grant.';
COMMENT ON COLUMN change_feed_state.kind IS 'subscription, one_time_purchase or grant.';
COMMENT ON COLUMN change_feed_state.item_key IS 'The original_transaction_key of a subscription, the transaction_key of a
  one-time purchase, or the grant_id of a grant.';
COMMENT ON COLUMN change_feed_state.original_transaction_key IS 'The original_transaction. NULL: a grant.';
COMMENT ON COLUMN change_feed_state.state IS 'The state.';
COMMENT ON COLUMN change_feed_state.product_id IS 'The product. NULL: a grant, or not known.';
COMMENT ON COLUMN change_feed_state.access_ends_at IS 'When access ends or ended; milliseconds since 1970. NULL: no end.';
COMMENT ON COLUMN change_feed_state.will_renew IS '1 if it will renew, 0 if not. NULL: not known.';
COMMENT ON COLUMN change_feed_state.next_change_at IS 'When the state can next change by itself; milliseconds since 1970.
  0: evidence about it counts from another instant, or other evidence states the type of its product. 1: the catalogue
  changed. NULL: it cannot change by itself.';

-- @service
-- @unexported
COMMENT ON TABLE change_feed_product_type IS 'The types of products as the change feed has read them in evidence.';
COMMENT ON COLUMN change_feed_product_type.environment IS 'The environment of the evidence.';
COMMENT ON COLUMN change_feed_product_type.bundle_id IS 'The app. Empty: the evidence states none.';
COMMENT ON COLUMN change_feed_product_type.product_id IS 'The product.';
COMMENT ON COLUMN change_feed_product_type.type IS 'Its type. If evidence states several, the first in the alphabet.';

-- @sealed 52
-- @unexported
COMMENT ON TABLE apple_request IS 'Every request to Apple, and what became of it.';
COMMENT ON COLUMN apple_request.request_id IS 'The number of the request in this file.';
COMMENT ON COLUMN apple_request.occasion IS 'Why it was sent. command: a person asked. notification_history: the server
  looked for notifications that it missed. Otherwise the reason of an open_question.';
COMMENT ON COLUMN apple_request.endpoint IS 'The endpoint of the App Store Server API, or verify_receipt.';
COMMENT ON COLUMN apple_request.environment IS 'The environment that was asked: Production or Sandbox.';
COMMENT ON COLUMN apple_request.bundle_id IS 'The app for which the request was sent.';
COMMENT ON COLUMN apple_request.subject IS 'The id that it was about: of a transaction, an order or a test notification.
  NULL: it was about none.';
COMMENT ON COLUMN apple_request.asked_at IS 'When it was sent; milliseconds since 1970.';
COMMENT ON COLUMN apple_request.duration_milliseconds IS 'How long the answer took; milliseconds.';
COMMENT ON COLUMN apple_request.http_status IS 'The status of HTTP. NULL: no answer came.';
COMMENT ON COLUMN apple_request.error_code IS 'Apple''s errorCode, or the status of verifyReceipt. NULL: the answer has
  none.';
COMMENT ON COLUMN apple_request.verdict IS 'What became of it: answered, or the class of its failure: try_again,
  too_many_requests, unknown_transaction, other_environment, not_yet_known, wrong_request, refused_by_rule,
  wrong_settings, unreachable or unreadable.';
COMMENT ON COLUMN apple_request.payload_count IS 'How many payloads the answer had.';
COMMENT ON COLUMN apple_request.recorded_count IS 'How many of them the ledger did not have before.';

-- @service
-- @unexported
COMMENT ON TABLE notification_history_walk IS 'How far a server has walked Apple''s history of notifications.';
COMMENT ON COLUMN notification_history_walk.bundle_id IS 'The app.';
COMMENT ON COLUMN notification_history_walk.environment IS 'Production or Sandbox.';
COMMENT ON COLUMN notification_history_walk.walked_until IS 'The end of the last complete walk; milliseconds since 1970.
  NULL: none was complete.';
COMMENT ON COLUMN notification_history_walk.begins_at IS 'The first instant of the walk in progress; milliseconds since
  1970. NULL: none is in progress.';
COMMENT ON COLUMN notification_history_walk.ends_at IS 'The first instant after the walk in progress; milliseconds since
  1970. NULL: none is in progress.';
COMMENT ON COLUMN notification_history_walk.cursor IS 'Where its next page begins, by Apple''s token. NULL: at the first
  page.';
COMMENT ON COLUMN notification_history_walk.notification_count IS 'How many notifications the walk in progress has seen.
  When none is in progress: the last one.';
COMMENT ON COLUMN notification_history_walk.missed_count IS 'How many of them the ledger did not have, minutes after Apple
  signed them. The first walk finds the past, and counts none.';
COMMENT ON COLUMN notification_history_walk.lost_count IS 'How many of the missed ones had reached the address of the
  notifications, by Apple''s account.';
COMMENT ON COLUMN notification_history_walk.advanced_at IS 'When its last page was recorded; milliseconds since 1970.';

-- @service
-- @unexported
COMMENT ON TABLE open_question IS 'The questions to Apple that are still open, and when each is asked next.';
COMMENT ON COLUMN open_question.question_id IS 'The number of the question in this file.';
COMMENT ON COLUMN open_question.reason IS 'unconfirmed: nothing confirms the state of a subscription. ended: it ended,
  and what is known since then says nothing of a renewal. payment_failed: it is in its grace period or billing retry.
  missing_transactions: Apple named a later transaction than the next.
  posted_transaction: a back end posted it. posted_receipt: a back end posted a device''s receipt. refund: it may be
  refunded, and the news lost. refund_reversal: its refund may be reversed, and the news lost. sharing: somebody else
  bought it, and sharing may have ended.';
COMMENT ON COLUMN open_question.subject IS 'The transaction id to ask about. Of a receipt: its SHA-256 in hexadecimal
  digits.';
COMMENT ON COLUMN open_question.environment IS 'Production or Sandbox. NULL: it is to be found.';
COMMENT ON COLUMN open_question.original_transaction_key IS 'The original_transaction. NULL: a receipt.';
COMMENT ON COLUMN open_question.receipt IS 'The receipt in Base64, until the question is answered. NULL: it is about a
  transaction.';
COMMENT ON COLUMN open_question.receipt_bundle_id IS 'The app of the receipt. NULL: it is about a transaction.';
COMMENT ON COLUMN open_question.opened_at IS 'When the question came up; milliseconds since 1970.';
COMMENT ON COLUMN open_question.attempt_count IS 'How often Apple was asked.';
COMMENT ON COLUMN open_question.last_verdict IS 'What became of the last attempt, as in apple_request. NULL: there was
  none.';
COMMENT ON COLUMN open_question.last_error_code IS 'Apple''s errorCode of the last attempt. NULL: there was none.';
COMMENT ON COLUMN open_question.next_attempt_at IS 'When Apple is asked next; milliseconds since 1970.';

-- @service
-- @append_only
-- @unexported
COMMENT ON TABLE state_change IS 'The change feed: every change of a state, in the order in which the server noticed it.';
COMMENT ON COLUMN state_change.change_id IS 'The number of the change, in this order.';
COMMENT ON COLUMN state_change.kind IS 'What changed: subscription, one_time_purchase, grant or link.';
COMMENT ON COLUMN state_change.cause IS 'evidence: a payload was recorded. time: an instant passed. staff: an entry was
  made.';
COMMENT ON COLUMN state_change.changed_at IS 'When the server noticed it; milliseconds since 1970.';
COMMENT ON COLUMN state_change.original_transaction_key IS 'The original_transaction. NULL: a grant or a link.';
COMMENT ON COLUMN state_change.transaction_key IS 'The transaction of a one-time purchase. NULL: it is none.';
COMMENT ON COLUMN state_change.grant_id IS 'The access_grant. NULL: it is none.';
COMMENT ON COLUMN state_change.link_entry_id IS 'The customer_link_entry. NULL: it is none.';
COMMENT ON COLUMN state_change.payload_id IS 'The newest payload about it. NULL: the cause is not evidence.';
COMMENT ON COLUMN state_change.former_state IS 'The state before. NULL: it is new, or a link.';
COMMENT ON COLUMN state_change.former_product_id IS 'The product before. NULL: not known, or it is new.';
COMMENT ON COLUMN state_change.former_access_ends_at IS 'The end of access before; milliseconds since 1970. NULL: no end,
  or it is new.';
COMMENT ON COLUMN state_change.former_will_renew IS 'Whether it would renew, before: 1 or 0. NULL: not known, or it is
  new.';
COMMENT ON COLUMN state_change.state IS 'The state. NULL: a link, or no answer has it any more.';
COMMENT ON COLUMN state_change.product_id IS 'The product. NULL: a grant or a link, or not known.';
COMMENT ON COLUMN state_change.access_ends_at IS 'When access ends or ended; milliseconds since 1970. NULL: no end, or a
  link.';
COMMENT ON COLUMN state_change.will_renew IS '1 if it will renew, 0 if not. NULL: not known, or a link.';

-- Seals, erasures and the file's own tables.
-- @append_only
-- @unexported
COMMENT ON TABLE seal IS 'The rows that one database transaction recorded, with a digest of them and of the seal before.
  The format is described in Migrations/0008_seals.sql.';
COMMENT ON COLUMN seal.seal_id IS 'The number of the seal, from 1, in the order of recording.';
COMMENT ON COLUMN seal.digest IS 'The SHA-256 of the seal, which the next seal includes; 32 bytes.';
COMMENT ON COLUMN seal.row_count IS 'How many rows it seals.';
COMMENT ON COLUMN seal.rows IS 'The sealed rows, with the first bytes of the digest of each; bytes.';

-- @sealed 34
COMMENT ON TABLE erasure IS 'The people whose data was erased, and who did it. A pseudonym replaced their ids
  everywhere.';
COMMENT ON COLUMN erasure.erasure_id IS 'The number of the erasure in this file.';
COMMENT ON COLUMN erasure.pseudonym IS 'The pseudonym that replaced their ids.';
COMMENT ON COLUMN erasure.reason IS 'The reason, in the author''s words.';
COMMENT ON COLUMN erasure.author IS 'Who did it.';
COMMENT ON COLUMN erasure.entered_at IS 'When it was done; milliseconds since 1970.';

-- @sealed 35
-- @unexported
COMMENT ON TABLE erased_text IS 'The texts that an erasure rewrote. Their signatures cannot be verified again.';
COMMENT ON COLUMN erased_text.kind IS 'The table that holds the text: payload, transaction_info, renewal_info,
  app_transaction_info, quarantine or receipt_data.';
COMMENT ON COLUMN erased_text.digest IS 'The SHA-256 of the former text; 32 bytes.';

-- @sealed 36
-- @unexported
COMMENT ON TABLE rewritten_row IS 'The sealed rows that an erasure rewrote or removed.';
COMMENT ON COLUMN rewritten_row.rewriting_id IS 'The number of the rewriting in this file.';
COMMENT ON COLUMN rewritten_row.table_number IS 'The table, by its number in sealed_table.';
COMMENT ON COLUMN rewritten_row.row_key IS 'The primary key of the row, encoded as in seals; bytes.';
COMMENT ON COLUMN rewritten_row.former IS 'What proves the seal of the former row; bytes. Of a removed row: its
  digest. Of a rewritten row, for each group of erasable columns: 0 and the salt of an unchanged group, or 1 and the
  digest of the former values.';
COMMENT ON COLUMN rewritten_row.digest IS 'The SHA-256 of the present row; 32 bytes. NULL: the row was removed.';

-- @sealed 3
-- @erasable text
-- @internal salt
-- @removable
-- @unexported
COMMENT ON TABLE text_template IS 'The part that many texts have in common: a text without its values. Each U+001F in it
  marks the position of a value.';
COMMENT ON COLUMN text_template.digest IS 'The SHA-256 of the template; 32 bytes.';
COMMENT ON COLUMN text_template.text IS 'The template.';
COMMENT ON COLUMN text_template.template_id IS 'The number of a template in this file.';

-- @sqlite
COMMENT ON VIEW payload_text IS 'The whole text of each payload as it arrived, less secrets and receipts; of a signed
  one its decoded payload.';
COMMENT ON COLUMN payload_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal. (Of a signed payload
  that is the compact text.)';
COMMENT ON COLUMN payload_text.source IS 'The whole text, byte for byte as it arrived; of a signed payload what was
  signed, decoded; of an app receipt what comes before its certificates, in Base 64.';
-- @step
-- @sqlite
COMMENT ON VIEW payload_rest_text IS 'The text of each payload without Apple''s objects and the payloads inside it.';
COMMENT ON COLUMN payload_rest_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN payload_rest_text.source IS 'The text without the objects and payloads inside it.';
-- @step
-- @sqlite
COMMENT ON VIEW payload_own_text IS 'The text of each payload without the payloads inside it.';
COMMENT ON COLUMN payload_own_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN payload_own_text.source IS 'The text without the payloads inside it.';
-- @step
-- @sqlite
COMMENT ON VIEW signed_payload_text IS 'The compact form (JWS) of each signed payload.';
COMMENT ON COLUMN signed_payload_text.source IS 'The compact form: header, payload and signature, joined by dots.';
-- @step
-- @sqlite
COMMENT ON VIEW signed_transaction_info_text IS 'The compact form (JWS) of each signed transaction info.';
COMMENT ON COLUMN signed_transaction_info_text.source IS 'The compact form: header, payload and signature, joined by
  dots.';
-- @step
-- @sqlite
COMMENT ON VIEW signed_renewal_info_text IS 'The compact form (JWS) of each signed renewal info.';
COMMENT ON COLUMN signed_renewal_info_text.source IS 'The compact form: header, payload and signature, joined by
  dots.';
-- @step
-- @sqlite
COMMENT ON VIEW signed_app_transaction_info_text IS 'The compact form (JWS) of each signed app transaction info.';
COMMENT ON COLUMN signed_app_transaction_info_text.source IS 'The compact form: header, payload and signature, joined by
  dots.';

-- @step
-- @sqlite
COMMENT ON VIEW transaction_info_value IS 'The values of each transaction info that its text repeats.';
COMMENT ON COLUMN transaction_info_value.letter IS 'The letter that a template has in the place of the value.';
COMMENT ON COLUMN transaction_info_value.value IS 'The value as Apple wrote it. NULL: the column has no value.';
-- @step
-- @sqlite
COMMENT ON VIEW renewal_info_value IS 'The values of each renewal info that its text repeats.';
COMMENT ON COLUMN renewal_info_value.letter IS 'The letter that a template has in the place of the value.';
COMMENT ON COLUMN renewal_info_value.value IS 'The value as Apple wrote it. NULL: the column has no value.';
-- @step
-- @sqlite
COMMENT ON VIEW app_transaction_info_value IS 'The values of each app transaction info that its text repeats.';
COMMENT ON COLUMN app_transaction_info_value.letter IS 'The letter that a template has in the place of the value.';
COMMENT ON COLUMN app_transaction_info_value.value IS 'The value as Apple wrote it. NULL: the column has no value.';
-- @step
-- @sqlite
COMMENT ON VIEW payload_value IS 'The values of each payload that its text repeats.';
COMMENT ON COLUMN payload_value.letter IS 'The letter that a template has in the place of the value.';
COMMENT ON COLUMN payload_value.value IS 'The value as Apple wrote it. NULL: the column has no value.';

-- @sqlite
COMMENT ON VIEW transaction_info_text IS 'The whole text of each transaction info. For people.';
COMMENT ON COLUMN transaction_info_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN transaction_info_text.source IS 'The text, byte for byte as Apple wrote it. For a signed one: the
  decoded payload.';

-- @sqlite
COMMENT ON VIEW renewal_info_text IS 'The whole text of each renewal info. For people.';
COMMENT ON COLUMN renewal_info_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN renewal_info_text.source IS 'The text, byte for byte as Apple wrote it. For a signed one: the
  decoded payload.';

-- @sqlite
COMMENT ON VIEW app_transaction_info_text IS 'The whole text of each app transaction info. For people.';
COMMENT ON COLUMN app_transaction_info_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN app_transaction_info_text.source IS 'The text, byte for byte as Apple wrote it. For a signed one: the
  decoded payload.';

-- @machinery
-- @sealed 2
-- @unexported
COMMENT ON TABLE jws_header IS 'The first segments of signed texts, with the certificates, and the certificates of app
  receipts. Millions of texts share
  one.';
COMMENT ON COLUMN jws_header.header_id IS 'The number of a first segment in this file.';
COMMENT ON COLUMN jws_header.digest IS 'The SHA-256 of the segment; 32 bytes.';
COMMENT ON COLUMN jws_header.text IS 'The segment, in Base 64 for URLs; of app receipts pkcs7. and the certificates, in
  Base 64.';

-- @machinery
-- @append_only
-- @unexported
COMMENT ON TABLE sealed_table IS 'The sealed tables, by their numbers in seals.';
COMMENT ON COLUMN sealed_table.name IS 'The name of the table.';
COMMENT ON COLUMN sealed_table.table_number IS 'The number of the table in seals.';
-- @machinery
-- @append_only
-- @unexported
COMMENT ON TABLE erasable_column IS 'The columns that an erasure may rewrite.';
COMMENT ON COLUMN erasable_column.column_name IS 'The name of the column.';
COMMENT ON COLUMN erasable_column.is_identity IS '1 if the column holds an id of a person: an erasure may only write its
  pseudonym there. Else 0.';
-- @machinery
-- @append_only
-- @unexported
COMMENT ON TABLE erasable_table IS 'The tables whose rows an erasure may remove.';

-- Reports of App Store Connect: Apple's own figures.
COMMENT ON VIEW apple_report_figure IS 'The figures of the imported reports of App Store Connect: Apple''s statements, and
  no evidence. Of several texts of one report, the one that was recorded last counts.';
COMMENT ON COLUMN apple_report_figure.report IS 'The type of the report: sales, subscription, subscription_event,
  subscriber, offer_code_redemption, financial, finance_detail, analytics_state or analytics_event.';
COMMENT ON COLUMN apple_report_figure.day_at IS 'The event date, or the day of the report: a Pacific day, as the first
  millisecond of the date in UTC; milliseconds since 1970.';
COMMENT ON COLUMN apple_report_figure.measure IS 'What units counts: sale, payment, refund, event, redemption, or the
  state of a snapshot, such as active_standard_price, free_trial_introductory, grace_period or billing_retry.';
COMMENT ON COLUMN apple_report_figure.event IS 'The name of the event, as Apple writes it. NULL: no event.';
COMMENT ON COLUMN apple_report_figure.product_apple_id IS 'The product, by its number in the App Store. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.product_id IS 'productId. Only sales has it. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.product_name IS 'The name of the product in App Store Connect. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.product_type IS 'Apple''s code of the type, such as IAY (auto-renewable). NULL: not
  stated.';
COMMENT ON COLUMN apple_report_figure.country IS 'The country of the storefront; two letters (ISO 3166). NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.offer_type IS 'Free Trial, Pay As You Go or Pay Up Front, as Apple writes it. NULL:
  no offer.';
COMMENT ON COLUMN apple_report_figure.offer_id IS 'The id of the offer, or the offer code. NULL: none, or not stated.';
COMMENT ON COLUMN apple_report_figure.offer_name IS 'The name of the offer in App Store Connect. NULL: none, or not
  stated.';
COMMENT ON COLUMN apple_report_figure.offer_duration IS 'The length of the offer in Apple''s words. NULL: no offer.';
COMMENT ON COLUMN apple_report_figure.units IS 'The count. Refunds in sales are negative. 0: a partial refund.';
COMMENT ON COLUMN apple_report_figure.customer_currency IS 'The currency of the customer''s price; ISO 4217. NULL: not
  stated.';
COMMENT ON COLUMN apple_report_figure.customer_price_milliunits IS 'The price of one unit, in milliunits of
  customer_currency. NULL: the report has no prices.';
COMMENT ON COLUMN apple_report_figure.customer_amount_milliunits IS 'What customers paid: units times price, negative for
  refunds; in milliunits of customer_currency. NULL: the report has no prices.';
COMMENT ON COLUMN apple_report_figure.proceeds_currency IS 'The currency of the proceeds; ISO 4217. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.proceeds_milliunits IS 'The proceeds of one unit, without a sign; in milliunits of
  proceeds_currency. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.proceeds_amount_milliunits IS 'The proceeds, with the sign of
  customer_amount_milliunits; in milliunits of proceeds_currency. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.purchase_day_at IS 'For a refund the day of the purchase: a Pacific day;
  milliseconds since 1970. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.original_start_day_at IS 'The day of the first purchase: a Pacific day; milliseconds
  since 1970. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.consecutive_paid_periods IS 'The paid periods without a cancellation. NULL: not
  stated.';
COMMENT ON COLUMN apple_report_figure.days_before_canceling IS 'The days from the start until the customer switched
  renewal off. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.days_canceled IS 'At a reactivation: for how many days it was cancelled. NULL: not
  stated.';
COMMENT ON COLUMN apple_report_figure.cancellation_reason IS 'The reason of a cancellation, in Apple''s words. NULL: not
  stated.';
COMMENT ON COLUMN apple_report_figure.previous_product_apple_id IS 'The product before a change of plan, by its number in
  the App Store. NULL: no change of plan.';
COMMENT ON COLUMN apple_report_figure.previous_product_name IS 'The product before a change of plan, by its name in App
  Store Connect. NULL: no change of plan.';
COMMENT ON COLUMN apple_report_figure.renewal IS 'New or Renewal. Only sales has it. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.order_type IS 'The kind of order, in Apple''s words. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.duration IS 'The length of a period, in Apple''s words. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.subscription_group_id IS 'The number of the subscription group. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.app_apple_id IS 'The app, by its number in the App Store. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.preserved_pricing IS 'Yes: the customer keeps an older price. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.proceeds_reason IS 'Rate After One Year: the commission is reduced. NULL: not
  stated.';
COMMENT ON COLUMN apple_report_figure.client IS 'The client, such as News. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.device IS 'The device. NULL: not stated.';
COMMENT ON COLUMN apple_report_figure.row_count IS 'How many rows of the report the figure is the sum of.';
COMMENT ON COLUMN apple_report_figure.vendor_number IS 'The vendor number in the name of the file. NULL: it has none.';
COMMENT ON COLUMN apple_report_figure.version IS 'The version of the report''s columns, such as 1_3. NULL: columns of no
  known version.';
COMMENT ON COLUMN apple_report_figure.first_day_at IS 'The first day of the report: a Pacific day, as the first millisecond
  of the date in UTC; milliseconds since 1970.';
COMMENT ON COLUMN apple_report_figure.last_day_at IS 'The last day of the report, as first_day_at; milliseconds since
  1970.';
COMMENT ON COLUMN apple_report_figure.report_id IS 'The apple_report.';
COMMENT ON COLUMN apple_report_figure.figure_number IS 'The number of the figure in its report, from 1.';

COMMENT ON VIEW reconciliation IS 'Apple''s figures beside the ledger''s, and why they differ: the columns after difference
  add up to it. One row for each agreement, product, country, currency, price and Pacific day of param_reconciliation.';
COMMENT ON COLUMN reconciliation.agreement IS 'What is compared: payments or refunds (report subscriber), sales, returns or
  proceeds (report sales), states (report subscription), events (report subscription_event), finance (reports financial
  and finance_detail), analytics_states or analytics_events (reports analytics_state and analytics_event).';
COMMENT ON COLUMN reconciliation.measure IS 'The state, as in apple_report_figure.measure, the kind of event, as in
  apple_event, or sales and returns of finance. NULL: another agreement than these.';
COMMENT ON COLUMN reconciliation.day_at IS 'The Pacific day, as the first millisecond of its date in UTC; of finance the
  first day of the fiscal month; milliseconds since 1970.';
COMMENT ON COLUMN reconciliation.product_id IS 'productId. NULL: the report''s number leads to no product.';
COMMENT ON COLUMN reconciliation.country IS 'The country of the storefront; three letters (ISO 3166). NULL: not stated.';
COMMENT ON COLUMN reconciliation.currency IS 'The currency of price_milliunits; ISO 4217. NULL: not stated.';
COMMENT ON COLUMN reconciliation.price_milliunits IS 'The price that a customer paid, in milliunits of currency. NULL: not
  stated, or refunds and returns, which are compared at all prices together.';
COMMENT ON COLUMN reconciliation.apple_units IS 'The units that Apple reports.';
COMMENT ON COLUMN reconciliation.ledger_units IS 'The units that the ledger counts. Of proceeds: the units whose proceeds are
  those of the terms.';
COMMENT ON COLUMN reconciliation.difference IS 'apple_units less ledger_units.';
COMMENT ON COLUMN reconciliation.report_missing IS 'Of the difference: no report of the day is imported.';
COMMENT ON COLUMN reconciliation.not_mapped IS 'Of the difference: the product number or the country leads to none.';
COMMENT ON COLUMN reconciliation.day IS 'Of the difference: Apple counts the unit on another day.';
COMMENT ON COLUMN reconciliation.day_units IS 'How many of the ledger''s units Apple counts on another day. Those that come
  and go on one day cancel in day.';
COMMENT ON COLUMN reconciliation.settlement IS 'Of the difference: Apple settled it in the fiscal month before or after.';
COMMENT ON COLUMN reconciliation.learned_later IS 'Of the difference: Apple counted it as refunded, and reversed the refund
  later.';
COMMENT ON COLUMN reconciliation.environment_difference IS 'Of the difference: the ledger has it in another environment.';
COMMENT ON COLUMN reconciliation.definition IS 'Of the difference: both have an event, and Apple counts it as another kind.';
COMMENT ON COLUMN reconciliation.price IS 'Of the difference: both have it, at different prices or without one.';
COMMENT ON COLUMN reconciliation.terms IS 'Of the difference: the proceeds are not those of the tax and the commission.';
COMMENT ON COLUMN reconciliation.not_received IS 'Of the difference: Apple reports it, and the ledger has no such purchase.';
COMMENT ON COLUMN reconciliation.not_reported IS 'Of the difference: nothing signed states it, and Apple does not report it.';
COMMENT ON COLUMN reconciliation.unexplained IS 'Of the difference: the rest.';
COMMENT ON COLUMN reconciliation.apple_amount_milliunits IS 'What customers paid or got back by Apple''s report, in
  milliunits of currency. Of proceeds: Apple''s proceeds less those returned. NULL: no units of Apple''s.';
COMMENT ON COLUMN reconciliation.ledger_amount_milliunits IS 'What customers paid or got back by the ledger, in milliunits
  of currency. Of proceeds: those that the terms give. NULL: no units of the ledger''s, no price, or no commission.';

-- @unexported
COMMENT ON VIEW reconciliation_item IS 'The ledger''s purchases and refunds in Apple''s terms, by Pacific day: what the
  figures of reconciliation are made of.';
COMMENT ON COLUMN reconciliation_item.day_at IS 'The Pacific day, as the first millisecond of its date in UTC; milliseconds
  since 1970.';
COMMENT ON COLUMN reconciliation_item.utc_day_at IS 'The day in UTC; milliseconds since 1970.';
COMMENT ON COLUMN reconciliation_item.country IS 'The country of the storefront; three letters (ISO 3166). NULL: not
  stated.';
COMMENT ON COLUMN reconciliation_item.currency IS 'The currency of the amounts; ISO 4217. NULL: not stated.';
COMMENT ON COLUMN reconciliation_item.price_milliunits IS 'The price that was paid, in milliunits of currency. NULL: not
  stated, or refunds and returns.';
COMMENT ON COLUMN reconciliation_item.amount_milliunits IS 'What was paid or refunded, in milliunits of currency. NULL: not
  stated.';
COMMENT ON COLUMN reconciliation_item.units IS 'How many were bought.';
COMMENT ON COLUMN reconciliation_item.is_counted IS '1 if Apple should report it, else 0.';
COMMENT ON COLUMN reconciliation_item.excluded_by IS 'Why Apple should not report it: environment, ownership or free. NULL:
  it should.';
COMMENT ON COLUMN reconciliation_item.is_signed IS '1 if a signed text states it, else 0.';
COMMENT ON COLUMN reconciliation_item.occurred_at IS 'When it was bought or refunded; milliseconds since 1970.';

-- @unexported
COMMENT ON VIEW reconciliation_state IS 'The states of the ledger''s subscriptions in Apple''s terms, by Pacific day: what the
  figures of the agreement states are made of.';
COMMENT ON COLUMN reconciliation_state.state IS 'The state, as in apple_report_figure.measure.';
COMMENT ON COLUMN reconciliation_state.analytics_state IS 'The state, as the report of analytics names it: full_price,
  free_trials, paid_offers, grace_period or billing_retry.';
COMMENT ON COLUMN reconciliation_state.country IS 'The country of the storefront; three letters (ISO 3166). NULL: not
  stated.';
COMMENT ON COLUMN reconciliation_state.first_day_at IS 'The first Pacific day at whose end it counts, as the first
  millisecond of its date in UTC; milliseconds since 1970.';
COMMENT ON COLUMN reconciliation_state.end_day_at IS 'The first Pacific day at whose end it no longer counts; milliseconds
  since 1970. NULL: no such day in the period.';
COMMENT ON COLUMN reconciliation_state.first_utc_day_at IS 'The first day in UTC at whose end it counts; milliseconds since
  1970.';
COMMENT ON COLUMN reconciliation_state.end_utc_day_at IS 'The first day in UTC at whose end it no longer counts;
  milliseconds since 1970. NULL: no such day in the period.';
COMMENT ON COLUMN reconciliation_state.units IS 'Always 1: a subscription.';
COMMENT ON COLUMN reconciliation_state.is_reversed IS '1 for the time until Apple reversed a refund, else 0.';
COMMENT ON COLUMN reconciliation_state.excluded_by IS 'Why Apple should not report it: environment or ownership. NULL: it
  should.';

-- @unexported
COMMENT ON VIEW reconciliation_event IS 'What happened to the ledger''s subscriptions in Apple''s terms, by Pacific day: what
  the figures of the agreement events are made of.';
COMMENT ON COLUMN reconciliation_event.kind IS 'The kind of event, as in apple_event.';
COMMENT ON COLUMN reconciliation_event.day_at IS 'The Pacific day, as the first millisecond of its date in UTC; milliseconds
  since 1970.';
COMMENT ON COLUMN reconciliation_event.utc_day_at IS 'The day in UTC; milliseconds since 1970.';
COMMENT ON COLUMN reconciliation_event.country IS 'The country of the storefront; three letters (ISO 3166). NULL: not
  stated.';
COMMENT ON COLUMN reconciliation_event.units IS 'Always 1: an event.';
COMMENT ON COLUMN reconciliation_event.is_counted IS '1 if Apple should report it, else 0.';
COMMENT ON COLUMN reconciliation_event.excluded_by IS 'Why Apple should not report it: environment, ownership or free. NULL:
  it should.';
COMMENT ON COLUMN reconciliation_event.is_signed IS '1 if a signed text states the purchase, else 0.';
COMMENT ON COLUMN reconciliation_event.occurred_at IS 'When it happened; milliseconds since 1970.';

COMMENT ON VIEW apple_event IS 'The kinds of Apple''s subscription events, by the names that reports have.';
COMMENT ON COLUMN apple_event.event IS 'The name of the event, as Apple writes it.';
COMMENT ON COLUMN apple_event.kind IS 'activations, conversions, renewals, recoveries, billing_issues, cancellations,
  plan_changes, returns, offers, starts, retries, refunds or other.';

-- @unexported
COMMENT ON VIEW proceeds_comparison IS 'Apple''s proceeds in Summary Sales beside those of the terms, by price and Pacific
  day: what the figures of the agreement proceeds are made of.';
COMMENT ON COLUMN proceeds_comparison.day_at IS 'The Pacific day, as the first millisecond of its date in UTC; milliseconds
  since 1970.';
COMMENT ON COLUMN proceeds_comparison.product_id IS 'productId. NULL: the report does not state it.';
COMMENT ON COLUMN proceeds_comparison.country IS 'The country of the storefront; three letters (ISO 3166). NULL: the code of
  the report leads to none.';
COMMENT ON COLUMN proceeds_comparison.currency IS 'The currency of the price and the proceeds; ISO 4217.';
COMMENT ON COLUMN proceeds_comparison.price_milliunits IS 'The price of a unit, in milliunits of currency; for a refund of a
  part, of the row.';
COMMENT ON COLUMN proceeds_comparison.proceeds_milliunits IS 'Apple''s proceeds of a unit, in milliunits of currency.';
COMMENT ON COLUMN proceeds_comparison.is_return IS '1 for a refund, else 0.';
COMMENT ON COLUMN proceeds_comparison.units IS 'How many were sold or returned; for refunds of a part, the rows.';
COMMENT ON COLUMN proceeds_comparison.is_agreed IS '1 if the proceeds are those of the terms within a minor unit, else 0.';
COMMENT ON COLUMN proceeds_comparison.is_reduced IS '1 if the reduced commission is valid: after a year of paid service, or in
  a program. NULL: no term is stated for the day.';
COMMENT ON COLUMN proceeds_comparison.tax_rate IS 'The tax, in thousandths of a percent. NULL: no term is stated for the
  day.';
COMMENT ON COLUMN proceeds_comparison.commission_rate IS 'The commission, in thousandths of a percent. NULL: none is stated
  for the day.';
COMMENT ON COLUMN proceeds_comparison.terms_proceeds_milliunits IS 'The proceeds of a unit by the terms, in milliunits of
  currency. NULL: no commission is stated for the day.';
COMMENT ON COLUMN proceeds_comparison.implied_tax_rate IS 'The tax with which the commission gives Apple''s proceeds, in
  thousandths of a percent. NULL: no commission is stated for the day.';
COMMENT ON COLUMN proceeds_comparison.implied_commission_rate IS 'The commission with which the tax gives Apple''s proceeds,
  in thousandths of a percent. NULL: no term is stated for the day.';

-- @unexported
COMMENT ON VIEW apple_report_comparison IS 'Whether Apple''s daily reports agree with each other, without the ledger.';
COMMENT ON COLUMN apple_report_comparison.comparison IS 'payments, refunds or subscriptions.';
COMMENT ON COLUMN apple_report_comparison.vendor_number IS 'The vendor number. NULL: the names of the files have none.';
COMMENT ON COLUMN apple_report_comparison.day_at IS 'The Pacific day, as the first millisecond of its date in UTC;
  milliseconds since 1970.';
COMMENT ON COLUMN apple_report_comparison.product_apple_id IS 'The number of the product in the App Store. NULL: the report
  does not state it.';
COMMENT ON COLUMN apple_report_comparison.product_id IS 'productId. NULL: nothing says to which product the number belongs.';
COMMENT ON COLUMN apple_report_comparison.country IS 'The country as the reports state it. NULL: subscriptions are not
  counted by country.';
COMMENT ON COLUMN apple_report_comparison.currency IS 'The currency of the price; ISO 4217. NULL: subscriptions are not
  counted by price.';
COMMENT ON COLUMN apple_report_comparison.price_milliunits IS 'The price of a unit, in milliunits of currency; negative for
  refunds. NULL: subscriptions are not counted by price.';
COMMENT ON COLUMN apple_report_comparison.first_units IS 'The units by Summary Sales, or the change of the number of
  subscriptions by Subscription.';
COMMENT ON COLUMN apple_report_comparison.second_units IS 'The units by Subscriber, or the change by Subscription Event.';
COMMENT ON COLUMN apple_report_comparison.refund_units IS 'What refunds of the day explain of the difference: 0 or less.';
COMMENT ON COLUMN apple_report_comparison.reversal_units IS 'What the ends of earlier refunds explain of the difference: 0 or
  more.';
COMMENT ON COLUMN apple_report_comparison.unexplained_units IS 'The rest of first_units less second_units.';

COMMENT ON VIEW apple_product IS 'The product ids of the products that reports name by their number in the App Store.';
COMMENT ON COLUMN apple_product.product_apple_id IS 'The number in the App Store.';
COMMENT ON COLUMN apple_product.product_id IS 'productId.';

-- @unexported
COMMENT ON VIEW country_code IS 'The codes of countries (ISO 3166): reports state two letters, and transactions three.';
COMMENT ON COLUMN country_code.alpha_2 IS 'The code of two letters.';
COMMENT ON COLUMN country_code.alpha_3 IS 'The code of three letters.';

-- @unexported
COMMENT ON VIEW pacific_clock IS 'The difference of Pacific time from UTC: the clock of Apple''s reports.';
COMMENT ON COLUMN pacific_clock.begins_at IS 'The first instant of the difference; milliseconds since 1970.';
COMMENT ON COLUMN pacific_clock.ends_at IS 'The first instant after it; milliseconds since 1970.';
COMMENT ON COLUMN pacific_clock.utc_offset IS 'The difference in milliseconds: what is added to an instant in UTC.';

-- @step
-- @parameter
COMMENT ON VIEW param_reconciliation IS 'The days of a reconciliation, and whose purchases count.';
COMMENT ON COLUMN param_reconciliation.first_day_at IS 'The first Pacific day, as the first millisecond of its date in UTC;
  milliseconds since 1970.';
COMMENT ON COLUMN param_reconciliation.last_day_at IS 'The last Pacific day, as first_day_at; milliseconds since 1970.';
COMMENT ON COLUMN param_reconciliation.bundle_id IS 'The app, by its bundle id. NULL: all apps.';

COMMENT ON VIEW proceeds_term IS 'The taxes and commissions from which proceeds are estimated: the rows that come with the
  program, and the imported ones.';
COMMENT ON COLUMN proceeds_term.term IS 'tax, commission, reduced_commission (after a year of paid service, and in a
  program) or program (whether the account or the app is in one).';
COMMENT ON COLUMN proceeds_term.country IS 'The country of the storefront; three letters (ISO 3166). NULL: all.';
COMMENT ON COLUMN proceeds_term.bundle_id IS 'The app, by its bundle id. NULL: all apps.';
COMMENT ON COLUMN proceeds_term.begins_at IS 'The first instant at which the row is valid; milliseconds since 1970.';
COMMENT ON COLUMN proceeds_term.ends_at IS 'The first instant at which the row is no longer valid; milliseconds since 1970.
  NULL: no end.';
COMMENT ON COLUMN proceeds_term.rate IS 'The rate in thousandths of a percent: 19000 is 19 percent. For program it is 100000
  or 0.';
COMMENT ON COLUMN proceeds_term.source IS 'Where the row comes from. NULL: its owner did not say so.';
COMMENT ON COLUMN proceeds_term.is_default IS '1 if the row comes with the program, 0 if it was imported.';

-- @unexported
COMMENT ON VIEW proceeds_rate IS 'The tax and the commission in each storefront, from begins_at until ends_at.';
COMMENT ON COLUMN proceeds_rate.bundle_id IS 'The app, by its bundle id. NULL: apps without a row of their own.';
COMMENT ON COLUMN proceeds_rate.country IS 'The country of the storefront; three letters (ISO 3166). NULL: not stated.';
COMMENT ON COLUMN proceeds_rate.begins_at IS 'The first instant at which the rates are valid; milliseconds since 1970.';
COMMENT ON COLUMN proceeds_rate.ends_at IS 'The first instant at which they are no longer valid; milliseconds since 1970.
  NULL: no end.';
COMMENT ON COLUMN proceeds_rate.tax_rate IS 'The tax as a part of the price without tax, in thousandths of a percent. NULL: no
  row states it.';
COMMENT ON COLUMN proceeds_rate.commission_rate IS 'The commission as a part of the price without tax, in thousandths of a
  percent. NULL: no row states it.';
COMMENT ON COLUMN proceeds_rate.reduced_commission_rate IS 'The commission after a year of paid service, and in a program; in
  thousandths of a percent. NULL: no row states it.';
COMMENT ON COLUMN proceeds_rate.is_in_program IS '1 if the reduced commission applies to every payment, else 0.';

COMMENT ON VIEW proceeds_estimate IS 'The proceeds of each payment with a price, estimated from its tax and commission.';
COMMENT ON COLUMN proceeds_estimate.transaction_id IS 'Apple''s transactionId of the payment.';
COMMENT ON COLUMN proceeds_estimate.product_id IS 'productId.';
COMMENT ON COLUMN proceeds_estimate.country IS 'The country of the storefront; three letters (ISO 3166). NULL: not stated.';
COMMENT ON COLUMN proceeds_estimate.purchase_at IS 'When the payment was made; milliseconds since 1970.';
COMMENT ON COLUMN proceeds_estimate.currency IS 'The currency of the amounts; ISO 4217. NULL: not stated.';
COMMENT ON COLUMN proceeds_estimate.price_milliunits IS 'The price that was paid, in milliunits of currency.';
COMMENT ON COLUMN proceeds_estimate.refunded_milliunits IS 'What was refunded of it, in milliunits of currency. NULL: no
  refund.';
COMMENT ON COLUMN proceeds_estimate.tax_rate IS 'The tax as a part of the price without tax, in thousandths of a percent; 0 if
  no row states it.';
COMMENT ON COLUMN proceeds_estimate.commission_rate IS 'The commission as a part of the price without tax, in thousandths of
  a percent. NULL: no row states it.';
COMMENT ON COLUMN proceeds_estimate.is_in_program IS '1 if the payment was in a program with the reduced commission, else 0.';
COMMENT ON COLUMN proceeds_estimate.proceeds_milliunits IS 'The estimated proceeds of the price, in milliunits of currency.
  NULL: no row states the commission.';
COMMENT ON COLUMN proceeds_estimate.refunded_proceeds_milliunits IS 'The estimated part of the refund that the developer
  pays, in milliunits of currency. NULL: no refund.';

-- @sealed 57
COMMENT ON TABLE proceeds_term_entry IS 'The taxes and commissions that the ledger''s owner imported. For each day, the entry
  that was recorded last decides.';
COMMENT ON COLUMN proceeds_term_entry.entry_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN proceeds_term_entry.country IS 'The country of the storefront; three letters (ISO 3166). NULL: all.';
COMMENT ON COLUMN proceeds_term_entry.bundle_id IS 'The app, by its bundle id. NULL: all apps.';
COMMENT ON COLUMN proceeds_term_entry.day_at IS 'The first day (UTC) at which the row is valid; milliseconds since 1970.';
COMMENT ON COLUMN proceeds_term_entry.rate IS 'The rate in thousandths of a percent. NULL: the row of this day is removed.';
COMMENT ON COLUMN proceeds_term_entry.source IS 'Where the row comes from. NULL: its owner did not say so.';
COMMENT ON COLUMN proceeds_term_entry.entered_at IS 'When the entry was made; milliseconds since 1970.';

-- @sealed 55
COMMENT ON TABLE apple_report IS 'The imported reports of App Store Connect, each different text once.';
COMMENT ON COLUMN apple_report.report_id IS 'The number of a report in this file.';
COMMENT ON COLUMN apple_report.type IS 'sales, subscription, subscription_event, subscriber, offer_code_redemption, financial,
  finance_detail, analytics_state or analytics_event.';
COMMENT ON COLUMN apple_report.version IS 'The version of the columns, such as 1_3. NULL: columns of no known version.';
COMMENT ON COLUMN apple_report.digest IS 'The SHA-256 of the text, decompressed; 32 bytes.';
COMMENT ON COLUMN apple_report.row_count IS 'The number of rows in the text, without the header.';
COMMENT ON COLUMN apple_report.recorded_at IS 'When it was imported; milliseconds since 1970.';

-- @sealed 56
-- @unexported
COMMENT ON TABLE apple_report_content IS 'The bytes of the files of reports, as they were downloaded.';
COMMENT ON COLUMN apple_report_content.ordinal IS 'The position of the part in the file, from 0.';
COMMENT ON COLUMN apple_report_content.bytes IS 'The bytes of one part.';

-- @projection
-- @exported
-- @internal digest
COMMENT ON TABLE apple_figure_dimensions IS 'What the figures of reports are about. The columns are those of
  apple_report_figure.';
COMMENT ON COLUMN apple_figure_dimensions.dimensions_id IS 'The number of the row in this file.';
COMMENT ON COLUMN apple_figure_dimensions.digest IS 'The SHA-256 of the other columns; 32 bytes.';
COMMENT ON COLUMN apple_figure_dimensions.event IS 'The name of the event, as Apple writes it. NULL: no event.';
COMMENT ON COLUMN apple_figure_dimensions.product_id IS 'productId. NULL: not stated.';
COMMENT ON COLUMN apple_figure_dimensions.country IS 'The country of the storefront; two letters (ISO 3166). NULL: not stated.';
COMMENT ON COLUMN apple_figure_dimensions.offer_type IS 'Free Trial, Pay As You Go or Pay Up Front. NULL: no offer.';

-- @projection
-- @exported
COMMENT ON TABLE apple_figure IS 'The figures of each report, read from its text. The columns are those of
  apple_report_figure.';
COMMENT ON COLUMN apple_figure.dimensions_id IS 'The apple_figure_dimensions.';
COMMENT ON COLUMN apple_figure.day_at IS 'The event date, or the day of the report: a Pacific day, as the first millisecond
  of the date in UTC; milliseconds since 1970.';

-- @machinery
-- @append_only
-- @constant
COMMENT ON TABLE calendar_month IS 'The months from 1970 to 2199 (UTC). With them, a duration in calendar months is a
  join.';
COMMENT ON COLUMN calendar_month.month_number IS 'The number of the month. January 1970 is 0.';
COMMENT ON COLUMN calendar_month.starts_at IS 'When the month begins; milliseconds since 1970.';
COMMENT ON COLUMN calendar_month.ends_at IS 'When the next month begins; milliseconds since 1970.';

-- @machinery
-- @unexported
COMMENT ON TABLE generated_schema IS 'The digest of the generated part of the schema.';
COMMENT ON COLUMN generated_schema.digest IS 'The digest of the texts of the views and triggers; hexadecimal.';
COMMENT ON COLUMN generated_schema.answer_digest IS 'The digest of the views from which the stored answers come; 32
  hexadecimal digits.';
COMMENT ON COLUMN generated_schema.metric_digest IS 'The digest of the views from which the stored metric deltas come; 32
  hexadecimal digits.';
COMMENT ON COLUMN generated_schema.program_version IS 'The version of the program that generated the views and guards,
  such as 1.0.0. A program with a lower one leaves them as they are.';

-- @projection
-- @append_only
-- @exported
COMMENT ON TABLE original_transaction_identifier IS 'The ids from Apple that lead to original transactions, beside
  transaction ids.';
COMMENT ON COLUMN original_transaction_identifier.identifier IS 'The id; text.';
COMMENT ON COLUMN original_transaction_identifier.kind IS 'What kind of id: app_account_token, app_transaction_id,
  order_id or previous_original_transaction_id.';

-- @projection
-- @derived int_original_transaction_evidence
COMMENT ON TABLE projection_original_transaction IS 'What is known of the evidence about each original transaction as a
  whole.';
COMMENT ON COLUMN projection_original_transaction.evidence_at IS 'The newest evidence_at of the original transaction;
  milliseconds since 1970.';
COMMENT ON COLUMN projection_original_transaction.last_recorded_at IS 'When the ledger last recorded evidence about it;
  milliseconds since 1970.';
COMMENT ON COLUMN projection_original_transaction.weakest_trust IS 'The lowest trust of its evidence: 0 not signed, 1
  signed, 2 signed by Apple.';
COMMENT ON COLUMN projection_original_transaction.confirming_evidence_at IS 'The newest evidence_at of evidence that
  confirms an end: without contradictory payloads and receipts of devices; milliseconds since 1970. NULL: there is none.';
COMMENT ON COLUMN projection_original_transaction.is_contradicted IS '1 if a payload with evidence about it contradicts
  itself, else 0.';

-- @projection
-- @derived int_transaction_version_interval
COMMENT ON TABLE projection_transaction IS 'Every version that was ever the current one of its transaction, and when.';
COMMENT ON COLUMN projection_transaction.version_id IS 'The transaction_version.';
COMMENT ON COLUMN projection_transaction.known_from IS 'When the version became the current one, by
  recorded_at; milliseconds since 1970.';
COMMENT ON COLUMN projection_transaction.known_until IS 'When another version replaced it, by recorded_at;
  milliseconds since 1970. NULL: it is still current.';

-- @projection
-- @derived int_renewal_info_instant
COMMENT ON TABLE projection_renewal_info IS 'Every renewal info version, in the order of evidence_at.';
COMMENT ON COLUMN projection_renewal_info.version_id IS 'The renewal_info_version.';

-- @projection
-- @derived int_entitlement_period
-- @public
COMMENT ON TABLE entitlement_period IS 'The states of each subscription by the rules, from what is known at present.
  Nothing in a row changes from begins_at until ends_at.';
COMMENT ON COLUMN entitlement_period.evidence_at IS 'The newest evidence_at of the subscription; milliseconds since
  1970. It is the same in all rows of the subscription.';
COMMENT ON COLUMN entitlement_period.begins_at IS 'The first instant of the row; milliseconds since 1970.';
COMMENT ON COLUMN entitlement_period.ends_at IS 'The first instant after the row; milliseconds since 1970. NULL: no
  end.';
COMMENT ON COLUMN entitlement_period.state IS 'active, grace_period, billing_retry, expired or revoked.';
COMMENT ON COLUMN entitlement_period.rule IS 'The rule that decided: covered, revoked, grace, retry, retry_exhausted,
  lapsed, unconfirmed or superseded.';
COMMENT ON COLUMN entitlement_period.grace_period_expires_at IS 'When a grace period later than expires_at ends or
  ended; milliseconds since 1970. NULL: there was none, or the period has not ended.';

-- @projection
COMMENT ON TABLE entitlement_period_gap IS 'The original transactions whose periods wait to be derived, until an import
  ends. entitlement_period has no rows of them.';
COMMENT ON COLUMN entitlement_period_gap.is_by_other_rules IS '1: a program with other rules recorded evidence about it.
  Then every stored answer of it waits to be derived, not only its periods.';

-- @projection
-- @append_only
-- @exported
COMMENT ON TABLE customer_link_target IS 'The original transactions that each link entry names. Triggers keep it.';
COMMENT ON COLUMN customer_link_target.entry_id IS 'The customer_link_entry.';

-- @machinery
-- @unexported
COMMENT ON TABLE schema_migration IS 'The migrations that this file has applied.';
COMMENT ON COLUMN schema_migration.name IS 'The name of a migration, as in the folder Migrations.';
