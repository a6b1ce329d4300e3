-- A confirm's words are in volatile_search as soon as the confirm is stored. Those
-- that were still to come are written here.
WITH RECURSIVE split (requested_seq, word, rest) AS (
    SELECT requested_seq, '', trim(words) || ' ' FROM volatile_words
    WHERE requested_seq >= (SELECT COALESCE(MAX(n), 0) FROM volatile_counts WHERE name = 'turned')
    UNION ALL
    SELECT requested_seq, substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1) FROM split WHERE rest <> ''
)
INSERT INTO volatile_search (term, requested_seq) SELECT DISTINCT word, requested_seq FROM split WHERE word <> '';

DELETE FROM volatile_counts WHERE name = 'turned';
