-- The trust of each payload. A payload whose signatures all lead to a root is verified. Its own row may be unsigned: an
-- answer of the App Store Server API is JSON around signed texts.
CREATE VIEW stg_payload_trust AS
SELECT
  payload_id, digest, kind, bundle_id, stated_at, inferred_at, root_id,
  CASE WHEN root_id IS NULL THEN trust ELSE 'verified' END AS trust
FROM payload;
