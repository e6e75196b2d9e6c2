-- Rules §4: when the deciding transaction ends if an upgrade replaced it. The upgrade end is revoked_at, else the
-- evidence_at of the current version. It is never after E.
--
-- rule_upgrade_end_timeline and int_deciding_period_end are this text over other relations.
CREATE VIEW rule_upgrade_end AS
SELECT
  i.*,
  CASE
    WHEN COALESCE(revoked_at, deciding_evidence_at) < expires_at THEN COALESCE(revoked_at, deciding_evidence_at)
    ELSE expires_at
  END AS superseded_at
FROM rule_input i;
