-- Programs of several versions on one file.

-- The version of the program that generated the views and guards. An older program leaves them as they are.
ALTER TABLE generated_schema ADD COLUMN program_version TEXT NOT NULL DEFAULT '0';

-- 1: a program with other rules recorded evidence about it. Then every stored answer of it waits to be derived, not only
-- its periods.
ALTER TABLE entitlement_period_gap
ADD COLUMN is_by_other_rules INTEGER NOT NULL DEFAULT 0 CHECK (is_by_other_rules IN (0, 1));
