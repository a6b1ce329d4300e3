-- Times are Unix microseconds, UTC. Absent values are NULL, never '' or 0.
-- Lists are JSON text. Tables named volatile_… prove nothing and are not
-- covered by the log; every other one is: entry_seq is the number of the entry that
-- names the row as it is, with the digest of all its columns. Text is ordered by its bytes, as
-- SQLite orders it. It cannot hold U+0000: what has one is escaped on its way
-- in and out (store/postgres_text.go).

-- canonical_id is the id as the canonical form has it: two objects of a module
-- must not share one, or an official document would mean both.
CREATE TABLE roles (
    role_id      TEXT COLLATE "C" PRIMARY KEY,
    canonical_id TEXT COLLATE "C" NOT NULL UNIQUE,
    name         TEXT COLLATE "C" NOT NULL,
    name_folded  TEXT COLLATE "C" NOT NULL UNIQUE,
    description  TEXT COLLATE "C",
    capabilities TEXT COLLATE "C",
    locked       BIGINT NOT NULL,
    native       BYTEA,
    created_at   BIGINT,
    updated_at   BIGINT,
    entry_seq    BIGINT NOT NULL
);

-- ended_seq is the number of the entry that last ended the user's sessions
-- and links: their MACs cover it.
CREATE TABLE users (
    user_id     TEXT COLLATE "C" PRIMARY KEY,
    name        TEXT COLLATE "C" NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL UNIQUE,
    password    TEXT COLLATE "C",
    disabled    BIGINT NOT NULL,
    created_at  BIGINT,
    updated_at  BIGINT,
    ended_seq   BIGINT NOT NULL,
    entry_seq   BIGINT NOT NULL
);

CREATE TABLE user_roles (
    user_id  TEXT COLLATE "C" NOT NULL REFERENCES users,
    role_id  TEXT COLLATE "C" NOT NULL REFERENCES roles,
    position BIGINT NOT NULL,
    entry_seq BIGINT NOT NULL,
    PRIMARY KEY (user_id, role_id)
);

CREATE INDEX user_roles_role ON user_roles (role_id);

CREATE TABLE keys (
    key_id      TEXT COLLATE "C" PRIMARY KEY,
    name        TEXT COLLATE "C" NOT NULL,
    name_folded TEXT COLLATE "C" NOT NULL,
    hash        BYTEA NOT NULL,
    owner_id    TEXT COLLATE "C" REFERENCES users,
    made_by     TEXT COLLATE "C",
    may_decide  BIGINT NOT NULL,
    created_at  BIGINT,
    expires_at  BIGINT,
    revoked_at  BIGINT,
    entry_seq   BIGINT NOT NULL
);

CREATE INDEX keys_name ON keys (name_folded, created_at, key_id);
CREATE INDEX keys_owner ON keys (owner_id, name_folded, created_at, key_id) WHERE owner_id IS NOT NULL;
CREATE INDEX keys_maker ON keys (made_by, key_id) WHERE made_by IS NOT NULL;

-- No reference to roles: a revoked key keeps its list and must not keep a role
-- from being deleted.
CREATE TABLE key_roles (
    key_id   TEXT COLLATE "C" NOT NULL REFERENCES keys,
    role_id  TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    entry_seq BIGINT NOT NULL,
    PRIMARY KEY (key_id, role_id)
);

CREATE INDEX key_roles_role ON key_roles (role_id);

CREATE TABLE contexts (
    context_id      TEXT COLLATE "C" PRIMARY KEY,
    canonical_id TEXT COLLATE "C" NOT NULL UNIQUE,
    title           TEXT COLLATE "C",
    status          TEXT COLLATE "C",
    owner_role      TEXT COLLATE "C",
    locked          BIGINT NOT NULL,
    native          BYTEA,
    requested_by    TEXT COLLATE "C" NOT NULL,
    requested_group TEXT COLLATE "C",
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT,
    entry_seq       BIGINT NOT NULL
);

CREATE INDEX contexts_created ON contexts (created_at, context_id);
CREATE INDEX contexts_group ON contexts (requested_group, created_at, context_id);

CREATE TABLE plans (
    plan_id           TEXT COLLATE "C" PRIMARY KEY,
    canonical_id TEXT COLLATE "C" NOT NULL UNIQUE,
    context_id        TEXT COLLATE "C",
    title             TEXT COLLATE "C",
    status            TEXT COLLATE "C" NOT NULL,
    hash              TEXT COLLATE "C",
    states            TEXT COLLATE "C",
    requested_by      TEXT COLLATE "C" NOT NULL,
    requested_group   TEXT COLLATE "C",
    requested_by_name TEXT COLLATE "C",
    imported          BIGINT NOT NULL,
    locked            BIGINT NOT NULL,
    body_digest       BYTEA,
    trace_id          TEXT COLLATE "C",
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT,
    entry_seq         BIGINT NOT NULL
);

CREATE INDEX plans_created ON plans (created_at, plan_id);
CREATE INDEX plans_status ON plans (status, created_at, plan_id);
CREATE INDEX plans_group ON plans (requested_group, created_at, plan_id);
CREATE INDEX plans_context ON plans (context_id, created_at, plan_id) WHERE context_id IS NOT NULL;

-- Apart from plans: it is large, and moving a step must not rewrite it.
CREATE TABLE plan_contents (
    plan_id TEXT COLLATE "C" PRIMARY KEY REFERENCES plans,
    content BYTEA NOT NULL,
    entry_seq BIGINT NOT NULL
);

-- requested_seq, the number of the log entry that requested it, is the order
-- of receipt; no two confirms share one. A confirm_id is found along the index of
-- canonical_id, and is unique because that is. The generated columns are the
-- orders of two more lists. An inbox shows the soonest deadline first, then what
-- has none, oldest first (2^62 µs lie beyond every deadline), and imports, which
-- wait for nobody, behind all of it (2^61 µs further). What is decided is listed
-- by the entry that decided it; an import has none.
CREATE TABLE confirms (
    confirm_id        TEXT COLLATE "C" NOT NULL,
    canonical_id      TEXT COLLATE "C" NOT NULL UNIQUE,
    target_type       TEXT COLLATE "C" NOT NULL,
    target_id         TEXT COLLATE "C",
    target_hash       TEXT COLLATE "C",
    plan_id           TEXT COLLATE "C",
    step_id           TEXT COLLATE "C",
    binding           TEXT COLLATE "C",
    status            TEXT COLLATE "C" NOT NULL,
    cause             TEXT COLLATE "C",
    requested_by      TEXT COLLATE "C" NOT NULL,
    requested_group   TEXT COLLATE "C",
    requested_by_name TEXT COLLATE "C",
    requested_by_role TEXT COLLATE "C",
    role_registered   BIGINT NOT NULL,
    required_role     TEXT COLLATE "C",
    on_reject         TEXT COLLATE "C",
    supersedes        TEXT COLLATE "C",
    session_id        TEXT COLLATE "C",
    message_id        TEXT COLLATE "C",
    approval_key      TEXT COLLATE "C",
    frame_index       BIGINT NOT NULL,
    trace_id          TEXT COLLATE "C",
    span_id           TEXT COLLATE "C",
    actions           BIGINT NOT NULL,
    imported          BIGINT NOT NULL,
    locked            BIGINT NOT NULL,
    received_at       BIGINT NOT NULL,
    expires_at        BIGINT,
    content_hash      TEXT COLLATE "C",
    effective_hash    TEXT COLLATE "C",
    body_digest       BYTEA,
    decided_at        BIGINT,
    requested_seq     BIGINT PRIMARY KEY,
    decided_seq       BIGINT NOT NULL,
    entry_seq         BIGINT NOT NULL,
    inbox_order   BIGINT GENERATED ALWAYS AS (COALESCE(expires_at, received_at + 4611686018427387904) + imported * 2305843009213693952) STORED,
    decided_order BIGINT GENERATED ALWAYS AS (CASE WHEN decided_seq = 0 THEN requested_seq ELSE decided_seq END) STORED
);

-- Each list of confirms is read along one of these or the primary key, in its
-- order, and only so far: see store/confirm_list.go.
CREATE INDEX confirms_pending ON confirms (inbox_order, confirm_id) WHERE status = 'pending';
CREATE INDEX confirms_decided ON confirms (decided_order) WHERE status <> 'pending';
CREATE INDEX confirms_decided_target ON confirms (target_type, decided_order) WHERE status <> 'pending' AND target_type <> 'other';
CREATE INDEX confirms_group ON confirms (requested_group, requested_seq);
CREATE INDEX confirms_target ON confirms (target_id, requested_seq);
CREATE INDEX confirms_plan ON confirms (plan_id, requested_seq) WHERE plan_id IS NOT NULL;
CREATE INDEX confirms_plan_pending ON confirms (plan_id) WHERE status = 'pending' AND imported = 0 AND plan_id IS NOT NULL;
CREATE INDEX confirms_required ON confirms (required_role) WHERE status = 'pending' AND imported = 0 AND required_role IS NOT NULL;
CREATE INDEX confirms_trace ON confirms (trace_id, requested_seq) WHERE trace_id IS NOT NULL;
CREATE INDEX confirms_session ON confirms (session_id, requested_seq) WHERE session_id IS NOT NULL;
CREATE INDEX confirms_session_decided ON confirms (session_id, decided_seq, requested_seq) WHERE session_id IS NOT NULL;
CREATE INDEX confirms_supersedes ON confirms (supersedes) WHERE supersedes IS NOT NULL;
CREATE UNIQUE INDEX confirms_approval_key ON confirms (approval_key) WHERE approval_key IS NOT NULL;

-- What lists show comes first: reading it must not walk the large columns.
CREATE TABLE confirm_contents (
    requested_seq BIGINT PRIMARY KEY REFERENCES confirms,
    reason        TEXT COLLATE "C",
    tools         TEXT COLLATE "C",
    salt          BYTEA NOT NULL,
    content       BYTEA NOT NULL,
    native        BYTEA,
    entry_seq     BIGINT NOT NULL
);

CREATE FUNCTION confirm_contents_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the content of a confirm never changes';
END $$;

CREATE TRIGGER confirm_contents_fixed BEFORE UPDATE ON confirm_contents
FOR EACH ROW EXECUTE FUNCTION confirm_contents_fixed();

CREATE TABLE decisions (
    requested_seq     BIGINT NOT NULL REFERENCES confirms,
    number            BIGINT NOT NULL,
    decision_id       TEXT COLLATE "C" NOT NULL,
    status            TEXT COLLATE "C" NOT NULL,
    cause             TEXT COLLATE "C" NOT NULL,
    decided_by        TEXT COLLATE "C" NOT NULL,
    decided_by_name   TEXT COLLATE "C",
    decided_by_role   TEXT COLLATE "C",
    decided_at        BIGINT NOT NULL,
    reason            TEXT COLLATE "C",
    user_edit_content TEXT COLLATE "C",
    intent            TEXT COLLATE "C",
    sent_hash         TEXT COLLATE "C",
    seq               BIGINT NOT NULL,
    actions           TEXT COLLATE "C",
    entry_seq         BIGINT NOT NULL,
    PRIMARY KEY (requested_seq, number)
);

-- Only with the content it was made on can what a decision repeats of it be
-- forgotten.
CREATE FUNCTION decisions_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM confirm_contents WHERE requested_seq = OLD.requested_seq) THEN
        RAISE EXCEPTION 'decisions are only ever appended';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER decisions_fixed BEFORE UPDATE ON decisions
FOR EACH ROW EXECUTE FUNCTION decisions_fixed();

-- subject is the part of an approval that one execution used. A step of a plan is
-- used by one approval: of the rows with its plan_id and step_id one has the step
-- itself for a subject, and the others are of that approval's actions.
CREATE TABLE consumptions (
    requested_seq BIGINT NOT NULL REFERENCES confirms,
    subject       TEXT COLLATE "C" NOT NULL,
    plan_id       TEXT COLLATE "C",
    step_id       TEXT COLLATE "C",
    execution_id  TEXT COLLATE "C" NOT NULL,
    consumed_by   TEXT COLLATE "C" NOT NULL,
    consumed_at   BIGINT NOT NULL,
    seq           BIGINT NOT NULL,
    entry_seq     BIGINT NOT NULL,
    PRIMARY KEY (requested_seq, subject)
);

CREATE UNIQUE INDEX consumptions_step ON consumptions (plan_id, step_id) WHERE subject = 'step:' || step_id;

CREATE TABLE traces (
    trace_id        TEXT COLLATE "C" PRIMARY KEY,
    canonical_id TEXT COLLATE "C" NOT NULL UNIQUE,
    context_id      TEXT COLLATE "C",
    plan_id         TEXT COLLATE "C",
    status          TEXT COLLATE "C",
    locked          BIGINT NOT NULL,
    native          BYTEA,
    requested_by    TEXT COLLATE "C" NOT NULL,
    requested_group TEXT COLLATE "C",
    created_at      BIGINT NOT NULL,
    entry_seq       BIGINT NOT NULL
);

CREATE INDEX traces_created ON traces (created_at, trace_id);
CREATE INDEX traces_group ON traces (requested_group, created_at, trace_id);

-- entry is the leaf, verbatim, and hash is its own in the Merkle tree over the
-- log. The other columns repeat members of it to be searched. Most entries
-- request a confirm: type, confirm_id and trace_id are NULL in them, as is type
-- in them alone. confirms.requested_seq has their number.
CREATE TABLE log (
    seq        BIGINT PRIMARY KEY,
    entry      BYTEA NOT NULL,
    hash       BYTEA NOT NULL,
    type       TEXT COLLATE "C",
    confirm_id TEXT COLLATE "C",
    plan_id    TEXT COLLATE "C",
    object_id  TEXT COLLATE "C",
    trace_id   TEXT COLLATE "C"
);

CREATE INDEX log_type ON log (type, seq) WHERE type IS NOT NULL;
CREATE INDEX log_confirm ON log (confirm_id, seq) WHERE confirm_id IS NOT NULL;
CREATE INDEX log_plan ON log (plan_id, seq) WHERE plan_id IS NOT NULL;
CREATE INDEX log_object ON log (object_id, seq) WHERE object_id IS NOT NULL;
CREATE INDEX log_trace ON log (trace_id, seq) WHERE trace_id IS NOT NULL;

CREATE FUNCTION log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only';
END $$;

CREATE TRIGGER log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log
FOR EACH STATEMENT EXECUTE FUNCTION log_is_append_only();

-- The inner nodes of the tree: those of each 16 entries, and above. They are
-- numbered as the hashes of a tree over these (domain/evidence, NodeCount).
CREATE TABLE log_hashes (
    idx  BIGINT PRIMARY KEY,
    hash BYTEA NOT NULL
);

CREATE TRIGGER log_hashes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log_hashes
FOR EACH STATEMENT EXECUTE FUNCTION log_is_append_only();

-- The newest signed checkpoint: one row.
CREATE TABLE log_head (
    id         BIGINT PRIMARY KEY CHECK (id = 1),
    size       BIGINT NOT NULL,
    checkpoint TEXT COLLATE "C" NOT NULL
);

-- The checkpoints with which one signing key took over from another.
CREATE TABLE log_handovers (
    size       BIGINT PRIMARY KEY,
    checkpoint TEXT COLLATE "C" NOT NULL
);

-- mac shows that a program with the signing key wrote the row, and for when: see
-- domain/session.go and domain/link.go.
CREATE TABLE volatile_sessions (
    hash       BYTEA PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at    BIGINT NOT NULL,
    browser    TEXT COLLATE "C",
    mac        BYTEA
);

CREATE INDEX volatile_sessions_user ON volatile_sessions (user_id);

CREATE TABLE volatile_links (
    hash       BYTEA PRIMARY KEY,
    user_id    TEXT COLLATE "C",
    expires_at BIGINT NOT NULL,
    mac        BYTEA
);

-- hash is of a name or an address: people type passwords where names belong.
CREATE TABLE volatile_throttles (
    hash     BYTEA PRIMARY KEY,
    failures BIGINT NOT NULL,
    seen_at  BIGINT NOT NULL
);

CREATE INDEX volatile_throttles_seen ON volatile_throttles (seen_at);

CREATE TABLE volatile_key_used (
    key_id  TEXT COLLATE "C" PRIMARY KEY,
    used_at BIGINT NOT NULL
);

CREATE TABLE volatile_preferences (
    user_id       TEXT COLLATE "C" PRIMARY KEY,
    shortcuts_off BIGINT NOT NULL
);

CREATE TABLE volatile_counts (
    name TEXT COLLATE "C" PRIMARY KEY,
    n    BIGINT NOT NULL
);

-- The words that confirms are found by: those of each confirm, with a space
-- before and behind each, and turned around the confirms of each word. What is
-- turned around follows some confirms later, for many at once: see store/search.go.
CREATE TABLE volatile_words (
    requested_seq BIGINT PRIMARY KEY,
    words         TEXT COLLATE "C" NOT NULL
);

CREATE TABLE volatile_search (
    term          TEXT COLLATE "C" NOT NULL,
    requested_seq BIGINT NOT NULL,
    PRIMARY KEY (term, requested_seq)
);

-- What people decided so far on calls that have something in common. fact is an HMAC
-- of that: see domain/fact.go. Rows are made again from the log when they are gone.
CREATE TABLE volatile_facts (
    fact            BYTEA PRIMARY KEY,
    first_at        BIGINT,
    last_at         BIGINT,
    approved        BIGINT NOT NULL,
    rejected        BIGINT NOT NULL,
    edited          BIGINT NOT NULL,
    distinct_values BIGINT NOT NULL,
    recent          TEXT COLLATE "C",
    seq             BIGINT NOT NULL
);
