-- The types of products as the change feed has read them: a new one changes the state of purchases that state none
-- (rules §9).
CREATE TABLE change_feed_product_type (
  environment TEXT NOT NULL,
  bundle_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  type TEXT NOT NULL,
  PRIMARY KEY (environment, bundle_id, product_id)
) STRICT, WITHOUT ROWID;
