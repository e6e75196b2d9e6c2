-- The rows of proceeds_term that come with the program: Apple's published commissions on 2026-11-30. Apple publishes no taxes
-- by storefront. Only prices in the United States exclude them.
-- @integer begins_at, rate
CREATE VIEW int_default_proceeds_term AS
WITH term (term, country, begins_at, rate, source) AS (
  VALUES
    -- 2008-07-10
    ('commission', NULL, 1215648000000, 30000, 'App Store: the standard commission since its opening'),
    -- 2016-06-13
    (
      'reduced_commission', NULL, 1465776000000, 15000,
      'App Store: the commission after a year of paid service, and in programs such as the Small Business Program'
    ),
    ('tax', 'USA', 1215648000000, 0, 'App Store: prices in the United States exclude sales tax'),
    -- 2025-12-18
    ('commission', 'JPN', 1766016000000, 26000, 'Apple developer news, December 2025: 21 % and 5 % for the payment'),
    ('reduced_commission', 'JPN', 1766016000000, 15000, 'Apple developer news, December 2025: 10 % and 5 % for the payment'),
    -- 2026-03-15
    ('commission', 'CHN', 1773532800000, 25000, 'Apple developer news, 2026-03-12: iOS and iPadOS'),
    ('reduced_commission', 'CHN', 1773532800000, 12000, 'Apple developer news, 2026-03-12: iOS and iPadOS')
),
european_union (country) AS (
  VALUES
    ('AUT'), ('BEL'), ('BGR'), ('CYP'), ('CZE'), ('DEU'), ('DNK'), ('ESP'), ('EST'), ('FIN'), ('FRA'), ('GRC'), ('HRV'),
    ('HUN'), ('IRL'), ('ITA'), ('LTU'), ('LUX'), ('LVA'), ('MLT'), ('NLD'), ('POL'), ('PRT'), ('ROU'), ('SVK'), ('SVN'),
    ('SWE')
)
SELECT term, country, begins_at, rate, source FROM term
UNION ALL
-- 2026-10-01
SELECT
  CASE WHEN r.rate = 26000 THEN 'commission' ELSE 'reduced_commission' END, u.country, 1790812800000, r.rate,
  'Apple developer news, 2026-08-18: In-App Purchase in the European Union'
FROM european_union u
CROSS JOIN (SELECT 26000 AS rate UNION ALL SELECT 15000) r;
