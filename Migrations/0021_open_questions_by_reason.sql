-- Questions to Apple are asked by reason: what somebody waits for comes before what is asked as a precaution. Of the reasons
-- that migration 0020 names, ends_soon is gone. The comment of the column has them all.
DELETE FROM open_question WHERE reason = 'ends_soon';
DROP INDEX open_question_of_instant;
CREATE INDEX open_question_of_reason ON open_question (reason, next_attempt_at);
