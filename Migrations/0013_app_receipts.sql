-- The receipts of devices are evidence of purchases, but not of the end of a subscription (rules §6).

-- The newest evidence_at of evidence that confirms an end: without contradictory payloads and receipts of devices. NULL:
-- there is none. The other columns are explained in 0007_projections.
ALTER TABLE projection_original_transaction ADD COLUMN confirming_evidence_at INTEGER;
