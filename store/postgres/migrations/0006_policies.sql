-- Versions of policies. The current one is the highest. None is ever changed or deleted.
CREATE TABLE policies (
    policy_id     TEXT COLLATE "C" NOT NULL,
    version       BIGINT NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    enabled       BIGINT NOT NULL,
    document      TEXT COLLATE "C" NOT NULL,
    saved_by      TEXT COLLATE "C" NOT NULL,
    saved_by_name TEXT COLLATE "C",
    saved_at      BIGINT NOT NULL,
    entry_seq     BIGINT NOT NULL,
    PRIMARY KEY (policy_id, version)
);

-- The roles that may vote on a pending request, for lists: what is required is in its
-- content. escalates_at is set until the log tells that the role may vote in place of
-- another.
CREATE TABLE confirm_roles (
    requested_seq BIGINT NOT NULL REFERENCES confirms,
    role_id       TEXT COLLATE "C" NOT NULL,
    from_at       BIGINT NOT NULL,
    escalates_at  BIGINT,
    entry_seq     BIGINT NOT NULL,
    PRIMARY KEY (requested_seq, role_id)
);

CREATE INDEX confirm_roles_role ON confirm_roles (role_id, requested_seq);
CREATE INDEX confirm_roles_escalates ON confirm_roles (escalates_at) WHERE escalates_at IS NOT NULL;

-- quorum is how many approvals a request needs that a policy matched.
ALTER TABLE confirms ADD COLUMN quorum BIGINT;
ALTER TABLE decisions ADD COLUMN role_id TEXT COLLATE "C";
ALTER TABLE decisions ADD COLUMN effective_hash TEXT COLLATE "C";

-- As before, without those whose voters confirm_roles has.
DROP INDEX confirms_pending_role;
CREATE INDEX confirms_pending_role ON confirms (required_role, requested_seq) WHERE status = 'pending' AND imported = 0 AND quorum IS NULL;
