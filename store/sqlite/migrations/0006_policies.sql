-- Versions of policies. The current one is the highest. None is ever changed or deleted.
CREATE TABLE policies (
    policy_id     TEXT NOT NULL,
    version       INTEGER NOT NULL,
    name          TEXT NOT NULL,
    enabled       INTEGER NOT NULL,
    document      TEXT NOT NULL,
    saved_by      TEXT NOT NULL,
    saved_by_name TEXT,
    saved_at      INTEGER NOT NULL,
    entry_seq     INTEGER NOT NULL,
    PRIMARY KEY (policy_id, version)
) STRICT;

-- The roles that may vote on a pending request, for lists: what is required is in its
-- content. escalates_at is set until the log tells that the role may vote in place of
-- another.
CREATE TABLE confirm_roles (
    requested_seq INTEGER NOT NULL REFERENCES confirms,
    role_id       TEXT NOT NULL,
    from_at       INTEGER NOT NULL,
    escalates_at  INTEGER,
    entry_seq     INTEGER NOT NULL,
    PRIMARY KEY (requested_seq, role_id)
) STRICT;

CREATE INDEX confirm_roles_role ON confirm_roles (role_id, requested_seq);
CREATE INDEX confirm_roles_escalates ON confirm_roles (escalates_at) WHERE escalates_at IS NOT NULL;

-- quorum is how many approvals a request needs that a policy matched.
ALTER TABLE confirms ADD COLUMN quorum INTEGER;
ALTER TABLE decisions ADD COLUMN role_id TEXT;
ALTER TABLE decisions ADD COLUMN effective_hash TEXT;

-- As before, without those whose voters confirm_roles has.
DROP INDEX confirms_pending_role;
CREATE INDEX confirms_pending_role ON confirms (required_role, requested_seq) WHERE status = 'pending' AND imported = 0 AND quorum IS NULL;
