-- What waits, group by group: an inbox lists a few requests of each principal
-- group, however many others the group has posted. See store/confirm_group.go.
CREATE INDEX confirms_pending_group ON confirms (requested_group, inbox_order, confirm_id) WHERE status = 'pending' AND imported = 0;
