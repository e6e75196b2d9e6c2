-- Finds the subscriptions that ended lately. Evidence that says nothing of a renewal confirms an end too, such as a
-- transaction that Apple signed again. The server asks about those.
CREATE INDEX entitlement_period_ended ON entitlement_period (begins_at) WHERE state = 'expired' AND confirmed = 1;
