-- A confirm's words are in volatile_search as soon as the confirm is stored. Those
-- that were still to come are written here.
INSERT INTO volatile_search (term, requested_seq)
SELECT DISTINCT word, requested_seq FROM volatile_words, unnest(string_to_array(words, ' ')) word
WHERE requested_seq >= (SELECT COALESCE(MAX(n), 0) FROM volatile_counts WHERE name = 'turned') AND word <> '';

DELETE FROM volatile_counts WHERE name = 'turned';
