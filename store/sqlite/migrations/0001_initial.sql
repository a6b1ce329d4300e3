-- Times are Unix microseconds, UTC. Absent values are NULL, never '' or 0.
-- Lists are JSON text. Tables named volatile_… prove nothing and are not
-- covered by the log; every other one is: entry_seq is the number of the entry that
-- names the row as it is, with the digest of all its columns.

-- canonical_id is the id as the canonical form has it: two objects of a module
-- must not share one, or an official document would mean both.
CREATE TABLE roles (
    role_id      TEXT PRIMARY KEY,
    canonical_id TEXT NOT NULL UNIQUE,
    name         TEXT NOT NULL,
    name_folded  TEXT NOT NULL UNIQUE,
    description  TEXT,
    capabilities TEXT,
    locked       INTEGER NOT NULL,
    native       BLOB,
    created_at   INTEGER,
    updated_at   INTEGER,
    entry_seq    INTEGER NOT NULL
) STRICT;

-- ended_seq is the number of the entry that last ended the user's sessions
-- and links: their MACs cover it.
CREATE TABLE users (
    user_id     TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    name_folded TEXT NOT NULL UNIQUE,
    password    TEXT,
    disabled    INTEGER NOT NULL,
    created_at  INTEGER,
    updated_at  INTEGER,
    ended_seq   INTEGER NOT NULL,
    entry_seq   INTEGER NOT NULL
) STRICT;

CREATE TABLE user_roles (
    user_id  TEXT NOT NULL REFERENCES users,
    role_id  TEXT NOT NULL REFERENCES roles,
    position INTEGER NOT NULL,
    entry_seq INTEGER NOT NULL,
    PRIMARY KEY (user_id, role_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX user_roles_role ON user_roles (role_id);

CREATE TABLE keys (
    key_id      TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    hash        BLOB NOT NULL,
    owner_id    TEXT REFERENCES users,
    made_by     TEXT,
    may_decide  INTEGER NOT NULL,
    created_at  INTEGER,
    expires_at  INTEGER,
    revoked_at  INTEGER,
    entry_seq   INTEGER NOT NULL
) STRICT;

CREATE INDEX keys_name ON keys (name_folded, created_at, key_id);
CREATE INDEX keys_owner ON keys (owner_id, name_folded, created_at, key_id) WHERE owner_id IS NOT NULL;
CREATE INDEX keys_maker ON keys (made_by, key_id) WHERE made_by IS NOT NULL;

-- No reference to roles: a revoked key keeps its list and must not keep a role
-- from being deleted.
CREATE TABLE key_roles (
    key_id   TEXT NOT NULL REFERENCES keys,
    role_id  TEXT NOT NULL,
    position INTEGER NOT NULL,
    entry_seq INTEGER NOT NULL,
    PRIMARY KEY (key_id, role_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX key_roles_role ON key_roles (role_id);

CREATE TABLE contexts (
    context_id      TEXT PRIMARY KEY,
    canonical_id TEXT NOT NULL UNIQUE,
    title           TEXT,
    status          TEXT,
    owner_role      TEXT,
    locked          INTEGER NOT NULL,
    native          BLOB,
    requested_by    TEXT NOT NULL,
    requested_group TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER,
    entry_seq       INTEGER NOT NULL
) STRICT;

CREATE INDEX contexts_created ON contexts (created_at, context_id);
CREATE INDEX contexts_group ON contexts (requested_group, created_at, context_id);

CREATE TABLE plans (
    plan_id           TEXT PRIMARY KEY,
    canonical_id TEXT NOT NULL UNIQUE,
    context_id        TEXT,
    title             TEXT,
    status            TEXT NOT NULL,
    hash              TEXT,
    states            TEXT,
    requested_by      TEXT NOT NULL,
    requested_group   TEXT,
    requested_by_name TEXT,
    imported          INTEGER NOT NULL,
    locked            INTEGER NOT NULL,
    body_digest       BLOB,
    trace_id          TEXT,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER,
    entry_seq         INTEGER NOT NULL
) STRICT;

CREATE INDEX plans_created ON plans (created_at, plan_id);
CREATE INDEX plans_status ON plans (status, created_at, plan_id);
CREATE INDEX plans_group ON plans (requested_group, created_at, plan_id);
CREATE INDEX plans_context ON plans (context_id, created_at, plan_id) WHERE context_id IS NOT NULL;

-- Apart from plans: it is large, and moving a step must not rewrite it.
CREATE TABLE plan_contents (
    plan_id TEXT PRIMARY KEY REFERENCES plans,
    content BLOB NOT NULL,
    entry_seq INTEGER NOT NULL
) STRICT;

-- requested_seq, the number of the log entry that requested it, is the order
-- of receipt; no two confirms share one. A confirm_id is found along the index of
-- canonical_id, and is unique because that is. The generated columns are the
-- orders of two more lists. An inbox shows the soonest deadline first, then what
-- has none, oldest first (2^62 µs lie beyond every deadline), and imports, which
-- wait for nobody, behind all of it (2^61 µs further). What is decided is listed
-- by the entry that decided it; an import has none.
CREATE TABLE confirms (
    confirm_id        TEXT NOT NULL,
    canonical_id      TEXT NOT NULL UNIQUE,
    target_type       TEXT NOT NULL,
    target_id         TEXT,
    target_hash       TEXT,
    plan_id           TEXT,
    step_id           TEXT,
    binding           TEXT,
    status            TEXT NOT NULL,
    cause             TEXT,
    requested_by      TEXT NOT NULL,
    requested_group   TEXT,
    requested_by_name TEXT,
    requested_by_role TEXT,
    role_registered   INTEGER NOT NULL,
    required_role     TEXT,
    on_reject         TEXT,
    supersedes        TEXT,
    session_id        TEXT,
    message_id        TEXT,
    approval_key      TEXT,
    frame_index       INTEGER NOT NULL,
    trace_id          TEXT,
    span_id           TEXT,
    actions           INTEGER NOT NULL,
    imported          INTEGER NOT NULL,
    locked            INTEGER NOT NULL,
    received_at       INTEGER NOT NULL,
    expires_at        INTEGER,
    content_hash      TEXT,
    effective_hash    TEXT,
    body_digest       BLOB,
    decided_at        INTEGER,
    requested_seq     INTEGER PRIMARY KEY,
    decided_seq       INTEGER NOT NULL,
    entry_seq         INTEGER NOT NULL,
    inbox_order   INTEGER GENERATED ALWAYS AS (COALESCE(expires_at, received_at + 4611686018427387904) + imported * 2305843009213693952) VIRTUAL,
    decided_order INTEGER GENERATED ALWAYS AS (CASE WHEN decided_seq = 0 THEN requested_seq ELSE decided_seq END) VIRTUAL
) STRICT;

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
    requested_seq INTEGER PRIMARY KEY REFERENCES confirms,
    reason        TEXT,
    tools         TEXT,
    salt          BLOB NOT NULL,
    content       BLOB NOT NULL,
    native        BLOB,
    entry_seq     INTEGER NOT NULL
) STRICT;

CREATE TRIGGER confirm_contents_fixed BEFORE UPDATE ON confirm_contents
BEGIN SELECT RAISE(ABORT, 'the content of a confirm never changes'); END;

CREATE TABLE decisions (
    requested_seq     INTEGER NOT NULL REFERENCES confirms,
    number            INTEGER NOT NULL,
    decision_id       TEXT NOT NULL,
    status            TEXT NOT NULL,
    cause             TEXT NOT NULL,
    decided_by        TEXT NOT NULL,
    decided_by_name   TEXT,
    decided_by_role   TEXT,
    decided_at        INTEGER NOT NULL,
    reason            TEXT,
    user_edit_content TEXT,
    intent            TEXT,
    sent_hash         TEXT,
    seq               INTEGER NOT NULL,
    actions           TEXT,
    entry_seq         INTEGER NOT NULL,
    PRIMARY KEY (requested_seq, number)
) STRICT;

-- Only with the content it was made on can what a decision repeats of it be
-- forgotten.
CREATE TRIGGER decisions_fixed BEFORE UPDATE ON decisions
WHEN EXISTS (SELECT 1 FROM confirm_contents WHERE requested_seq = OLD.requested_seq)
BEGIN SELECT RAISE(ABORT, 'decisions are only ever appended'); END;

-- subject is the part of an approval that one execution used. A step of a plan is
-- used by one approval: of the rows with its plan_id and step_id one has the step
-- itself for a subject, and the others are of that approval's actions.
CREATE TABLE consumptions (
    requested_seq INTEGER NOT NULL REFERENCES confirms,
    subject       TEXT NOT NULL,
    plan_id       TEXT,
    step_id       TEXT,
    execution_id  TEXT NOT NULL,
    consumed_by   TEXT NOT NULL,
    consumed_at   INTEGER NOT NULL,
    seq           INTEGER NOT NULL,
    entry_seq     INTEGER NOT NULL,
    PRIMARY KEY (requested_seq, subject)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX consumptions_step ON consumptions (plan_id, step_id) WHERE subject = 'step:' || step_id;

CREATE TABLE traces (
    trace_id        TEXT PRIMARY KEY,
    canonical_id TEXT NOT NULL UNIQUE,
    context_id      TEXT,
    plan_id         TEXT,
    status          TEXT,
    locked          INTEGER NOT NULL,
    native          BLOB,
    requested_by    TEXT NOT NULL,
    requested_group TEXT,
    created_at      INTEGER NOT NULL,
    entry_seq       INTEGER NOT NULL
) STRICT;

CREATE INDEX traces_created ON traces (created_at, trace_id);
CREATE INDEX traces_group ON traces (requested_group, created_at, trace_id);

-- entry is the leaf, verbatim, and hash is its own in the Merkle tree over the
-- log. The other columns repeat members of it to be searched. Most entries
-- request a confirm: type, confirm_id and trace_id are NULL in them, as is type
-- in them alone. confirms.requested_seq has their number.
CREATE TABLE log (
    seq        INTEGER PRIMARY KEY,
    entry      BLOB NOT NULL,
    hash       BLOB NOT NULL,
    type       TEXT,
    confirm_id TEXT,
    plan_id    TEXT,
    object_id  TEXT,
    trace_id   TEXT
) STRICT;

CREATE INDEX log_type ON log (type, seq) WHERE type IS NOT NULL;
CREATE INDEX log_confirm ON log (confirm_id, seq) WHERE confirm_id IS NOT NULL;
CREATE INDEX log_plan ON log (plan_id, seq) WHERE plan_id IS NOT NULL;
CREATE INDEX log_object ON log (object_id, seq) WHERE object_id IS NOT NULL;
CREATE INDEX log_trace ON log (trace_id, seq) WHERE trace_id IS NOT NULL;

CREATE TRIGGER log_no_update BEFORE UPDATE ON log
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

CREATE TRIGGER log_no_delete BEFORE DELETE ON log
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

-- The inner nodes of the tree: those of each 16 entries, and above. They are
-- numbered as the hashes of a tree over these (domain/evidence, NodeCount).
CREATE TABLE log_hashes (
    idx  INTEGER PRIMARY KEY,
    hash BLOB NOT NULL
) STRICT;

CREATE TRIGGER log_hashes_no_update BEFORE UPDATE ON log_hashes
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

CREATE TRIGGER log_hashes_no_delete BEFORE DELETE ON log_hashes
BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;

-- The newest signed checkpoint: one row.
CREATE TABLE log_head (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    size       INTEGER NOT NULL,
    checkpoint TEXT NOT NULL
) STRICT;

-- The checkpoints with which one signing key took over from another.
CREATE TABLE log_handovers (
    size       INTEGER PRIMARY KEY,
    checkpoint TEXT NOT NULL
) STRICT;

-- mac shows that a program with the signing key wrote the row, and for when: see
-- domain/session.go and domain/link.go.
CREATE TABLE volatile_sessions (
    hash       BLOB PRIMARY KEY,
    user_id    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    browser    TEXT,
    mac        BLOB
) STRICT, WITHOUT ROWID;

CREATE INDEX volatile_sessions_user ON volatile_sessions (user_id);

CREATE TABLE volatile_links (
    hash       BLOB PRIMARY KEY,
    user_id    TEXT,
    expires_at INTEGER NOT NULL,
    mac        BLOB
) STRICT, WITHOUT ROWID;

-- hash is of a name or an address: people type passwords where names belong.
CREATE TABLE volatile_throttles (
    hash     BLOB PRIMARY KEY,
    failures INTEGER NOT NULL,
    seen_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX volatile_throttles_seen ON volatile_throttles (seen_at);

CREATE TABLE volatile_key_used (
    key_id  TEXT PRIMARY KEY,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE volatile_preferences (
    user_id       TEXT PRIMARY KEY,
    shortcuts_off INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE volatile_counts (
    name TEXT PRIMARY KEY,
    n    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The words that confirms are found by: those of each confirm, with a space
-- before and behind each, and turned around the confirms of each word. What is
-- turned around follows some confirms later, for many at once: see store/search.go.
CREATE TABLE volatile_words (
    requested_seq INTEGER PRIMARY KEY,
    words         TEXT NOT NULL
) STRICT;

CREATE TABLE volatile_search (
    term          TEXT NOT NULL,
    requested_seq INTEGER NOT NULL,
    PRIMARY KEY (term, requested_seq)
) STRICT, WITHOUT ROWID;

-- What people decided so far on calls that have something in common. fact is an HMAC
-- of that: see domain/fact.go. Rows are made again from the log when they are gone.
CREATE TABLE volatile_facts (
    fact            BLOB PRIMARY KEY,
    first_at        INTEGER,
    last_at         INTEGER,
    approved        INTEGER NOT NULL,
    rejected        INTEGER NOT NULL,
    edited          INTEGER NOT NULL,
    distinct_values INTEGER NOT NULL,
    recent          TEXT,
    seq             INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
