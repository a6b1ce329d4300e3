-- Webhooks that are told of entries of the log. sealed is encrypted under a key derived
-- from the signing key: see domain/destination_secret.go.
CREATE TABLE destinations (
    destination_id TEXT COLLATE "C" PRIMARY KEY,
    name           TEXT COLLATE "C" NOT NULL,
    name_folded    TEXT COLLATE "C" NOT NULL,
    format         TEXT COLLATE "C" NOT NULL,
    types          TEXT COLLATE "C" NOT NULL,
    roles          TEXT COLLATE "C",
    target_types   TEXT COLLATE "C",
    details        TEXT COLLATE "C" NOT NULL,
    key_id         TEXT COLLATE "C" REFERENCES keys,
    sealed         BYTEA NOT NULL,
    status         TEXT COLLATE "C" NOT NULL,
    since_seq      BIGINT NOT NULL,
    created_at     BIGINT,
    updated_at     BIGINT,
    entry_seq      BIGINT NOT NULL
);

CREATE UNIQUE INDEX destinations_name ON destinations (name_folded);

-- What destinations are told, one row for each entry and destination.
CREATE TABLE volatile_deliveries (
    delivery_id    TEXT COLLATE "C" PRIMARY KEY,
    destination_id TEXT COLLATE "C" NOT NULL,
    seq            BIGINT NOT NULL,
    type           TEXT COLLATE "C" NOT NULL,
    confirm_id     TEXT COLLATE "C",
    state          TEXT COLLATE "C" NOT NULL,
    due_at         BIGINT NOT NULL,
    attempts       BIGINT NOT NULL,
    failure        TEXT COLLATE "C",
    http_status    BIGINT NOT NULL,
    missed         BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    ended_at       BIGINT
);

CREATE INDEX volatile_deliveries_due ON volatile_deliveries (destination_id, due_at, seq) WHERE state = 'waiting';
CREATE INDEX volatile_deliveries_ended ON volatile_deliveries (state, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX volatile_deliveries_confirm ON volatile_deliveries (confirm_id) WHERE confirm_id IS NOT NULL;
CREATE INDEX volatile_deliveries_listed ON volatile_deliveries (seq, delivery_id);
CREATE INDEX volatile_deliveries_state ON volatile_deliveries (state, seq, delivery_id);
CREATE INDEX volatile_deliveries_of ON volatile_deliveries (destination_id, seq, delivery_id);

CREATE TABLE volatile_destination_health (
    destination_id TEXT COLLATE "C" PRIMARY KEY,
    failures       BIGINT NOT NULL,
    failing_since  BIGINT,
    tried_at       BIGINT,
    sent_at        BIGINT,
    missed         BIGINT NOT NULL
);

-- How far the log was read for a purpose.
CREATE TABLE volatile_cursors (
    name TEXT COLLATE "C" PRIMARY KEY,
    seq  BIGINT NOT NULL
);
