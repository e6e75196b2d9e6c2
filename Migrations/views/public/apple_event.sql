-- The kinds of Apple's subscription events, one row for each name that a report has. Apple spells names in several ways
-- (Introductory Price is an earlier name of Introductory Offer), and the reports of analytics have names of their own. The
-- first kind that fits the name counts:
--
--   refunds         Refund; analytics: Refunds from ...
--   cancellations   Cancel and Canceled ...: the end of a subscription; analytics: ... Churn from ...
--   billing_issues  Billing Retry from ...: a renewal failed; analytics: Entered Grace Period from ..., Entered Billing
--                   Retry from ..., but not the end of a grace period (retries)
--   returns         Reactivate ...: a purchase after the end
--   recoveries      ... from Billing Retry, ... from Grace Period: the payment succeeded, also for another product
--   plan_changes    names with Upgrade, Downgrade or Crossgrade; analytics: Plan Changes
--   starts          analytics: ... Starts, a first purchase or one after the end
--   offers          Introductory Offer from ... and the like: the next period of an offer, or an offer after other periods
--   renewals        Renew; analytics: ... Renewals, ... Commitment-Based Payments
--   conversions     Paid Subscription from ...: the first payment of the full price after an offer; analytics: Full Price
--                   from ..., Contingent Price from ...
--   activations     Subscribe, Start ..., Opt-In: the first purchase
--   other           names that fit none
-- @key event
CREATE VIEW apple_event AS
SELECT
  event,
  CASE
    WHEN name LIKE 'refund%' THEN 'refunds'
    WHEN name LIKE 'cancel%' OR name LIKE '%churn%' THEN 'cancellations'
    WHEN name LIKE '%billing retry from grace period' THEN 'retries'
    WHEN name LIKE '%entered %' OR name LIKE 'billing retry%' OR name LIKE 'grace period%'
      OR name LIKE 'billing grace period%' THEN 'billing_issues'
    WHEN name LIKE 'reactivat%' THEN 'returns'
    WHEN name LIKE '%recover%' OR name LIKE '%from billing retry' OR name LIKE '%grace period' THEN 'recoveries'
    WHEN name LIKE '%upgrade%' OR name LIKE '%downgrade%' OR name LIKE '%crossgrade%'
      OR name LIKE 'plan change%' THEN 'plan_changes'
    WHEN name LIKE '% start%' THEN 'starts'
    WHEN name LIKE 'free trial renewal%' OR name LIKE 'paid offer renewal%' OR name LIKE 'offer% to offer%'
      OR name LIKE 'offers from paid%' THEN 'offers'
    WHEN name LIKE 'renew%' OR name LIKE '%renewal%' OR name LIKE '%commitment-based%' THEN 'renewals'
    WHEN name LIKE 'paid subscription%' OR name LIKE 'full price from %' OR name LIKE 'contingent price from %'
    THEN 'conversions'
    WHEN name LIKE 'subscribe%' OR name LIKE 'start%' OR name LIKE 'opt-in%' THEN 'activations'
    WHEN name LIKE '%offer from %' OR name LIKE '%price from %' OR name LIKE '%trial from %'
      OR name LIKE '%code from %' THEN 'offers'
    ELSE 'other'
  END AS kind
FROM (SELECT DISTINCT event, LOWER(event) AS name FROM apple_figure_dimensions WHERE event IS NOT NULL) named;
