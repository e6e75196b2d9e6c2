-- What every table and view is for, and how the program treats it. Every list of tables, views and columns that the
-- program needs comes from here.
--
-- The comments are the data dictionary: what each table, view and column holds, its unit, and what NULL means. Other
-- engines run them as they are. A column without a comment in its own relation has the comment of the first relation
-- below that comments on a column of the same name; so a name means one thing. A line end and the spaces after it,
-- inside a comment, are one space.
--
-- Lines that begin with "-- @" describe the relation whose comment follows:
--   step                a step of a derivation, for other views; `subledger schema` lists it with --all only
--   projection          stored results of views: emptied, it changes no answer, only its speed
--   machinery           how the file guards itself and stores texts
--   sealed NUMBER       the rows are append-only and sealed, under this number in seals
--   append_only         the rows are append-only, and not sealed
--   erasable COLUMNS    an erasure may rewrite these columns
--   removable           an erasure may remove rows
--   rewritable          an erasure may rewrite whole rows: they repeat words of a payload, and decide no access
--   constant            the rows are the same in every ledger
--   parameter           a view that asks: in other engines a table, to be filled
--   internal COLUMNS    columns that have no meaning outside of the file
--   text COLUMNS        what arrived, word for word: exported only on request
--   unexported          never exported
--   exported            a step or projection that is exported
--   sqlite              a view that only SQLite has: texts of payloads
--   integer COLUMNS     columns that views compute and that are integers; the other computed columns are text

-- Evidence: what Apple said, exactly, and when.
-- @sealed 4
-- @erasable source, form_id, layout
-- @internal header_id, signature, form_id, layout
-- @text source
COMMENT ON TABLE payload IS 'What arrived, each different text once. Its whole text is in payload_text; when it was said
  and learned, in stg_payload.';
COMMENT ON COLUMN payload.payload_id IS 'The number of a payload in this file: what a row was taken from, or what
  decided.';
COMMENT ON COLUMN payload.digest IS 'The SHA-256 of the whole text as it arrived; 32 bytes.';
COMMENT ON COLUMN payload.kind IS 'What it is: verify_receipt, notification_v1, notification_v2, subscription_statuses,
  transaction_history, refund_history, transaction_info, order_lookup, notification_history, test_notification_status,
  app_transaction_info, api_error, transaction, renewal_info, app_transaction or client_event.';
COMMENT ON COLUMN payload.trust IS 'Why it is believed: verified (signed, and the signature leads to a trusted root),
  unsigned (from where it came), unverified (accepted without proof, and never in Production).';
COMMENT ON COLUMN payload.environment IS 'Where it belongs: Production, Sandbox, Xcode, LocalTesting, Unverified
  (accepted without proof) or Unknown. Name one in every question.';
COMMENT ON COLUMN payload.bundle_id IS 'The app, by its bundle id. NULL: not stated.';
COMMENT ON COLUMN payload.app_apple_id IS 'The app, by its number in the App Store, as text. NULL: not stated.';
COMMENT ON COLUMN payload.stated_at IS 'Apple''s own instant for the whole of it (signedDate, request_date_ms,
  receipt_creation_date_ms); milliseconds since 1970. NULL: it has none.';
COMMENT ON COLUMN payload.inferred_at IS 'The latest date inside that speaks of the past, for payloads without an
  instant of their own; milliseconds since 1970. NULL: none was looked for or found.';
COMMENT ON COLUMN payload.receipt_status IS 'verifyReceipt''s status where it is not 0, or the code of an API error.
  NULL: it succeeded, or has no such field.';
COMMENT ON COLUMN payload.failure IS 'What a failed answer asks its caller to do: retry, ask_sandbox, ask_production,
  mend_request, permanent. NULL: no failure.';
COMMENT ON COLUMN payload.source IS 'The text as it is stored, less the statements and payloads inside it: whole where
  form_id is NULL, else the values that are put into the form, with U+001F between them.';
COMMENT ON COLUMN payload.header_id IS 'The first segment of the signed text, in jws_header. NULL: not signed.';
COMMENT ON COLUMN payload.signature IS 'The signature; bytes. NULL: not signed.';
COMMENT ON COLUMN payload.root_id IS 'The root_certificate by which everything signed in it is believed; of several, one
  that was added. NULL: something in it is not signed.';
COMMENT ON COLUMN payload.form_id IS 'The text_form that source is put into. NULL: source is the whole text.';
COMMENT ON COLUMN payload.layout IS 'Where Apple''s objects and other payloads stood in source. For each, in order: t, r,
  a or p (transaction_info, renewal_info, app_transaction_info, payload); the distance in bytes from the one before; the
  difference of its number from that of the one of its kind before. NULL: nothing was taken out of the text.';

-- @sealed 5
COMMENT ON TABLE delivery IS 'Each arrival of a payload worth remembering: the first, and every one whose received
  instant the importer was told. The earliest is the payload''s recorded_at.';
COMMENT ON COLUMN delivery.received_at IS 'When it was received; milliseconds since 1970.';
COMMENT ON COLUMN delivery.is_explicit IS 'Whether the importer was told when it was received: 1; or took its own clock:
  0.';
COMMENT ON COLUMN delivery.source_line IS 'The line of the file, from 1. NULL: not from a file of lines.';

-- @step
-- @integer is_contradictory, is_inferred, trust_level
COMMENT ON VIEW stg_payload IS 'When Apple said each payload, and when the ledger learned it.';
COMMENT ON COLUMN stg_payload.recorded_at IS 'When the ledger learned it; milliseconds since 1970.';
COMMENT ON COLUMN stg_payload.evidence_at IS 'When Apple said it: its own instant, else the earliest arrival that was
  told, else the latest past date inside; milliseconds since 1970. 0: nothing tells when.';
COMMENT ON COLUMN stg_payload.is_inferred IS '1 where Apple stated no date for it, and it was said not before
  evidence_at; else 0.';
COMMENT ON COLUMN stg_payload.is_contradictory IS '1 where its own dates contradict each other: it may be forged or
  edited; else 0.';

COMMENT ON COLUMN stg_payload.trust_level IS '0 where anything in it is not signed, 1 where all is, 2 where all leads to
  Apple''s root.';

-- @sealed 41
COMMENT ON TABLE root_certificate IS 'The root certificates that signatures lead to: Apple''s, and those that were
  added.';
COMMENT ON COLUMN root_certificate.root_id IS 'The number of a root in this file.';
COMMENT ON COLUMN root_certificate.digest IS 'The SHA-256 of the certificate; 32 bytes.';
COMMENT ON COLUMN root_certificate.name IS 'Its common name, as the certificate has it.';
COMMENT ON COLUMN root_certificate.is_apple IS '1 for Apple Root CA G3; 0 for a root that was added with --trust.';

-- @sealed 1
-- @erasable name
COMMENT ON TABLE origin IS 'Where deliveries came from: a file, standard input, a queue, a catalogue.';
COMMENT ON COLUMN origin.origin_id IS 'The number of an origin in this file.';
COMMENT ON COLUMN origin.name IS 'Its name, such as the path that was imported.';

-- @sealed 6
COMMENT ON TABLE payload_part IS 'Payloads inside payloads: a page of notification history and the notifications on
  it.';
COMMENT ON COLUMN payload_part.payload_id IS 'The payload around it.';
COMMENT ON COLUMN payload_part.part_id IS 'The payload inside it: a payload_id.';

-- @sealed 7
-- @erasable value
-- @rewritable
-- @text value
COMMENT ON TABLE problem IS 'Rows and fields inside a recorded payload that could not be used; all else of it was.';
COMMENT ON COLUMN problem.ordinal IS 'Its place among the others of its kind.';
COMMENT ON COLUMN problem.code IS 'What is wrong, such as unreadable_instant, missing_transaction_id,
  unattributed_renewal.';
COMMENT ON COLUMN problem.path IS 'Where in the payload: a JSON path.';
COMMENT ON COLUMN problem.value IS 'What stood there, cut off where it is long.';

-- @sealed 8
-- @removable
-- @unexported
COMMENT ON TABLE receipt_data IS 'The texts of latest_receipt, only where an import was asked to keep them
  (--keep-latest-receipt).';
COMMENT ON COLUMN receipt_data.digest IS 'The SHA-256 of text; 32 bytes.';
COMMENT ON COLUMN receipt_data.text IS 'The receipt, in Base 64, as it arrived.';

-- @sealed 9
-- @rewritable
COMMENT ON TABLE quarantine IS 'What could not be recorded, and why. Its bytes are in quarantine_bytes; what a later
  attempt could record, in quarantine_release.';
COMMENT ON COLUMN quarantine.quarantine_id IS 'The number of a refused payload in this file.';
COMMENT ON COLUMN quarantine.digest IS 'The SHA-256 of its bytes; 32 bytes.';
COMMENT ON COLUMN quarantine.reason IS 'Why it was refused: empty, malformed, truncated, not_utf8, too_deep,
  duplicate_key, too_long, unrecognised, nothing_usable, unusable_event, signature, unverified, foreign_bundle,
  from_the_future or unreadable_received_at.';
COMMENT ON COLUMN quarantine.path IS 'Where in it: a JSON path.';
COMMENT ON COLUMN quarantine.byte_offset IS 'Where in it, in bytes from 0. NULL: nowhere in particular.';
COMMENT ON COLUMN quarantine.detail IS 'What is wrong, in words.';
COMMENT ON COLUMN quarantine.advice IS 'What to do about it, in words.';
COMMENT ON COLUMN quarantine.byte_count IS 'Its length in bytes.';
COMMENT ON COLUMN quarantine.received_at IS 'When it was received; milliseconds since 1970.';

-- @sealed 10
-- @erasable bytes
-- @removable
-- @unexported
COMMENT ON TABLE quarantine_bytes IS 'The bytes of what was refused, less secrets, in several parts where they are
  many.';
COMMENT ON COLUMN quarantine_bytes.bytes IS 'One part; bytes.';

-- @sealed 11
COMMENT ON TABLE quarantine_release IS 'What was refused once and could be recorded later.';
COMMENT ON COLUMN quarantine_release.released_at IS 'When it was recorded; milliseconds since 1970.';

-- @sealed 39
COMMENT ON TABLE payload_mention IS 'Ids that recorded payloads name, while nothing about them could be read.';
COMMENT ON COLUMN payload_mention.identifier IS 'The id; text.';
COMMENT ON COLUMN payload_mention.kind IS 'What kind of id: transaction_id, original_transaction_id,
  web_order_line_item_id or notification_uuid.';

-- @sealed 40
COMMENT ON TABLE quarantine_mention IS 'Ids that payloads in quarantine name.';
COMMENT ON COLUMN quarantine_mention.identifier IS 'The id; text.';
COMMENT ON COLUMN quarantine_mention.kind IS 'What kind of id: transaction_id, original_transaction_id,
  web_order_line_item_id or notification_uuid.';

-- @sealed 12
COMMENT ON TABLE original_transaction IS 'One subscription relationship, or one-time purchase: an environment and an
  original transaction id.';
COMMENT ON COLUMN original_transaction.original_transaction_key IS 'The number of a line in this file.';
COMMENT ON COLUMN original_transaction.original_transaction_id IS 'Apple''s id of the first transaction of a line, which
  all its renewals carry; text. NULL: none was named.';

-- @sealed 13
COMMENT ON TABLE store_transaction IS 'A transaction, by Apple''s id. What was stated of it: transaction_version. What
  holds: transaction_current.';
COMMENT ON COLUMN store_transaction.transaction_key IS 'The number of a transaction in this file. NULL: no transaction
  is named.';
COMMENT ON COLUMN store_transaction.transaction_id IS 'Apple''s id of a transaction; text. NULL: no transaction is
  named.';

-- @sealed 14
-- @erasable app_account_token, source, form_id
-- @internal header_id, signature, form_id
-- @text source
COMMENT ON TABLE transaction_info IS 'What Apple stated of a transaction, field by field: each different text once. When
  it was stated: transaction_version.';
COMMENT ON COLUMN transaction_info.transaction_info_id IS 'The number of a transaction info in this file.';
COMMENT ON COLUMN transaction_info.digest IS 'The SHA-256 of its whole text; 32 bytes.';
COMMENT ON COLUMN transaction_info.source IS 'Its text; of a signed one the decoded payload. With a form only the
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
COMMENT ON COLUMN transaction_info.original_purchase_at IS 'originalPurchaseDate: when the line''s first transaction was
  bought, or the app was first got; milliseconds since 1970. NULL: not stated.';
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
COMMENT ON COLUMN transaction_info.previous_original_transaction_id IS 'The line that this one was migrated from; text.
  NULL: none.';

-- @sealed 15
-- @erasable app_account_token, source, form_id
-- @internal header_id, signature, form_id
-- @text source
COMMENT ON TABLE renewal_info IS 'What Apple stated of a subscription''s renewal, field by field: each different text
  once. When it was stated: renewal_info_version.';
COMMENT ON COLUMN renewal_info.renewal_info_id IS 'The number of a renewal info in this file.';
COMMENT ON COLUMN renewal_info.digest IS 'The SHA-256 of its whole text; 32 bytes.';
COMMENT ON COLUMN renewal_info.source IS 'Its text; of a signed one the decoded payload. With a form only the values.
  The whole text is in renewal_info_text.';
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
  where they consented or were only told. NULL: no price increase.';
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

-- @sealed 16
COMMENT ON TABLE transaction_version IS 'Each time that a payload stated a transaction. A refund, its reversal and an
  extension are versions of one transaction.';
COMMENT ON COLUMN transaction_version.version_id IS 'The number of a version in this file: of a transaction, in
  transaction_version. NULL: none is known.';
COMMENT ON COLUMN transaction_version.source_rank IS 'How strong the source is, 1 being the strongest: 1 signed (JWS), 2
  latest_receipt_info, 3 in_app.';
COMMENT ON COLUMN transaction_version.signed_at IS 'signedDate: when Apple signed it; milliseconds since 1970. NULL: not
  signed; the payload''s evidence_at stands for it.';

-- @sealed 17
COMMENT ON TABLE renewal_info_version IS 'Each time that a payload stated a renewal info.';
COMMENT ON COLUMN renewal_info_version.version_id IS 'The number of the renewal version in this file.';

-- @sealed 18
COMMENT ON TABLE status_claim IS 'Each time Apple named a line''s state itself. Compared with the derived state by
  `subledger audit`; it decides nothing.';
COMMENT ON COLUMN status_claim.claim_id IS 'The number of the claim in this file.';
COMMENT ON COLUMN status_claim.status IS '1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.';
COMMENT ON COLUMN status_claim.purchase_at IS 'purchaseDate of the transaction that came with it; milliseconds since
  1970. NULL: none came with it.';

-- @sealed 19
COMMENT ON TABLE notification IS 'What a notification says beside its transaction and renewal. One row a notification.';
COMMENT ON COLUMN notification.notification_type IS 'Apple''s word for what happened, such as DID_RENEW.';
COMMENT ON COLUMN notification.subtype IS 'Apple''s second word for it, such as BILLING_RECOVERY. NULL: none.';
COMMENT ON COLUMN notification.notification_uuid IS 'Apple''s id of the notification, the same each time it is sent.
  NULL: V1, which has none.';
COMMENT ON COLUMN notification.version IS 'The version of its format, such as 2.0. NULL: V1.';
COMMENT ON COLUMN notification.original_transaction_key IS 'The line that it is about. NULL: it is about no line.';
COMMENT ON COLUMN notification.consumption_request_reason IS 'Why a customer asks for a refund: UNINTENDED_PURCHASE,
  FULFILLMENT_ISSUE, UNSATISFIED_WITH_PURCHASE, LEGAL or OTHER. NULL: no such request, or not stated.';
COMMENT ON COLUMN notification.bundle_version IS 'The app''s version. NULL: not stated.';
COMMENT ON COLUMN notification.external_purchase_id IS 'Apple''s id of an external purchase token. NULL: no such
  notification.';
COMMENT ON COLUMN notification.external_purchase_token_type IS 'ACQUISITION, SERVICES or CORE_TECHNOLOGY. NULL: not
  stated.';
COMMENT ON COLUMN notification.external_purchase_token_created_at IS 'When that token was made; milliseconds since 1970.
  NULL: not stated.';
COMMENT ON COLUMN notification.external_purchase_token_expires_at IS 'When that token ends; milliseconds since 1970.
  NULL: not stated.';
COMMENT ON COLUMN notification.request_identifier IS 'The id of a request to extend renewals for all, as the app gave
  it. NULL: no such summary.';
COMMENT ON COLUMN notification.summary_product_id IS 'The product that was extended for all. NULL: no such summary.';
COMMENT ON COLUMN notification.succeeded_count IS 'How many were extended. NULL: no such summary.';
COMMENT ON COLUMN notification.failed_count IS 'How many could not be. NULL: no such summary.';

-- @sealed 20
-- @erasable source, form_id
-- @internal header_id, signature, form_id
-- @text source
COMMENT ON TABLE app_transaction_info IS 'What Apple stated of the customer''s copy of the app itself, field by field:
  each different text once. When it was stated: app_transaction_version.';
COMMENT ON COLUMN app_transaction_info.app_transaction_info_id IS 'The number of an app transaction info in this file.';
COMMENT ON COLUMN app_transaction_info.digest IS 'The SHA-256 of its whole text; 32 bytes.';
COMMENT ON COLUMN app_transaction_info.source IS 'Its text; of a signed one the decoded payload. With a form only the
  values. The whole text is in app_transaction_info_text.';
COMMENT ON COLUMN app_transaction_info.application_version IS 'The version of the app that asked. NULL: not stated.';
COMMENT ON COLUMN app_transaction_info.original_application_version IS 'The version that the customer first got. NULL:
  not stated.';
COMMENT ON COLUMN app_transaction_info.original_purchase_at IS 'When the customer first got the app; milliseconds since
  1970. NULL: not stated.';
COMMENT ON COLUMN app_transaction_info.preorder_at IS 'When it was ordered in advance; milliseconds since 1970. NULL: it
  was not.';
COMMENT ON COLUMN app_transaction_info.original_platform IS 'Where it was first got: iOS, macOS, tvOS or visionOS. NULL:
  not stated.';

-- @sealed 21
COMMENT ON TABLE app_transaction_version IS 'Each time that a payload stated an app transaction.';
COMMENT ON COLUMN app_transaction_version.version_id IS 'The number of the version in this file.';

-- @sealed 22
COMMENT ON TABLE order_lookup IS 'Which order an answer of Look Up Order ID is about: it does not repeat that, so
  whoever imports it tells.';
COMMENT ON COLUMN order_lookup.order_id IS 'The order''s number, as customers have it.';

-- @sealed 23
COMMENT ON TABLE send_attempt IS 'Apple''s attempts to deliver a notification, as a page of notification history tells
  them.';
COMMENT ON COLUMN send_attempt.payload_id IS 'The page.';
COMMENT ON COLUMN send_attempt.notification_id IS 'The notification, by its payload_id.';
COMMENT ON COLUMN send_attempt.attempted_at IS 'When Apple tried; milliseconds since 1970.';
COMMENT ON COLUMN send_attempt.result IS 'What came of it, such as SUCCESS, TIMED_OUT, TLS_ISSUE. NULL: not stated.';

-- What is derived of the evidence: who has access, and what was bought. A row a question; in any SQLite tool the
-- question is now, and `subledger query --as-of … --known-at …` asks about other instants.
-- @step
-- @parameter
-- @integer as_of, known_at
COMMENT ON VIEW param_query IS 'The instants asked about. In the file: now, with all that is known.';
COMMENT ON COLUMN param_query.as_of IS 'The instant asked about: what was true then; milliseconds since 1970.';
COMMENT ON COLUMN param_query.known_at IS 'As far as was known at this instant; milliseconds since 1970.';

-- @integer has_access, access_ends_at, confirmed, will_renew, is_renewal_contradictory
COMMENT ON VIEW entitlement IS 'Who has access. One row a line, with the rule that decided and the fields of the
  transaction that decides.';
COMMENT ON COLUMN entitlement.state IS 'active, grace_period, billing_retry, expired or revoked.';
COMMENT ON COLUMN entitlement.has_access IS '1 where there is access, else 0.';
COMMENT ON COLUMN entitlement.access_ends_at IS 'When access ends or ended; milliseconds since 1970. NULL: without an
  end.';
COMMENT ON COLUMN entitlement.confirmed IS '0 where a period has ended and the ledger may not have been told of a
  renewal, or where only payloads that contradict themselves tell of the answer: ask Apple; else 1.';
COMMENT ON COLUMN entitlement.trust IS 'Why what decided is believed: verified (signed), unsigned (because of where it
  came from) or unverified; of two pieces of evidence the less.';
COMMENT ON COLUMN entitlement.added_root IS 'The root that its signature leads to, where that was added with --trust.
  NULL: Apple''s, or not signed.';
COMMENT ON COLUMN entitlement.is_contradictory IS '1 where a payload that decided contradicts itself (two of its keys
  state one date differently): it may be forged or edited; else 0.';
COMMENT ON COLUMN entitlement.is_renewal_contradictory IS '1 where the renewal info that decided says both that the
  customer turned renewal off (expiration_intent 1) and that renewal is on; else 0.';
COMMENT ON COLUMN entitlement.will_renew IS 'Whether renewal was on, by the last word of it: 1 or 0. NULL: nothing was
  said of it.';
COMMENT ON COLUMN entitlement.next_product_id IS 'The product that it renews to, by the last word of it. NULL: nothing
  was said of it.';
COMMENT ON COLUMN entitlement.expiration_reason IS 'Why it expired: customer_cancelled, billing_error,
  price_increase_not_accepted, product_unavailable or other. NULL: not expired, or not stated.';
COMMENT ON COLUMN entitlement.rule IS 'The rule that decided: covered, revoked, grace, retry, retry_exhausted, lapsed,
  unconfirmed or superseded.';
COMMENT ON COLUMN entitlement.evidence_at IS 'When Apple last said anything of the line; milliseconds since 1970.';
COMMENT ON COLUMN entitlement.expires_at IS 'When the period of the transaction that decides ends by itself;
  milliseconds since 1970.';
COMMENT ON COLUMN entitlement.revoked_at IS 'When that transaction was refunded or taken back, also where that is after
  as_of; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN entitlement.grace_period_expires_at IS 'When a grace period later than expires_at ends or ended;
  milliseconds since 1970. NULL: there was none.';
COMMENT ON COLUMN entitlement.version_id IS 'The transaction_version that decides.';
COMMENT ON COLUMN entitlement.renewal_info_version_id IS 'The renewal_info_version that decides for a lapsed line. NULL:
  none does.';

COMMENT ON VIEW entitlement_state IS 'The same as entitlement, with nothing looked up beside it. For counting.';
COMMENT ON COLUMN entitlement_state.evidence_at IS 'When Apple last said anything of the line; milliseconds since
  1970.';
COMMENT ON COLUMN entitlement_state.version_id IS 'The transaction_version that decides.';
COMMENT ON COLUMN entitlement_state.expires_at IS 'When the period of the transaction that decides ends by itself;
  milliseconds since 1970.';
COMMENT ON COLUMN entitlement_state.revoked_at IS 'When that transaction was refunded or taken back, also where that is
  after as_of; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN entitlement_state.grace_period_expires_at IS 'When a grace period later than expires_at ends or ended;
  milliseconds since 1970. NULL: there was none.';

-- @integer is_free, refunded_milliunits, is_counted, is_paid_by_owner
COMMENT ON VIEW transaction_current IS 'Every transaction that had begun, as it was last described. One row a
  transaction; what comes after as_of is not shown.';
COMMENT ON COLUMN transaction_current.revoked_at IS 'When it was refunded, taken back, or ended by an upgrade
  (is_upgraded), at as_of at the latest; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN transaction_current.is_upgraded IS '1 where an upgrade had replaced it: its revoked_at is no refund;
  else 0.';
COMMENT ON COLUMN transaction_current.price_milliunits IS 'The price that was paid, in milliunits of currency: 9990 is
  9.99; a free trial is 0. NULL: not stated, as in receipts, or not paid by its owner (family sharing, assigned
  seats).';
COMMENT ON COLUMN transaction_current.refunded_milliunits IS 'What was given back of the price, in milliunits of
  currency. NULL: nothing, or the price is not known.';
COMMENT ON COLUMN transaction_current.is_counted IS '1 on one transaction of each purchase, 0 on its copies, which
  restores make: count and sum where it is 1.';
COMMENT ON COLUMN transaction_current.is_paid_by_owner IS '0 of what is shared by family or assigned as a seat, else
  1.';
COMMENT ON COLUMN transaction_current.is_free IS '1 of what costs nothing, by an offer or by its price; else 0.';

COMMENT ON VIEW one_time_purchase IS 'What was bought once and does not renew, and whether it grants anything. One row a
  transaction.';
COMMENT ON COLUMN one_time_purchase.type IS 'Auto-Renewable Subscription, Non-Renewing Subscription, Non-Consumable or
  Consumable: the transaction''s own word, else the catalogue''s, else that of other evidence of the product; else
  unknown.';
COMMENT ON COLUMN one_time_purchase.state IS 'active, expired, revoked, consumable (grants nothing by itself) or unknown
  (its type is not known).';
COMMENT ON COLUMN one_time_purchase.rule IS 'What decided: bought, within_duration, duration_over, revoked, consumable
  or unknown_type.';
COMMENT ON COLUMN one_time_purchase.access_ends_at IS 'When access ends or ended; milliseconds since 1970. NULL: without
  an end, or there never was any.';
COMMENT ON COLUMN one_time_purchase.revoked_at IS 'When it was refunded or taken back, also where that is after as_of;
  milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN one_time_purchase.ends_at IS 'When a non-renewing subscription ends by the catalogue''s duration;
  milliseconds since 1970. NULL: no duration is known, or it has none.';
COMMENT ON COLUMN one_time_purchase.confirmed IS '0 where only payloads that contradict themselves tell of it, else 1.';
COMMENT ON COLUMN one_time_purchase.is_contradictory IS '1 where the payload that decided contradicts itself: it may be
  forged or edited; else 0.';

-- @integer instant
COMMENT ON VIEW history_event IS 'What happened to each line until as_of. One row an event.';
COMMENT ON COLUMN history_event.event IS 'notification, purchase, trial, period, upgraded, revoked, returned,
  changed_at_once, changed_at_renewal, changed_on_return, send_attempt, renewal_on, renewal_off, product_next, grace,
  retry_began, retry_ended or price_increase.';
COMMENT ON COLUMN history_event.happened_at IS 'When it happened, by Apple''s word; milliseconds since 1970.';
COMMENT ON COLUMN history_event.recorded_at IS 'When the ledger learned it; milliseconds since 1970.';
COMMENT ON COLUMN history_event.product_id IS 'The product that it concerns. NULL: none is named.';
COMMENT ON COLUMN history_event.is_inferred IS '1 where Apple stated no date for it, and it happened not before
  happened_at; else 0.';
COMMENT ON COLUMN history_event.auto_renew_status IS 'Of a change of renewal, and a notification of one, which way: 1
  on, 0 off. NULL: of anything else, or not stated.';
COMMENT ON COLUMN history_event.detail IS 'A first word about it: of a notification its type, of a period its
  transaction_reason, of a revocation its type, of a change the product before or next, of an attempt to send its
  result, of a price increase its status. NULL: none.';
COMMENT ON COLUMN history_event.more IS 'A second word about it: of a notification its subtype, of a period its
  in_app_ownership_type, of a revocation its reason, of an attempt to send the notification''s type. NULL: none.';
COMMENT ON COLUMN history_event.instant IS 'An instant that belongs to it: when the period ends or ended, when grace
  ends, when the period before a change had ended; milliseconds since 1970. NULL: none.';

-- @integer requested_at, answered_at
COMMENT ON VIEW refund_request IS 'Requests for a refund, as Apple asks about them (CONSUMPTION_REQUEST), and how each
  ended.';
COMMENT ON COLUMN refund_request.transaction_id IS 'The transaction that is to be refunded. NULL: V1, which does not
  say.';
COMMENT ON COLUMN refund_request.requested_at IS 'When Apple asked; milliseconds since 1970.';
COMMENT ON COLUMN refund_request.reason IS 'Why the customer wants it: UNINTENDED_PURCHASE, FULFILLMENT_ISSUE,
  UNSATISFIED_WITH_PURCHASE, LEGAL or OTHER. NULL: not stated.';
COMMENT ON COLUMN refund_request.outcome IS 'refunded or declined. NULL: still open.';
COMMENT ON COLUMN refund_request.answered_at IS 'When it was refunded or declined; milliseconds since 1970. NULL: still
  open.';
COMMENT ON COLUMN refund_request.payload_id IS 'The notification that asked.';

COMMENT ON COLUMN param_query.least_trust IS 'Which evidence counts: 0 all, 1 what is signed, 2 what is signed by Apple.
  All rows ask for the same.';
-- @step
COMMENT ON VIEW stg_projection IS 'What is kept of lines, where the question lets all evidence about the line count.';
-- @step
COMMENT ON VIEW int_catalogue_app IS 'Which app''s catalogue a purchase is looked up in, by the app that it names.';
COMMENT ON COLUMN int_catalogue_app.named IS 'The app that a purchase names. Empty: it names none.';
-- @step
COMMENT ON VIEW param_scope IS 'A row a question and line.';
-- @step
COMMENT ON VIEW int_scope_unprojected IS 'The questions about lines that nothing is kept of for speed.';
-- @step
COMMENT ON VIEW int_scope_unsettled IS 'The questions that a line''s one kept row does not answer.';
-- @step
COMMENT ON VIEW int_scope_full_evidence IS 'The questions for which every payload about the line is looked at.';
-- @step
COMMENT ON VIEW int_contradicted_version IS 'Versions of transactions that rest on payloads which contradict themselves,
  and on no other.';
COMMENT ON COLUMN int_contradicted_version.version_id IS 'The transaction_version.';

-- @step
COMMENT ON VIEW int_transaction_version_interval IS 'The versions of each transaction that were ever the current one,
  and while they were.';
COMMENT ON COLUMN int_transaction_version_interval.known_from IS 'From when on it was the current version, as knowledge
  went on; milliseconds since 1970.';
COMMENT ON COLUMN int_transaction_version_interval.known_until IS 'Until when it was the current version; milliseconds
  since 1970. 9223372036854775807: it still is.';

-- @step
COMMENT ON VIEW int_derived_transaction_version IS 'The current version of every transaction, from the evidence.';
-- @step
COMMENT ON VIEW stg_projected_transaction_version IS 'The current version of every transaction, from what is kept for
  speed.';
-- @step
COMMENT ON VIEW int_current_transaction_version IS 'The current version of every transaction, from either.';
-- @step
COMMENT ON VIEW int_known_renewal_info_version IS 'Every renewal version that was known.';
COMMENT ON COLUMN int_known_renewal_info_version.version_id IS 'The renewal_info_version.';

-- @step
-- @integer is_projected, is_copy
COMMENT ON VIEW int_deciding_purchase_instant IS 'When the transaction that decides for a line was purchased.';
COMMENT ON COLUMN int_deciding_purchase_instant.is_projected IS '1 where what is kept for speed answers, else 0.';
COMMENT ON COLUMN int_deciding_purchase_instant.is_copy IS '1 where the line has copies only, which old restores made,
  else 0.';

-- @step
COMMENT ON VIEW rule_deciding_transaction IS 'The transaction that decides for a line: of those that had begun, the
  last.';
-- @step
-- @integer uncontradicted_evidence_at
COMMENT ON VIEW int_last_evidence_unsettled IS 'When Apple last said anything of a line.';
COMMENT ON COLUMN int_last_evidence_unsettled.evidence_at IS 'When Apple last said anything of the line; milliseconds
  since 1970.';
COMMENT ON COLUMN int_last_evidence_unsettled.uncontradicted_evidence_at IS 'When Apple last said anything of the line
  in a payload that does not contradict itself; milliseconds since 1970. NULL: in none.';

-- @step
-- @integer deciding_renewal_info_version_id, latest_renewal_info_version_id, deciding_auto_renew_status
COMMENT ON VIEW rule_input IS 'What the rules look at, side by side.';
COMMENT ON COLUMN rule_input.deciding_evidence_at IS 'When Apple said the version that decides; milliseconds since 1970.
  NULL: no transaction is known.';
COMMENT ON COLUMN rule_input.deciding_renewal_info_version_id IS 'The renewal_info_version that speaks for the line once
  its period has ended. NULL: none.';
COMMENT ON COLUMN rule_input.deciding_auto_renew_status IS 'Whether that one said that renewal is on: 1 or 0. NULL: it
  did not say, or there is none.';
COMMENT ON COLUMN rule_input.renewal_signed_at IS 'When that one was signed; milliseconds since 1970. NULL: not signed,
  or there is none.';
COMMENT ON COLUMN rule_input.latest_renewal_info_version_id IS 'The last renewal_info_version until as_of, for
  will_renew. NULL: none.';
COMMENT ON COLUMN rule_input.is_contradicted IS '1 where the version that decides rests on payloads that contradict
  themselves, and on no other; else 0.';
-- @step
COMMENT ON VIEW rule_input_settled IS 'The same, from the one row that is kept of a line.';
-- @step
COMMENT ON VIEW rule_input_unsettled IS 'The same, for the questions that this row does not answer.';

-- @step
-- @integer superseded_at, has_later_evidence, implies_renewal
COMMENT ON VIEW rule_fact IS 'The facts of a line as the rules need them.';
COMMENT ON COLUMN rule_fact.superseded_at IS 'When the transaction ended, had an upgrade replaced it; milliseconds since
  1970.';
COMMENT ON COLUMN rule_fact.has_later_evidence IS '1 where anything was said of the line since the period ended, by a
  payload that does not contradict itself; else 0.';
COMMENT ON COLUMN rule_fact.is_contradicted IS '1 where the version that decides rests on payloads that contradict
  themselves, and on no other; else 0.';
COMMENT ON COLUMN rule_fact.implies_renewal IS '1 where what was said since then speaks of a renewal that the ledger was
  not told of, else 0.';
-- @step
COMMENT ON VIEW rule_decision IS 'Which rule decides for a line. All else follows from it.';

-- @step
-- @integer previous_status, previous_intent, previous_grace, previous_price_increase, previous_retry
COMMENT ON VIEW int_renewal_info_change IS 'Every renewal version that was known, beside what was said before it.';
COMMENT ON COLUMN int_renewal_info_change.is_inferred IS '1 where Apple stated no date for it, and it was said not
  before evidence_at; else 0.';
COMMENT ON COLUMN int_renewal_info_change.previous_product_id IS 'The product that it was to renew to before. NULL: not
  stated, or nothing was said before.';
COMMENT ON COLUMN int_renewal_info_change.previous_status IS 'auto_renew_status before. NULL: not stated, or nothing was
  said before.';
COMMENT ON COLUMN int_renewal_info_change.previous_retry IS 'is_in_billing_retry_period before: 1 or 0. NULL: nothing
  was said before.';
COMMENT ON COLUMN int_renewal_info_change.previous_grace IS 'grace_period_expires_at before; milliseconds since 1970.
  NULL: none, or nothing was said before.';
COMMENT ON COLUMN int_renewal_info_change.previous_price_increase IS 'price_increase_status before. NULL: none, or
  nothing was said before.';
COMMENT ON COLUMN int_renewal_info_change.previous_intent IS 'expiration_intent before. NULL: none, or nothing was said
  before.';
COMMENT ON COLUMN int_renewal_info_change.version_id IS 'The renewal_info_version.';

-- @step
COMMENT ON VIEW int_first_transaction_version IS 'When and by what each transaction was first heard of.';
-- @step
-- @integer is_trial, is_subscription, period_rank, revocation_rank
COMMENT ON VIEW int_transaction_version_history IS 'Each time that a transaction was told of.';
COMMENT ON COLUMN int_transaction_version_history.is_trial IS '1 where any telling of the period calls it a free trial,
  else 0.';
COMMENT ON COLUMN int_transaction_version_history.is_subscription IS '1 where any telling of the transaction names an
  end, else 0.';
COMMENT ON COLUMN int_transaction_version_history.period_rank IS 'Its place among the tellings of the same period: 1 was
  heard first.';
COMMENT ON COLUMN int_transaction_version_history.revocation_rank IS 'Its place among the tellings of the same
  revocation: 1 was heard first.';
-- @step
COMMENT ON VIEW int_notification IS 'The notifications about each line, with the transaction that each is about.';

-- What analysts count: lives as spans, purchases as facts, metrics as postings.
-- @integer renewal_number, start_at, end_at, grace_period_end_at, effective_end_at, is_auto_renewable
-- @integer is_trial_conversion, is_first_payment, is_payment, is_sandbox
-- @integer purchase_price_in_purchased_currency_milliunits, price_in_purchased_currency_milliunits, refunded_at
-- @integer unsubscribe_detected_at, billing_issues_detected_at, updated_at, trial_start_at
-- @integer previous_effective_end_at, is_offer_start, previous_offer_type, refunded_share
COMMENT ON VIEW transaction_fact IS 'Every purchase and renewal once, for analysts: one row a period, however often it
  was restored. Columns are named as in RevenueCat''s transaction export where they mean the same. Ask for one
  environment.';
COMMENT ON COLUMN transaction_fact.original_store_transaction_id IS 'originalTransactionId: with environment, the
  line.';
COMMENT ON COLUMN transaction_fact.store_transaction_id IS 'transactionId; of a purchase that was restored, the first.';
COMMENT ON COLUMN transaction_fact.renewal_number IS 'The number of the period in its line, from 1; trials count.';
COMMENT ON COLUMN transaction_fact.product_identifier IS 'productId. NULL: not stated.';
COMMENT ON COLUMN transaction_fact.product_display_name IS 'The product''s reference name in the catalogue. NULL: the
  catalogue does not say.';
COMMENT ON COLUMN transaction_fact.product_duration IS 'How long the catalogue says that a period of the product is; ISO
  8601 duration. NULL: it does not say.';
COMMENT ON COLUMN transaction_fact.country IS 'The storefront of the purchase, a code of three letters. NULL: not stated
  (receipts name none).';
COMMENT ON COLUMN transaction_fact.start_at IS 'When the period began; milliseconds since 1970.';
COMMENT ON COLUMN transaction_fact.end_at IS 'When the period ends by itself; milliseconds since 1970. NULL: it does not
  expire.';
COMMENT ON COLUMN transaction_fact.grace_period_end_at IS 'Until when access goes on, or went on, after a failed
  payment; milliseconds since 1970. NULL: no grace period was given.';
COMMENT ON COLUMN transaction_fact.effective_end_at IS 'When the access that this period gave has ended or will end:
  with it or its grace period, at a refund, or where the next period took its place; milliseconds since 1970. NULL:
  without end.';
COMMENT ON COLUMN transaction_fact.is_auto_renewable IS 'Whether it expires and may renew; 0 or 1.';
COMMENT ON COLUMN transaction_fact.is_trial_period IS 'Whether it was free; 0 or 1.';
COMMENT ON COLUMN transaction_fact.is_in_intro_offer_period IS 'Whether it was bought at a paid introductory price; 0 or
  1.';
COMMENT ON COLUMN transaction_fact.is_trial_conversion IS 'Whether it is the payment after a free period; 0 or 1.';
COMMENT ON COLUMN transaction_fact.is_first_payment IS 'Whether it is the line''s first payment; 0 or 1.';
COMMENT ON COLUMN transaction_fact.is_payment IS 'Whether its holder paid for it: 1; free, shared or assigned: 0.';
COMMENT ON COLUMN transaction_fact.is_sandbox IS 'Whether its environment is any other than Production; 0 or 1.';
COMMENT ON COLUMN transaction_fact.ownership_type IS 'PURCHASED, FAMILY_SHARED or ASSIGNED.';
COMMENT ON COLUMN transaction_fact.offer IS 'The offer''s identifier. NULL: none, or introductory.';
COMMENT ON COLUMN transaction_fact.purchased_currency IS 'The currency of its money; ISO 4217. NULL: not stated
  (receipts name none).';
COMMENT ON COLUMN transaction_fact.purchase_price_in_purchased_currency_milliunits IS 'What was paid, refunded or not;
  in milliunits of purchased_currency. NULL: not stated, or not paid by its holder.';
COMMENT ON COLUMN transaction_fact.price_in_purchased_currency_milliunits IS 'What is left of it after a refund; in
  milliunits of purchased_currency. NULL: not stated, or not paid by its holder.';
COMMENT ON COLUMN transaction_fact.refunded_milliunits IS 'What was given back; in milliunits of purchased_currency.
  NULL: nothing, or no price is known.';
COMMENT ON COLUMN transaction_fact.refunded_share IS 'How much of the price was given back; thousandths of a percent.
  NULL: nothing.';
COMMENT ON COLUMN transaction_fact.refunded_at IS 'When it was refunded or taken back; an upgrade is no refund;
  milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN transaction_fact.unsubscribe_detected_at IS 'Since when renewal was off when last heard of in this
  period; milliseconds since 1970. NULL: it was on, or nothing was heard.';
COMMENT ON COLUMN transaction_fact.billing_issues_detected_at IS 'When the payment after it failed; milliseconds since
  1970. NULL: it did not.';
COMMENT ON COLUMN transaction_fact.updated_at IS 'When Apple last said anything of it; milliseconds since 1970.';
COMMENT ON COLUMN transaction_fact.trial_start_at IS 'When the trial began that this period is, or is the payment after;
  milliseconds since 1970. NULL: neither.';
COMMENT ON COLUMN transaction_fact.previous_effective_end_at IS 'When the access of the period before it ended;
  milliseconds since 1970. NULL: it is the first.';
COMMENT ON COLUMN transaction_fact.previous_product_identifier IS 'The product of the period before. NULL: it is the
  first.';
COMMENT ON COLUMN transaction_fact.previous_offer_type IS 'The offer_type of the period before. NULL: none.';
COMMENT ON COLUMN transaction_fact.previous_offer IS 'The offer of the period before. NULL: none, or introductory.';
COMMENT ON COLUMN transaction_fact.is_offer_start IS 'Whether an offer began with it; 0 or 1.';
COMMENT ON VIEW state_history IS 'Each subscription line''s life as the rules tell it: from begins_at until ends_at
  nothing of this changes. What entitlement says at an instant is the row in whose time the instant lies, as far as was
  known.';
COMMENT ON COLUMN state_history.begins_at IS 'From when this holds; milliseconds since 1970.';
COMMENT ON COLUMN state_history.ends_at IS 'Until when, exclusively; milliseconds since 1970. NULL: for good.';
COMMENT ON COLUMN state_history.state IS 'active, grace_period, billing_retry, expired or revoked.';
COMMENT ON COLUMN state_history.rule IS 'The rule that decided: covered, revoked, grace, retry, retry_exhausted, lapsed,
  unconfirmed, superseded.';
-- @unexported
-- @integer period_number, is_complete, of_amount
COMMENT ON VIEW metric_figure IS 'The metrics of a report, period by period: see subledger report list. In the file: the
  last 24 months and this one, in Production, not broken down. Ask for one metric. A large ledger is asked faster by
  subledger report.';
COMMENT ON COLUMN metric_figure.metric IS 'Which: subledger report list tells what each counts.';
COMMENT ON COLUMN metric_figure.begins_at IS 'When the period begins; milliseconds since 1970.';
COMMENT ON COLUMN metric_figure.ends_at IS 'When the next period begins; milliseconds since 1970.';
COMMENT ON COLUMN metric_figure.period_number IS 'Of which period, from 1.';
COMMENT ON COLUMN metric_figure.is_complete IS 'Whether the period was over at as_of; 0 or 1.';
COMMENT ON COLUMN metric_figure.group_name IS 'The value of the dimension that it is broken down by; all where it is
  not.';
COMMENT ON COLUMN metric_figure.currency IS 'The currency of the amount; ISO 4217. NULL: it is a number, or Apple named
  none.';
COMMENT ON COLUMN metric_figure.step IS 'The number of a payment (0 is the first), or of days. NULL: the metric has
  none.';
COMMENT ON COLUMN metric_figure.amount IS 'How much: a number, or milliunits of currency.';
COMMENT ON COLUMN metric_figure.of_amount IS 'Of a share, of how much; of retention, how many payments were due by then.
  NULL: it is no share.';
-- @integer month_begins_at, subscription_count
COMMENT ON VIEW expiring IS 'What ends when: the subscription lines with access, by the month in which it ends.';
COMMENT ON COLUMN expiring.month_begins_at IS 'The month (UTC), by its first millisecond; milliseconds since 1970.';
COMMENT ON COLUMN expiring.subscription_count IS 'How many lines.';
-- @integer of_subscription_count
COMMENT ON VIEW data_quality IS 'What the ledger does not know of its subscription lines.';
COMMENT ON COLUMN data_quality.gap IS 'no_price, no_renewal_info, unconfirmed or no_evidence_in_35_days.';
COMMENT ON COLUMN data_quality.subscription_count IS 'About how many lines that is.';
COMMENT ON COLUMN data_quality.of_subscription_count IS 'Of how many in the environment.';
-- @integer factor
COMMENT ON VIEW metric_measure IS 'What each metric is made of.';
COMMENT ON COLUMN metric_measure.part IS 'amount, or of: what a share is a share of.';
COMMENT ON COLUMN metric_measure.measure IS 'What is posted and added up.';
COMMENT ON COLUMN metric_measure.kind IS 'turnover (what happened in a period), balance (what there is at its end) or
  opening (at its beginning).';
COMMENT ON COLUMN metric_measure.factor IS 'What it is multiplied by: 1, -1 or 12.';
COMMENT ON VIEW exchange_rate IS 'What one unit of a currency was worth in another, as was known: rate_numerator by
  rate_denominator, from begins_at until ends_at.';
COMMENT ON COLUMN exchange_rate.rate_numerator IS 'The rate, times rate_denominator.';
COMMENT ON COLUMN exchange_rate.rate_denominator IS 'What the rate is divided by: 1000000 or 1000000000.';
COMMENT ON COLUMN exchange_rate.into_currency IS 'The other currency; ISO 4217.';
COMMENT ON COLUMN exchange_rate.begins_at IS 'From when the rate holds; milliseconds since 1970.';
COMMENT ON COLUMN exchange_rate.ends_at IS 'Until when, exclusively; 9223372036854775807 for good; milliseconds since
  1970.';
-- @step
COMMENT ON VIEW stg_product_type IS 'Which types other evidence tells of each product.';
-- @step
COMMENT ON VIEW int_signed_transaction_version IS 'Of each transaction whose current version is a receipt''s, the last
  signed statement.';
-- @step
-- @integer cut_at, succeeded_at
COMMENT ON VIEW int_deciding_period IS 'The transactions that decide for a line one after the other.';
COMMENT ON COLUMN int_deciding_period.cut_at IS 'When it ended before its time; milliseconds since 1970. NULL: it did
  not.';
COMMENT ON COLUMN int_deciding_period.succeeded_at IS 'When the next began; milliseconds since 1970. NULL: none did.';
-- @step
-- @integer product_rank, row_rank
COMMENT ON VIEW int_renewal_info_history IS 'What was said of each line''s renewal, one word after the other.';
COMMENT ON COLUMN int_renewal_info_history.signed_at IS 'When it was signed; milliseconds since 1970. NULL: it was
  not.';
COMMENT ON COLUMN int_renewal_info_history.row_rank IS '1: it speaks for its instant.';
COMMENT ON COLUMN int_renewal_info_history.product_rank IS '1: of those about its product it speaks for its instant.';
-- @step
COMMENT ON VIEW int_last_evidence IS 'When Apple last said anything of each line.';
-- @step
COMMENT ON VIEW rule_input_timeline IS 'What the rules look at, at every instant at which an answer may change, which is
  as_of here.';
-- @step
COMMENT ON VIEW rule_fact_timeline IS 'Entitlement_fact over these instants.';
-- @step
COMMENT ON VIEW rule_decision_timeline IS 'Entitlement_rule over these instants.';
-- @step
COMMENT ON VIEW int_state_timeline IS 'Entitlement_state over these instants.';
-- @step
-- @integer access_until
COMMENT ON VIEW int_period_access IS 'What became of each subscription period.';
COMMENT ON COLUMN int_period_access.access_until IS 'Until when it gave access; milliseconds since 1970. NULL: never.';
-- @step
-- @integer is_change, next_will_renew, paid_before, was_free
COMMENT ON VIEW int_subscription_phase IS 'Each line''s life in the stages that metrics count, with what came before and
  after.';
COMMENT ON COLUMN int_subscription_phase.is_free IS 'Whether its transaction was free; 0 or 1.';
COMMENT ON COLUMN int_subscription_phase.was_free IS 'The same of the stage before. NULL: none.';
COMMENT ON COLUMN int_subscription_phase.is_change IS '1.';
COMMENT ON COLUMN int_subscription_phase.kind IS 'paid, trial, family or seat. NULL: no access.';
COMMENT ON COLUMN int_subscription_phase.previous_kind IS 'The kind of the stage before. NULL: none, or no access.';
COMMENT ON COLUMN int_subscription_phase.previous_state IS 'Its state. NULL: none.';
COMMENT ON COLUMN int_subscription_phase.previous_product_id IS 'Its product. NULL: none.';
COMMENT ON COLUMN int_subscription_phase.next_kind IS 'The kind of the stage after. NULL: none, or no access.';
COMMENT ON COLUMN int_subscription_phase.next_state IS 'Its state. NULL: none.';
COMMENT ON COLUMN int_subscription_phase.next_will_renew IS 'Its will_renew. NULL: none, or not known.';
COMMENT ON COLUMN int_subscription_phase.next_rule IS 'Its rule. NULL: none.';
COMMENT ON COLUMN int_subscription_phase.next_expiration_reason IS 'Its expiration_reason. NULL: none.';
COMMENT ON COLUMN int_subscription_phase.next_phase_product_id IS 'Its product. NULL: none.';
COMMENT ON COLUMN int_subscription_phase.paid_before IS 'How many paid stages came before.';
-- @step
-- @exported
COMMENT ON VIEW metric_delta_derived IS 'All postings, by the general text: what happened, of which measure, with which
  dimensions.';
COMMENT ON COLUMN metric_delta_derived.reason IS 'Why, or of what kind; each measure has its own. NULL: it has none.';
COMMENT ON COLUMN metric_delta_derived.detail IS 'The customer''s reason for asking for a refund. NULL: none.';
COMMENT ON COLUMN metric_delta_derived.own_months IS 'How many months a price is for, where the plan or offer says so.
  NULL: it does not.';
COMMENT ON COLUMN metric_delta_derived.own_days IS 'The same in days. NULL: it does not.';
COMMENT ON COLUMN metric_delta_derived.stated_days IS 'How many days its period has. NULL: the measure is no price.';
COMMENT ON COLUMN metric_delta_derived.day_at IS 'The day (UTC) that it is posted to; milliseconds since 1970.';
COMMENT ON COLUMN metric_delta_derived.effective_at IS 'Since when it stands: a refund is posted to the day of its
  purchase, since the refund; milliseconds since 1970.';
-- @step
COMMENT ON VIEW metric_delta_of_phase IS 'What the stages of lives post.';
-- @step
COMMENT ON VIEW metric_delta_of_transaction IS 'What purchases and renewals post.';
-- @step
COMMENT ON VIEW metric_delta_of_payment IS 'What payments, for retention post.';
-- @step
COMMENT ON VIEW metric_delta_of_notification IS 'What notifications and renewal infos post.';
-- @step
COMMENT ON VIEW metric_delta IS 'The postings to the measures that are asked for, of all lines.';
-- @step
-- @integer month_denominator, month_numerator
COMMENT ON VIEW metric_delta_by_day IS 'The same, day by day, by the dimension that is asked for.';
COMMENT ON COLUMN metric_delta_by_day.month_numerator IS 'What makes a month''s price of it: multiplied by this.';
COMMENT ON COLUMN metric_delta_by_day.month_denominator IS 'And divided by this.';
-- @step
COMMENT ON VIEW metric_delta_by_period IS 'The same, period by period; period 0 is all before the first.';
-- @step
-- @parameter
COMMENT ON VIEW param_report IS 'What a report asks, beside the instants.';
COMMENT ON COLUMN param_report.metric IS 'Which metric. NULL: all.';
COMMENT ON COLUMN param_report.bundle_id IS 'Which app. NULL: all.';
COMMENT ON COLUMN param_report.dimension IS 'What it is broken down by: none, product, duration, country, offer,
  offer_type, reason, detail, app.';
COMMENT ON COLUMN param_report.currency IS 'Into which currency money is converted; ISO 4217. NULL: into none.';
-- @step
-- @parameter
COMMENT ON VIEW param_report_day IS 'The days of a report, each with the number of its period.';
COMMENT ON COLUMN param_report_day.day_at IS 'The day (UTC); milliseconds since 1970.';
-- @step
COMMENT ON VIEW param_report_period IS 'The periods of a report.';
COMMENT ON COLUMN param_report_period.begins_at IS 'When it begins; milliseconds since 1970.';
COMMENT ON COLUMN param_report_period.ends_at IS 'When the next begins; milliseconds since 1970.';
-- @sealed 38
COMMENT ON TABLE exchange_rate_entry IS 'Exchange rates, as the ledger''s owner told them: of one day the entry recorded
  last holds.';
COMMENT ON COLUMN exchange_rate_entry.entry_id IS 'The number of the entry.';
COMMENT ON COLUMN exchange_rate_entry.currency IS 'The currency of which one unit is worth so much; ISO 4217.';
COMMENT ON COLUMN exchange_rate_entry.day_at IS 'From which day (UTC) on; milliseconds since 1970.';
-- @projection
COMMENT ON TABLE projection_metric_dimensions IS 'What postings have in common. Emptied, it changes no answer.';
COMMENT ON COLUMN projection_metric_dimensions.reason IS 'Why, or of what kind. NULL: the measure has none.';
COMMENT ON COLUMN projection_metric_dimensions.detail IS 'The customer''s reason for asking for a refund. NULL: none.';
COMMENT ON COLUMN projection_metric_dimensions.name IS 'All of it as one text.';
COMMENT ON COLUMN projection_metric_dimensions.product_id IS 'productId. NULL: not stated.';
COMMENT ON COLUMN projection_metric_dimensions.country IS 'The storefront. NULL: not stated.';
COMMENT ON COLUMN projection_metric_dimensions.currency IS 'ISO 4217. NULL: the measure is a number, or none was
  stated.';
COMMENT ON COLUMN projection_metric_dimensions.offer_type IS '1 introductory, 2 promotional, 3 offer code, 4 win-back.
  NULL: none.';
COMMENT ON COLUMN projection_metric_dimensions.offer_identifier IS 'The offer. NULL: none, or introductory.';
COMMENT ON COLUMN projection_metric_dimensions.step IS 'The number of a payment, or of days. NULL: the measure has
  none.';
-- @projection
COMMENT ON TABLE projection_metric_delta IS 'The postings of each line. Emptied, it changes no answer.';
COMMENT ON COLUMN projection_metric_delta.delta_id IS 'The number of the row.';
COMMENT ON COLUMN projection_metric_delta.dimensions_id IS 'The projection_metric_dimensions.';
-- @projection
COMMENT ON TABLE projection_metric_coverage IS 'The lines whose postings are kept as all that is recorded of them says.
  Emptied, it changes no answer.';

-- People and catalogue: what the app's owner and its staff told.
COMMENT ON VIEW product IS 'The catalogue as it stood at known_at. One row a product of an app.';
COMMENT ON COLUMN product.bundle_id IS 'The app that sells it. NULL: it was imported before products belonged to apps.';
COMMENT ON COLUMN product.product_id IS 'The product, by the id that the app gave it.';
COMMENT ON COLUMN product.reference_name IS 'Its name for the app''s owner. NULL: not told.';
COMMENT ON COLUMN product.subscription_group_name IS 'The name of its subscription group. NULL: not told, or in no
  group.';
COMMENT ON COLUMN product.service_level IS 'Its level in its group: 1 is the highest. NULL: not told, or in no group.';
COMMENT ON COLUMN product.period IS 'How long one period lasts; an ISO 8601 duration, such as P1M. NULL: not told, or it
  has none.';
COMMENT ON COLUMN product.period_months IS 'The calendar months of period. NULL: as period.';
COMMENT ON COLUMN product.period_days IS 'The days of period, beside its months. NULL: as period.';
COMMENT ON COLUMN product.is_family_shareable IS '1 where a family may share it, else 0. NULL: not told.';
COMMENT ON COLUMN product.recorded_at IS 'When the catalogue last said something new of it; milliseconds since 1970.';
COMMENT ON COLUMN product.version_id IS 'The product_version that holds.';

COMMENT ON VIEW product_entitlement IS 'What each product grants, as was known at known_at. One row a product and
  entitlement.';
COMMENT ON COLUMN product_entitlement.product_id IS 'The product, by the id that the app gave it.';
COMMENT ON COLUMN product_entitlement.entitlement IS 'What is granted, by a name of the app''s own, such as pro.';

-- @integer claimed_at, claimant_count
COMMENT ON VIEW customer_original_transaction IS 'Whose each line is: the last entry of the staff decides; without one,
  it is its account token''s.';
COMMENT ON COLUMN customer_original_transaction.customer IS 'The customer, by the app''s own id; an account token is one
  by itself until it is linked to another. NULL: the app named none.';
COMMENT ON COLUMN customer_original_transaction.basis IS 'Why it is theirs: link (an entry of the staff) or
  app_account_token.';
COMMENT ON COLUMN customer_original_transaction.identifier IS 'The id by which it was claimed.';
COMMENT ON COLUMN customer_original_transaction.reason IS 'What the entry gives as its reason. NULL: no entry, a
  token''s.';
COMMENT ON COLUMN customer_original_transaction.author IS 'Who made the entry. NULL: no entry, a token''s.';
COMMENT ON COLUMN customer_original_transaction.claimed_at IS 'When the entry was made; milliseconds since 1970. NULL:
  no entry, a token''s.';
COMMENT ON COLUMN customer_original_transaction.claimant_count IS 'How many customers claim the line.';

COMMENT ON VIEW customer_entitlement IS 'What each customer is entitled to: the best of all that speaks for it. One row
  a customer, entitlement and environment.';
COMMENT ON COLUMN customer_entitlement.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN customer_entitlement.basis IS 'What speaks for it: subscription, one_time_purchase or grant.';
COMMENT ON COLUMN customer_entitlement.trust IS 'Why what decided is believed: verified, unsigned or unverified. NULL: a
  grant.';
COMMENT ON COLUMN customer_entitlement.rule IS 'What decided: a rule of entitlement, one_time_purchase or
  customer_grant.';
COMMENT ON COLUMN customer_entitlement.product_id IS 'The product that grants it. NULL: a grant.';
COMMENT ON COLUMN customer_entitlement.original_transaction_id IS 'The line that grants it. NULL: a grant.';
COMMENT ON COLUMN customer_entitlement.evidence_at IS 'When Apple said it last; milliseconds since 1970. NULL: a grant,
  not Apple''s word.';
COMMENT ON COLUMN customer_entitlement.original_transaction_key IS 'The number of that line. NULL: a grant.';

COMMENT ON VIEW customer_grant IS 'The access that the app gave by itself, as of an instant. Apple knows nothing of it,
  and no figure of the App Store counts it.';
COMMENT ON COLUMN customer_grant.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN customer_grant.state IS 'active, expired, revoked or not_begun.';
COMMENT ON COLUMN customer_grant.rule IS 'What decided: granted, grant_ended or grant_revoked.';
COMMENT ON COLUMN customer_grant.begins_at IS 'From when on it counts; milliseconds since 1970.';
COMMENT ON COLUMN customer_grant.ends_at IS 'When it ends by itself; milliseconds since 1970. NULL: without an end.';
COMMENT ON COLUMN customer_grant.revoked_at IS 'When it was taken back; milliseconds since 1970. NULL: it was not.';
COMMENT ON COLUMN customer_grant.reason IS 'What its author gave as the reason.';
COMMENT ON COLUMN customer_grant.author IS 'Who gave it.';
COMMENT ON COLUMN customer_grant.recorded_at IS 'When it was given; milliseconds since 1970.';
COMMENT ON COLUMN customer_grant.grant_id IS 'The number of the grant in this file.';

-- @sealed 25
COMMENT ON TABLE product_version IS 'What was told of a product, a row each time that something changed. A version says
  all that was known then.';
COMMENT ON COLUMN product_version.product_id IS 'The product, by the id that the app gave it.';
COMMENT ON COLUMN product_version.bundle_id IS 'The app that sells it. NULL: it was imported before products belonged to
  apps.';
COMMENT ON COLUMN product_version.recorded_at IS 'When it was told; milliseconds since 1970.';
COMMENT ON COLUMN product_version.version_id IS 'The number of the version in this file.';

-- @sealed 26
COMMENT ON TABLE product_name IS 'What customers read, in each language.';
COMMENT ON COLUMN product_name.locale IS 'The language and region, such as en_US.';
COMMENT ON COLUMN product_name.display_name IS 'The name.';
COMMENT ON COLUMN product_name.description IS 'The description.';
COMMENT ON COLUMN product_name.version_id IS 'The product_version.';

-- @sealed 27
COMMENT ON TABLE product_price IS 'What a product costs.';
COMMENT ON COLUMN product_price.price_milliunits IS 'The price, in milliunits of currency: 9990 is 9.99.';
COMMENT ON COLUMN product_price.currency IS 'The price''s currency; three letters (ISO 4217). NULL: not told.';
COMMENT ON COLUMN product_price.storefront IS 'The country that it holds in. NULL: not told, or everywhere.';
COMMENT ON COLUMN product_price.billing_plan_type IS 'The plan that it holds for: BILLED_UPFRONT or MONTHLY. NULL: there
  is one.';
COMMENT ON COLUMN product_price.version_id IS 'The product_version.';

-- @sealed 28
COMMENT ON TABLE product_offer IS 'The offers of a product.';
COMMENT ON COLUMN product_offer.offer_type IS '1 introductory, 2 promotional, 3 offer code, 4 win-back.';
COMMENT ON COLUMN product_offer.period IS 'How long one period of the offer lasts; an ISO 8601 duration. NULL: not
  told.';
COMMENT ON COLUMN product_offer.period_count IS 'How many periods it runs. NULL: not told.';
COMMENT ON COLUMN product_offer.price_milliunits IS 'What a period costs, in milliunits of the product''s currency; a
  free trial is 0. NULL: not told.';
COMMENT ON COLUMN product_offer.eligibility IS 'Who may have it, in Apple''s words, with spaces between them. NULL: not
  told.';
COMMENT ON COLUMN product_offer.is_stackable IS '1 where it may be had beside other offers, else 0. NULL: not told.';
COMMENT ON COLUMN product_offer.version_id IS 'The product_version.';

-- @sealed 29
COMMENT ON TABLE product_entitlement_entry IS 'What products were said to grant: the last entry about a pair holds.';
COMMENT ON COLUMN product_entitlement_entry.entry_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN product_entitlement_entry.product_id IS 'The product, by the id that the app gave it.';
COMMENT ON COLUMN product_entitlement_entry.bundle_id IS 'The app that sells it. NULL: the entry was made before
  products belonged to apps.';
COMMENT ON COLUMN product_entitlement_entry.is_granted IS '1 from then on, 0 no longer.';
COMMENT ON COLUMN product_entitlement_entry.recorded_at IS 'When the entry was made; milliseconds since 1970.';

-- @sealed 30
-- @erasable customer
COMMENT ON TABLE customer IS 'The customers that anything was told of.';
COMMENT ON COLUMN customer.customer_key IS 'The number of the customer in this file.';
COMMENT ON COLUMN customer.customer IS 'The customer, by the app''s own id.';

-- @sealed 31
-- @erasable identifier, reason, author
COMMENT ON TABLE customer_link_entry IS 'The staff''s entries about whose purchases are whose. The last one that holds
  decides.';
COMMENT ON COLUMN customer_link_entry.identifier IS 'Any id of Apple''s that names purchases, also one that was not
  heard of yet.';
COMMENT ON COLUMN customer_link_entry.action IS 'link or unlink.';
COMMENT ON COLUMN customer_link_entry.effective_at IS 'Since when it holds; milliseconds since 1970. 0: since ever.';
COMMENT ON COLUMN customer_link_entry.other_customer_key IS 'Of a transfer, the customer on its other side: a
  customer_key. NULL: no transfer.';
COMMENT ON COLUMN customer_link_entry.reason IS 'Why, in the author''s words.';
COMMENT ON COLUMN customer_link_entry.author IS 'Who did it.';
COMMENT ON COLUMN customer_link_entry.recorded_at IS 'When it was done; milliseconds since 1970.';

-- @sealed 32
-- @erasable text, author
COMMENT ON TABLE customer_note IS 'What the staff wrote about a customer.';
COMMENT ON COLUMN customer_note.note_id IS 'The number of the note in this file.';
COMMENT ON COLUMN customer_note.text IS 'The note.';
COMMENT ON COLUMN customer_note.author IS 'Who wrote it.';
COMMENT ON COLUMN customer_note.recorded_at IS 'When it was written; milliseconds since 1970.';

-- @sealed 33
-- @erasable reason, author
COMMENT ON TABLE access_grant IS 'Access that the app gave by itself, as it was given. What is left of it:
  customer_grant.';
COMMENT ON COLUMN access_grant.begins_at IS 'From when on it counts; milliseconds since 1970.';
COMMENT ON COLUMN access_grant.ends_at IS 'When it ends by itself; milliseconds since 1970. NULL: without an end.';
COMMENT ON COLUMN access_grant.reason IS 'Why, in the author''s words.';
COMMENT ON COLUMN access_grant.author IS 'Who gave it.';
COMMENT ON COLUMN access_grant.recorded_at IS 'When it was given; milliseconds since 1970.';

-- @sealed 34
-- @erasable reason, author
COMMENT ON TABLE access_grant_revocation IS 'Access given by the app and taken back.';
COMMENT ON COLUMN access_grant_revocation.revocation_id IS 'The number of the entry in this file.';
COMMENT ON COLUMN access_grant_revocation.revoked_at IS 'From when on it counts no longer; milliseconds since 1970.';
COMMENT ON COLUMN access_grant_revocation.reason IS 'Why, in the author''s words.';
COMMENT ON COLUMN access_grant_revocation.author IS 'Who took it back.';
COMMENT ON COLUMN access_grant_revocation.recorded_at IS 'When it was taken back; milliseconds since 1970.';

-- @integer preference
COMMENT ON VIEW customer_access IS 'All that speaks for a customer''s having an entitlement, good or bad.';
COMMENT ON COLUMN customer_access.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN customer_access.basis IS 'What speaks for it: subscription, one_time_purchase or grant.';
COMMENT ON COLUMN customer_access.state IS 'active, grace_period, billing_retry, expired or revoked.';
COMMENT ON COLUMN customer_access.rule IS 'What decided: a rule of entitlement, one_time_purchase or customer_grant.';
COMMENT ON COLUMN customer_access.original_transaction_id IS 'The line that speaks for it. NULL: a grant.';
COMMENT ON COLUMN customer_access.evidence_at IS 'When Apple said it last; milliseconds since 1970. NULL: a grant, not
  Apple''s word.';
COMMENT ON COLUMN customer_access.trust IS 'Why what decided is believed: verified, unsigned or unverified. NULL: a
  grant.';
COMMENT ON COLUMN customer_access.original_transaction_key IS 'The number of that line. NULL: a grant.';
COMMENT ON COLUMN customer_access.preference IS 'The order of states: 1 active, 2 grace_period, 3 billing_retry, 4
  expired, 5 revoked.';

-- @step
COMMENT ON VIEW int_customer_candidate IS 'Every line that an account token or an entry of the staff ever brought
  together with a customer.';
COMMENT ON COLUMN int_customer_candidate.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN int_customer_candidate.recorded_at IS 'When the entry was made; milliseconds since 1970. 0: an account
  token''s.';

-- @step
COMMENT ON VIEW int_known_identifier IS 'Every id of Apple''s by which what was known names a line.';
COMMENT ON COLUMN int_known_identifier.kind IS 'What kind of id: original_transaction_id, transaction_id,
  web_order_line_item_id, app_account_token, app_transaction_id, order_id, notification_uuid or
  previous_original_transaction_id.';
COMMENT ON COLUMN int_known_identifier.identifier IS 'The id; text.';

-- @step
-- @integer customer_rank, identifier_rank
COMMENT ON VIEW int_customer_link_entry IS 'The staff''s entries about customers, at the lines that they name.';
COMMENT ON COLUMN int_customer_link_entry.kind IS 'What kind of id the entry names: a kind of int_known_identifier.';
COMMENT ON COLUMN int_customer_link_entry.customer IS 'The customer, by the app''s own id.';
COMMENT ON COLUMN int_customer_link_entry.reason IS 'Why, in the author''s words.';
COMMENT ON COLUMN int_customer_link_entry.author IS 'Who made the entry.';
COMMENT ON COLUMN int_customer_link_entry.recorded_at IS 'When the entry was made; milliseconds since 1970.';
COMMENT ON COLUMN int_customer_link_entry.customer_rank IS 'Its place among the customer''s entries about the line: 1
  was made last.';
COMMENT ON COLUMN int_customer_link_entry.identifier_rank IS 'Its place among the customer''s entries about the line by
  that id: 1 was made last.';

-- What the app itself reported: claims, which never give or take access.
-- @integer is_from_future, began_at, paid_at, is_open, is_in_evidence, is_theirs, redelivery_count, state_since
COMMENT ON VIEW purchase_attempt IS 'Every purchase that the app began, by its own reports, beside what the evidence
  says of it.';
COMMENT ON COLUMN purchase_attempt.customer IS 'The customer, by the app''s own id, else the account token. NULL: the
  app named neither.';
COMMENT ON COLUMN purchase_attempt.kind IS 'purchase, restore (a copy under a new id), or delivery (paid without a
  reported beginning: a renewal, mostly).';
COMMENT ON COLUMN purchase_attempt.state IS 'The device''s own word: in_flight, waiting_for_approval, paid_unfinished,
  finished, failed, cancelled or abandoned.';
COMMENT ON COLUMN purchase_attempt.is_open IS '1 where nothing has ended it yet, else 0.';
COMMENT ON COLUMN purchase_attempt.closed_by IS 'What ended it: device or evidence. NULL: it is open.';
COMMENT ON COLUMN purchase_attempt.is_in_evidence IS '1 where the evidence knows of the payment, else 0.';
COMMENT ON COLUMN purchase_attempt.is_theirs IS '0 where the payment is known and its line was never this customer''s;
  else 1.';
COMMENT ON COLUMN purchase_attempt.finding IS 'What support should look at: paid_never_verified, paid_not_theirs,
  finished_while_purchasing, removed_without_update or failed. NULL: nothing.';
COMMENT ON COLUMN purchase_attempt.began_at IS 'When it was first reported; milliseconds since 1970.';
COMMENT ON COLUMN purchase_attempt.state_since IS 'Since when it is in its state; milliseconds since 1970. NULL: no
  report tells.';
COMMENT ON COLUMN purchase_attempt.paid_at IS 'When the device first reported the payment; milliseconds since 1970.
  NULL: it did not.';
COMMENT ON COLUMN purchase_attempt.transaction_id IS 'The transaction that the device named. NULL: none.';
COMMENT ON COLUMN purchase_attempt.original_transaction_id IS 'The line that the device named, by its original
  transaction id. NULL: none.';
COMMENT ON COLUMN purchase_attempt.redelivery_count IS 'How many times the payment was reported again.';
COMMENT ON COLUMN purchase_attempt.error_domain IS 'StoreKit''s domain of the error, such as SKErrorDomain. NULL: no
  error.';
COMMENT ON COLUMN purchase_attempt.error_code IS 'StoreKit''s code of the error: 2 of SKErrorDomain is the customer''s
  own cancel. NULL: no error.';
COMMENT ON COLUMN purchase_attempt.error_message IS 'The error in words. NULL: none.';
COMMENT ON COLUMN purchase_attempt.is_from_future IS '1 where the device''s clock was more than five minutes ahead, else
  0.';
COMMENT ON COLUMN purchase_attempt.queue IS 'Whose purchases, one after the other: the customer''s, else the token''s,
  else the device''s.';
COMMENT ON COLUMN purchase_attempt.recorded_at IS 'When the ledger first learned of it; milliseconds since 1970.';

-- @sealed 24
-- @erasable customer, app_account_token, queue, device, error_message
-- @rewritable
COMMENT ON TABLE client_event IS 'What the app reported of StoreKit''s payment queue, event by event.';
COMMENT ON COLUMN client_event.payload_id IS 'The payload that is the report.';
COMMENT ON COLUMN client_event.event IS 'updated or removed.';
COMMENT ON COLUMN client_event.transaction_state IS 'purchasing, purchased, failed, deferred or restored. NULL: not
  told.';
COMMENT ON COLUMN client_event.product_id IS 'The product that was to be bought.';
COMMENT ON COLUMN client_event.device IS 'The device, by the app''s own id. NULL: not told.';
COMMENT ON COLUMN client_event.happened_at IS 'When it happened, by the device''s clock; milliseconds since 1970.';
COMMENT ON COLUMN client_event.transaction_id IS 'The transaction that the device named. NULL: none.';
COMMENT ON COLUMN client_event.original_transaction_id IS 'The line that the device named, by its original transaction
  id. NULL: none.';

-- @step
COMMENT ON VIEW param_queue_scope IS 'A row a question and payment queue.';

-- @step
-- @integer step_rank, is_beginning, attempt_number
COMMENT ON VIEW stg_client_event IS 'The app''s reports in the order in which they happened.';
COMMENT ON COLUMN stg_client_event.event IS 'updated or removed.';
COMMENT ON COLUMN stg_client_event.digest IS 'The SHA-256 of the report, which orders what happened at once; 32 bytes.';
COMMENT ON COLUMN stg_client_event.happened_at IS 'When it happened, by the device''s clock, and not after it was
  received; milliseconds since 1970.';
COMMENT ON COLUMN stg_client_event.step_rank IS 'The order of what happened at once: 1 purchasing, 2 deferred, 3
  purchased or restored, 4 failed, 5 removed.';
COMMENT ON COLUMN stg_client_event.previous_state IS 'What the queue reported of the product before. NULL: nothing.';
COMMENT ON COLUMN stg_client_event.is_beginning IS '1 where an attempt begins with it, else 0.';
COMMENT ON COLUMN stg_client_event.attempt_number IS 'The number of the attempt in its queue and product, from 1. 0:
  none, where a beginning was not reported.';
COMMENT ON COLUMN stg_client_event.recorded_at IS 'When the ledger learned it; milliseconds since 1970.';

-- @step
-- @integer ended_at, purchasing_at, deferred_at, failed_at, removed_at, is_removed_purchasing, is_cancelled
-- @integer update_count, delivery_count, is_restored
COMMENT ON VIEW int_client_report IS 'The app''s reports, gathered by transaction or attempt.';
COMMENT ON COLUMN int_client_report.ended_at IS 'When it first failed or was removed; milliseconds since 1970. NULL: it
  did and was not.';
COMMENT ON COLUMN int_client_report.purchasing_at IS 'When purchasing was last reported; milliseconds since 1970. NULL:
  never.';
COMMENT ON COLUMN int_client_report.deferred_at IS 'When it was last put off for approval; milliseconds since 1970.
  NULL: never.';
COMMENT ON COLUMN int_client_report.failed_at IS 'When it last failed; milliseconds since 1970. NULL: never.';
COMMENT ON COLUMN int_client_report.removed_at IS 'When it last left the queue; milliseconds since 1970. NULL: never.';
COMMENT ON COLUMN int_client_report.is_removed_purchasing IS '1 where it left the queue while purchasing, else 0.';
COMMENT ON COLUMN int_client_report.is_cancelled IS '1 where the customer cancelled it, else 0.';
COMMENT ON COLUMN int_client_report.update_count IS 'How many updates were reported.';
COMMENT ON COLUMN int_client_report.delivery_count IS 'How many times the payment was reported.';
COMMENT ON COLUMN int_client_report.is_restored IS '1 where it is a copy that a restore made, else 0.';

-- @step
-- @integer own_count, is_begun, wanted_ended_at, wanted_own_count, completed_attempt, wanted_attempt
COMMENT ON VIEW int_client_completion IS 'Which attempt each of the gathered reports belongs to.';
COMMENT ON COLUMN int_client_completion.own_count IS 'How many transactions are named in the attempt.';
COMMENT ON COLUMN int_client_completion.wanted_attempt IS 'The attempt that the transaction would complete.';
COMMENT ON COLUMN int_client_completion.is_begun IS '1 where that attempt was begun, else 0.';
COMMENT ON COLUMN int_client_completion.wanted_ended_at IS 'When that attempt ended by itself; milliseconds since 1970.
  NULL: it did not.';
COMMENT ON COLUMN int_client_completion.wanted_own_count IS 'How many transactions are named in that attempt. NULL: it
  was not begun.';
COMMENT ON COLUMN int_client_completion.completed_attempt IS 'The attempt that it belongs to. 0: none.';

-- @step
-- @integer is_finished_while_purchasing, is_removed_without_update, last_ended_attempt
COMMENT ON VIEW int_client_attempt IS 'What the app reported of each attempt.';
COMMENT ON COLUMN int_client_attempt.last_ended_attempt IS 'The last attempt at the product that has ended. NULL: none
  has.';
COMMENT ON COLUMN int_client_attempt.is_finished_while_purchasing IS '1 where the app finished it while it was
  purchasing, which StoreKit forbids; else 0.';
COMMENT ON COLUMN int_client_attempt.is_removed_without_update IS '1 where it left the queue and nothing else was
  reported of it, else 0.';
COMMENT ON COLUMN int_client_attempt.kind IS 'purchase, restore (a copy under a new id), or delivery (paid without a
  reported beginning: a renewal, mostly).';
COMMENT ON COLUMN int_client_attempt.state IS 'The device''s own word: in_flight, waiting_for_approval, paid_unfinished,
  finished, failed, cancelled or abandoned.';

-- Sealing and machinery: how the file proves and keeps itself.
-- @append_only
-- @unexported
COMMENT ON TABLE seal IS 'What one recording put down, row by row, with a digest over it and over the seal before. How
  it is taken: Migrations/0008_seals.sql.';
COMMENT ON COLUMN seal.seal_id IS 'The number of the seal, from 1, in the order of recording.';
COMMENT ON COLUMN seal.digest IS 'The seal''s SHA-256, which the next one is taken over; 32 bytes.';
COMMENT ON COLUMN seal.row_count IS 'How many rows it seals.';
COMMENT ON COLUMN seal.rows IS 'Which rows it seals, with the beginning of the digest of each; bytes.';

-- @sealed 35
COMMENT ON TABLE erasure IS 'A person who was forgotten, and who did it. Their ids gave way to a pseudonym everywhere.';
COMMENT ON COLUMN erasure.erasure_id IS 'The number of the erasure in this file.';
COMMENT ON COLUMN erasure.pseudonym IS 'What stands in the place of their ids.';
COMMENT ON COLUMN erasure.reason IS 'Why, in the author''s words.';
COMMENT ON COLUMN erasure.author IS 'Who did it.';
COMMENT ON COLUMN erasure.recorded_at IS 'When it was done; milliseconds since 1970.';

-- @sealed 36
-- @unexported
COMMENT ON TABLE erased_text IS 'The texts that an erasure rewrote, which cannot be verified again.';
COMMENT ON COLUMN erased_text.kind IS 'Where it is stored: payload, transaction_info, renewal_info,
  app_transaction_info, quarantine or receipt_data.';
COMMENT ON COLUMN erased_text.digest IS 'The SHA-256 of the text as it was; 32 bytes.';

-- @sealed 37
-- @unexported
COMMENT ON TABLE rewritten_row IS 'The sealed rows that an erasure rewrote or removed.';
COMMENT ON COLUMN rewritten_row.rewriting_id IS 'The number of the rewriting in this file.';
COMMENT ON COLUMN rewritten_row.table_number IS 'The table, by its number in sealed_table.';
COMMENT ON COLUMN rewritten_row.row_key IS 'The row''s primary key, as in seals; bytes.';
COMMENT ON COLUMN rewritten_row.erased_digest IS 'The SHA-256 of what was rewritten, as it was, or of the whole row
  where it was removed, or where words of quarantine, problem or client_event were rewritten; 32 bytes.';
COMMENT ON COLUMN rewritten_row.digest IS 'The SHA-256 of the row as it is now; 32 bytes. NULL: it was removed.';

-- @sealed 3
-- @removable
-- @unexported
COMMENT ON TABLE text_form IS 'What many texts have in common: all of a text but its values. Each U+001F in it is the
  place of one.';
COMMENT ON COLUMN text_form.digest IS 'The SHA-256 of the form; 32 bytes.';
COMMENT ON COLUMN text_form.text IS 'The form.';

-- @sqlite
COMMENT ON VIEW payload_text IS 'The whole text of each payload as it arrived, less secrets and receipts; of a signed
  one its decoded payload.';
COMMENT ON COLUMN payload_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal. (Of a signed payload
  that is the compact text.)';
COMMENT ON COLUMN payload_text.source IS 'The whole text, byte for byte as it arrived; of a signed payload what was
  signed, decoded.';
-- @step
-- @sqlite
COMMENT ON VIEW payload_rest_text IS 'The text of each payload without Apple''s objects and the payloads inside it.';
COMMENT ON COLUMN payload_rest_text.source IS 'The text without the objects and payloads inside it.';
-- @step
-- @sqlite
COMMENT ON VIEW payload_own_text IS 'The text of each payload without the payloads inside it.';
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

-- @sqlite
COMMENT ON VIEW transaction_info_text IS 'The whole text of each transaction info. For people.';
COMMENT ON COLUMN transaction_info_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN transaction_info_text.source IS 'The text, byte for byte as Apple wrote it; of a signed one the decoded
  payload.';

-- @sqlite
COMMENT ON VIEW renewal_info_text IS 'The whole text of each renewal info. For people.';
COMMENT ON COLUMN renewal_info_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN renewal_info_text.source IS 'The text, byte for byte as Apple wrote it; of a signed one the decoded
  payload.';

-- @sqlite
COMMENT ON VIEW app_transaction_info_text IS 'The whole text of each app transaction info. For people.';
COMMENT ON COLUMN app_transaction_info_text.digest IS 'The SHA-256 of the whole text as it arrived; hexadecimal.';
COMMENT ON COLUMN app_transaction_info_text.source IS 'The text, byte for byte as Apple wrote it; of a signed one the decoded
  payload.';

-- @machinery
-- @sealed 2
-- @unexported
COMMENT ON TABLE jws_header IS 'The first segments of signed texts, certificates included; one stands for millions of
  texts.';
COMMENT ON COLUMN jws_header.header_id IS 'The number of a first segment in this file.';
COMMENT ON COLUMN jws_header.digest IS 'The SHA-256 of the segment; 32 bytes.';
COMMENT ON COLUMN jws_header.text IS 'The segment, in Base 64 for URLs.';

-- @machinery
-- @append_only
-- @unexported
COMMENT ON TABLE sealed_table IS 'The tables that are sealed, by their numbers in seals.';
COMMENT ON COLUMN sealed_table.name IS 'The table''s name.';
-- @machinery
-- @append_only
-- @unexported
COMMENT ON TABLE erasable_column IS 'The columns that an erasure may rewrite.';
COMMENT ON COLUMN erasable_column.column_name IS 'The column''s name.';
-- @machinery
-- @append_only
-- @unexported
COMMENT ON TABLE erasable_table IS 'The tables whose rows an erasure may remove.';

-- @machinery
-- @append_only
-- @constant
COMMENT ON TABLE calendar_month IS 'The months from 1970 to 2199 (UTC), so that a duration in calendar months is a
  join.';
COMMENT ON COLUMN calendar_month.month_number IS 'The number of the month, January 1970 being 0.';
COMMENT ON COLUMN calendar_month.starts_at IS 'When it begins; milliseconds since 1970.';
COMMENT ON COLUMN calendar_month.ends_at IS 'When the next one begins; milliseconds since 1970.';

-- @machinery
-- @unexported
COMMENT ON TABLE generated_schema IS 'Which text the file''s views have.';
COMMENT ON COLUMN generated_schema.digest IS 'The digest of that text; hexadecimal.';

-- @projection
-- @append_only
-- @exported
COMMENT ON TABLE original_transaction_identifier IS 'The ids of Apple''s that lead to lines, beside transaction ids.';
COMMENT ON COLUMN original_transaction_identifier.identifier IS 'The id; text.';
COMMENT ON COLUMN original_transaction_identifier.kind IS 'What kind of id: web_order_line_item_id, app_account_token,
  app_transaction_id, order_id or previous_original_transaction_id.';

-- @projection
COMMENT ON TABLE projection_original_transaction IS 'Each line''s last transaction and last renewal info. Emptied, it
  changes no answer.';
COMMENT ON COLUMN projection_original_transaction.evidence_at IS 'When Apple last said anything of the line;
  milliseconds since 1970.';
COMMENT ON COLUMN projection_original_transaction.last_recorded_at IS 'When the ledger last learned anything of the
  line; milliseconds since 1970.';
COMMENT ON COLUMN projection_original_transaction.renewal_evidence_at IS 'When Apple last said anything of its renewal;
  milliseconds since 1970. NULL: never.';
COMMENT ON COLUMN projection_original_transaction.least_trust IS 'The least that a payload that states something of the
  line is trusted: 0 not signed, 1 signed, 2 signed by Apple.';
COMMENT ON COLUMN projection_original_transaction.deciding_version_id IS 'The transaction_version that decides. NULL:
  the line has no subscription transaction.';
COMMENT ON COLUMN projection_original_transaction.is_contradicted IS '1 where a payload that states something of the
  line contradicts itself, else 0.';
COMMENT ON COLUMN projection_original_transaction.renewal_info_version_id IS 'The last renewal_info_version. NULL:
  none.';

-- @projection
COMMENT ON TABLE projection_transaction IS 'Every version of a transaction that was ever the current one, and while it
  was.';
COMMENT ON COLUMN projection_transaction.version_id IS 'The transaction_version.';

-- @projection
COMMENT ON TABLE projection_renewal_info IS 'Every renewal version, in the order of its evidence.';
COMMENT ON COLUMN projection_renewal_info.version_id IS 'The renewal_info_version.';

-- @machinery
-- @unexported
COMMENT ON TABLE schema_migration IS 'The migrations that this file has had.';
COMMENT ON COLUMN schema_migration.name IS 'The name of a migration, as in the folder Migrations.';
