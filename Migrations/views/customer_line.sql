-- Whose line it is: the last entry of the staff's about a customer and a line decides; where there is none, a line is
-- its account token's. A token that is linked to a customer stands for that customer, and no longer for itself.
--
-- A line that several customers claim is on the list of each: claimant_count tells.
CREATE VIEW customer_line AS
SELECT
  claim.customer, l.environment, l.original_transaction_id, claim.basis, claim.identifier, claim.reason, claim.author,
  claim.claimed_at, COUNT(*) OVER (PARTITION BY claim.as_of, claim.known_at, claim.line_id) AS claimant_count,
  claim.as_of, claim.known_at, claim.line_id
FROM (
  SELECT
    as_of, known_at, line_id, customer, 'link' AS basis, identifier, reason, author, recorded_at AS claimed_at
  FROM line_entry
  WHERE customer_place = 1 AND action = 'link'
  UNION ALL
  SELECT
    n.as_of, n.known_at, n.line_id, n.identifier, 'app_account_token', n.identifier, NULL, NULL, NULL
  FROM line_name n
  LEFT JOIN line_entry owner
    ON owner.as_of = n.as_of AND owner.known_at = n.known_at AND owner.line_id = n.line_id
    AND owner.identifier = n.identifier AND owner.identifier_place = 1 AND owner.action = 'link'
  LEFT JOIN line_entry own
    ON own.as_of = n.as_of AND own.known_at = n.known_at AND own.line_id = n.line_id
    AND own.customer = n.identifier AND own.customer_place = 1
  WHERE n.kind = 'app_account_token' AND owner.line_id IS NULL AND own.line_id IS NULL
) claim
JOIN line l ON l.line_id = claim.line_id;
