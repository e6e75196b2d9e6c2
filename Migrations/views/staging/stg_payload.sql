-- The payloads that count for a query, with the instants of rules §1.
--
-- recorded_at is the earliest received instant. The order of import has no effect.
--
-- evidence_at is the first of these instants that exists:
--   1. the instant that Apple stated for the whole payload; where nothing is signed, at most recorded_at
--   2. the earliest explicit received instant
--   3. the greatest past-facing date in the payload, at most recorded_at
--   4. 0, which comes before every other instant
--
-- is_inferred is 1 for the sources 3 and 4.
--
-- is_contradictory is 1 when dates of the payload contradict each other. Such a payload may be forged or edited.
--
-- is_device_receipt is 1 for an app receipt and for a transaction receipt. Such a receipt may lack renewals, and states
-- nothing about the next one.
--
-- trust_level:
--   0  a part of the payload is not signed
--   1  everything is signed
--   2  everything is signed by Apple
-- @integer is_contradictory, is_device_receipt, is_inferred, trust_level
CREATE VIEW stg_payload AS
SELECT
  p.payload_id,
  p.digest,
  p.recorded_at,
  COALESCE(
    CASE WHEN p.trust_level = 0 AND p.stated_at > p.recorded_at THEN p.recorded_at ELSE p.stated_at END,
    p.explicit_at,
    CASE WHEN p.inferred_at > p.recorded_at THEN p.recorded_at ELSE p.inferred_at END,
    0
  ) AS evidence_at,
  CASE WHEN p.stated_at IS NOT NULL OR p.explicit_at IS NOT NULL THEN 0 ELSE 1 END AS is_inferred,
  p.is_contradictory,
  p.is_device_receipt,
  p.trust_level
FROM (
  SELECT
    a.payload_id, a.digest, a.stated_at, a.inferred_at,
    (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = a.payload_id) AS recorded_at,
    (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = a.payload_id AND d.is_explicit = 1) AS explicit_at,
    CASE WHEN EXISTS (SELECT 1 FROM stg_contradictory_payload x WHERE x.payload_id = a.payload_id) THEN 1 ELSE 0 END
      AS is_contradictory,
    CASE WHEN a.kind IN ('app_receipt', 'transaction_receipt') THEN 1 ELSE 0 END AS is_device_receipt,
    CASE
      WHEN (SELECT MAX(c.is_apple) FROM root_certificate c WHERE c.root_id = a.root_id) = 1 THEN 2
      WHEN a.trust = 'verified' THEN 1
      ELSE 0
    END AS trust_level
  FROM stg_payload_trust a
) p
WHERE COALESCE((SELECT MAX(q.minimum_trust) FROM param_query q), 0) = 0
  OR p.trust_level >= (SELECT MAX(q.minimum_trust) FROM param_query q);
