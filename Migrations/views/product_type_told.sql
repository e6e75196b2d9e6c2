-- Each time that evidence stated the type of an app's product that does not renew by itself, with where and when it was
-- stated. (An index knows exactly these.)
CREATE VIEW product_type_told AS
SELECT l.environment, COALESCE(s.bundle_id, p.bundle_id, '') AS bundle_id, s.product_id, s.type, i.recorded_at
FROM transaction_statement s
JOIN transaction_version v ON v.statement_id = s.statement_id
JOIN line l ON l.line_id = v.line_id
JOIN payload p ON p.payload_id = v.payload_id
JOIN payload_instant i ON i.payload_id = v.payload_id
WHERE s.type <> 'Auto-Renewable Subscription';
