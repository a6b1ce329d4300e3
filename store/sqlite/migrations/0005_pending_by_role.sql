-- What waits, role by role: every page says how much waits for its
-- reader, however much waits for others. See store/confirm_count.go.
CREATE INDEX confirms_pending_role ON confirms (required_role, requested_seq) WHERE status = 'pending' AND imported = 0;
DROP INDEX confirms_required;
