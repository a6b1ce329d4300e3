-- Webhooks that are told of entries of the log. sealed is encrypted under a key derived
-- from the signing key: see domain/destination_secret.go.
CREATE TABLE destinations (
    destination_id TEXT PRIMARY KEY,
    name           TEXT NOT NULL,
    name_folded    TEXT NOT NULL,
    format         TEXT NOT NULL,
    types          TEXT NOT NULL,
    roles          TEXT,
    target_types   TEXT,
    details        TEXT NOT NULL,
    key_id         TEXT REFERENCES keys,
    sealed         BLOB NOT NULL,
    status         TEXT NOT NULL,
    since_seq      INTEGER NOT NULL,
    created_at     INTEGER,
    updated_at     INTEGER,
    entry_seq      INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX destinations_name ON destinations (name_folded);

-- What destinations are told, one row for each entry and destination.
CREATE TABLE volatile_deliveries (
    delivery_id    TEXT PRIMARY KEY,
    destination_id TEXT NOT NULL,
    seq            INTEGER NOT NULL,
    type           TEXT NOT NULL,
    confirm_id     TEXT,
    state          TEXT NOT NULL,
    due_at         INTEGER NOT NULL,
    attempts       INTEGER NOT NULL,
    failure        TEXT,
    http_status    INTEGER NOT NULL,
    missed         INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    ended_at       INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX volatile_deliveries_due ON volatile_deliveries (destination_id, due_at, seq) WHERE state = 'waiting';
CREATE INDEX volatile_deliveries_ended ON volatile_deliveries (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX volatile_deliveries_confirm ON volatile_deliveries (confirm_id) WHERE confirm_id IS NOT NULL;
CREATE INDEX volatile_deliveries_listed ON volatile_deliveries (seq, delivery_id);
CREATE INDEX volatile_deliveries_state ON volatile_deliveries (state, seq, delivery_id);
CREATE INDEX volatile_deliveries_of ON volatile_deliveries (destination_id, seq, delivery_id);

CREATE TABLE volatile_destination_health (
    destination_id TEXT PRIMARY KEY,
    failures       INTEGER NOT NULL,
    failing_since  INTEGER,
    tried_at       INTEGER,
    sent_at        INTEGER,
    missed         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How far the log was read for a purpose.
CREATE TABLE volatile_cursors (
    name TEXT PRIMARY KEY,
    seq  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
