-- The seats in the stored answers (rules §7).
ALTER TABLE entitlement_period ADD COLUMN seats INTEGER;
ALTER TABLE entitlement_period ADD COLUMN seats_next INTEGER;
