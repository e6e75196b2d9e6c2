-- Rules §1 and §3: the head of a line at T is, of its transactions with purchase_at <= T, the one with the greatest
-- purchase_at, then expires_at, then transaction_id as text. It alone decides. A copy (expires_at <= purchase_at)
-- counts only in a line that has nothing else.
CREATE VIEW line_head AS
SELECT
  a.as_of, a.known_at, a.line_id, l.transaction_key, l.head_version_id AS version_id,
  l.head_evidence_at AS evidence_at, l.product_id, l.purchase_at, l.expires_at, l.revoked_at, l.is_upgraded
FROM asked_unsettled a
CROSS JOIN projection_line l
WHERE l.line_id = a.line_id AND l.last_recorded_at <= a.known_at AND l.purchase_at <= a.as_of
UNION ALL
SELECT
  as_of, known_at, line_id, transaction_key, version_id,
  evidence_at, product_id, purchase_at, expires_at, revoked_at, is_upgraded
FROM (
  SELECT
    c.*,
    ROW_NUMBER() OVER (
      PARTITION BY c.as_of, c.known_at, c.line_id
      ORDER BY c.purchase_at DESC, c.expires_at DESC, t.transaction_id DESC
    ) AS place
  FROM (
    SELECT
      head_candidate.*,
      CASE WHEN expires_at <= purchase_at THEN 1 ELSE 0 END AS is_copy,
      MIN(CASE WHEN expires_at <= purchase_at THEN 1 ELSE 0 END)
        OVER (PARTITION BY as_of, known_at, line_id) AS has_copies_only
    FROM head_candidate
  ) c
  JOIN store_transaction t ON t.transaction_key = c.transaction_key
  WHERE c.is_copy = c.has_copies_only AND c.purchase_at <= c.as_of
) ranked
WHERE place = 1;
