-- When Apple said a payload, and when we learned it (rules §1: evidence_at, recorded_at).
--
-- recorded_at is the earliest received instant, whatever the order of import. evidence_at is Apple's own instant; else
-- the earliest received instant that the importer was told; else the greatest past-facing date inside; else 0, which
-- comes before everything.
CREATE VIEW payload_instant AS
SELECT
  p.payload_id,
  p.digest,
  (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = p.payload_id) AS recorded_at,
  COALESCE(
    p.stated_at,
    (SELECT MIN(d.received_at) FROM delivery d WHERE d.payload_id = p.payload_id AND d.is_told = 1),
    p.inferred_at,
    0
  ) AS evidence_at
FROM payload p;
