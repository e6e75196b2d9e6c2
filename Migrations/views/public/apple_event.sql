-- The kinds of Apple's subscription events, one row for each name that a report has. Apple spells names in several ways
-- (Introductory Price is an earlier name of Introductory Offer). The first kind that fits the name counts:
--
--   refunds         Refund
--   cancellations   Cancel and Canceled ...: the end of a subscription
--   billing_issues  Billing Retry from ...: a renewal failed
--   returns         Reactivate ...: a purchase after the end
--   recoveries      ... from Billing Retry, ... from Grace Period: the payment succeeded, also for another product
--   plan_changes    names with Upgrade, Downgrade or Crossgrade
--   renewals        Renew
--   conversions     Paid Subscription from ...: the first payment of the full price after an offer
--   activations     Subscribe, Start ..., Opt-In: the first purchase
--   offers          Introductory Offer from ... and the like: the next period of an offer, or an offer after other periods
--   other           names that fit none
CREATE VIEW apple_event AS
SELECT
  event,
  CASE
    WHEN name LIKE 'refund%' THEN 'refunds'
    WHEN name LIKE 'cancel%' THEN 'cancellations'
    WHEN name LIKE 'billing retry%' OR name LIKE 'grace period%' OR name LIKE 'billing grace period%' THEN 'billing_issues'
    WHEN name LIKE 'reactivat%' THEN 'returns'
    WHEN name LIKE '%from billing retry' OR name LIKE '%grace period' THEN 'recoveries'
    WHEN name LIKE '%upgrade%' OR name LIKE '%downgrade%' OR name LIKE '%crossgrade%' THEN 'plan_changes'
    WHEN name LIKE 'renew%' THEN 'renewals'
    WHEN name LIKE 'paid subscription%' THEN 'conversions'
    WHEN name LIKE 'subscribe%' OR name LIKE 'start%' OR name LIKE 'opt-in%' THEN 'activations'
    WHEN name LIKE '%offer from %' OR name LIKE '%price from %' OR name LIKE '%trial from %'
      OR name LIKE '%code from %' THEN 'offers'
    ELSE 'other'
  END AS kind
FROM (SELECT DISTINCT event, LOWER(event) AS name FROM apple_figure_dimensions WHERE event IS NOT NULL) named;
