-- The payloads whose own dates contradict each other. Such a payload may be forged or edited.
CREATE VIEW stg_contradictory_payload AS
SELECT payload_id FROM problem WHERE code = 'contradictory_date';
