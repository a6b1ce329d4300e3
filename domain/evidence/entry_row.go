package evidence

import (
	"cmp"
	"encoding/base64"
	"errors"
)

// Entries are kept by the million: what can be written short or left out is (see
// the package's documentation).

// digestEncoding writes a digest in 43 characters.
var digestEncoding = base64.RawURLEncoding.Strict()

// own is the key that rows of the entry need not repeat.
func (e *Entry) own() string { return cmp.Or(e.ConfirmID, e.PlanID, e.ObjectID) }

// rowsWire writes rows as [table, key, digest]; the entry's own key is empty, and
// so is the digest of a row that was removed.
func (e *Entry) rowsWire() [][]string {
	list := make([][]string, len(e.Rows))
	for i, r := range e.Rows {
		if r.Key == e.own() {
			r.Key = ""
		}
		list[i] = []string{r.Table, r.Key, digestEncoding.EncodeToString(r.Digest)}
	}
	return list
}

// parseRows reads what rowsWire writes.
func parseRows(list [][]string, own string) ([]Row, error) {
	rows := make([]Row, len(list))
	for i, parts := range list {
		if len(parts) != 3 {
			return nil, errors.New("a row has a table, a key and a digest")
		}
		digest, err := parseDigest(parts[2])
		if err != nil {
			return nil, err
		}
		rows[i] = Row{Table: parts[0], Key: cmp.Or(parts[1], own), Digest: digest}
	}
	return rows, nil
}

// parseDigest reads a row's digest; nil when the row was removed.
func parseDigest(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	return digestEncoding.DecodeString(text)
}

// shortHash writes a hash as digests are written in an entry. What is no hash
// stays as it is.
func shortHash(text string) string {
	if sum := parseHash(text); sum != (Hash{}) {
		return digestEncoding.EncodeToString(sum[:])
	}
	return text
}

// longHash reads what shortHash writes.
func longHash(text string) string {
	if len(text) != digestEncoding.EncodedLen(len(Hash{})) {
		return text // it is none, and most texts are
	}
	sum, err := digestEncoding.DecodeString(text)
	if err != nil || len(sum) != len(Hash{}) {
		return text
	}
	return formatHash(Hash(sum))
}
