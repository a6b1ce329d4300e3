package evidence

import (
	"cmp"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

// Entries are kept by the million: what can be written short or left out is (see
// the package's documentation).

// digestEncoding writes a digest in 43 characters.
var digestEncoding = base64.RawURLEncoding.Strict()

// Prefixes of row keys that are written in another way.
const (
	ownNumber = "#" // stands for the entry's own number
	verbatim  = "~" // stands before a key that would be read as another
)

// ownID returns the id that keys of rows need not repeat.
func (e *Entry) ownID() string { return cmp.Or(e.ConfirmID, e.PlanID, e.ObjectID) }

// shortKey shortens a row's key: it leaves out the entry's own id at its beginning, and
// replaces the entry's own number.
func (e *Entry) shortKey(key string) string {
	if rest, begins := strings.CutPrefix(key, e.ownID()); begins && e.ownID() != "" && (rest == "" || rest[0] == '/') {
		return rest
	}
	if key == strconv.FormatInt(e.Seq, 10) {
		return ownNumber
	}
	if strings.HasPrefix(key, "/") || strings.HasPrefix(key, ownNumber) || strings.HasPrefix(key, verbatim) {
		return verbatim + key
	}
	return key
}

// longKey reads what shortKey writes.
func (e *Entry) longKey(key string) string {
	switch {
	case key == "" || key[0] == '/':
		return e.ownID() + key
	case key == ownNumber:
		return strconv.FormatInt(e.Seq, 10)
	}
	return strings.TrimPrefix(key, verbatim)
}

// rows writes the rows, each as [table, key, digest], followed by the digest before the
// change unless the row was inserted. The digest of a deleted row is empty.
func (o *jsonWriter) rows(e *Entry) {
	*o = append(*o, `,"rows":[`...)
	for i, r := range e.Rows {
		if i > 0 {
			*o = append(*o, ',')
		}
		o.text(`[`, r.Table)
		o.text(`,`, e.shortKey(r.Key))
		o.digest(`,`, r.Digest)
		if r.Before != nil {
			o.digest(`,`, r.Before)
		}
		*o = append(*o, ']')
	}
	*o = append(*o, ']')
}

// parseRows reads what rows writes.
func (e *Entry) parseRows(list [][]string) ([]Row, error) {
	rows := make([]Row, len(list))
	for i, parts := range list {
		if len(parts) != 3 && len(parts) != 4 {
			return nil, errors.New("a row has a table, a key, and a digest or two")
		}
		rows[i] = Row{Table: parts[0], Key: e.longKey(parts[1])}
		var err error
		if rows[i].Digest, err = parseDigest(parts[2]); err == nil && len(parts) == 4 {
			rows[i].Before, err = parseDigest(parts[3])
		}
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// parseDigest reads a row's digest, nil if the row was deleted.
func parseDigest(text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	return digestEncoding.DecodeString(text)
}

// shortHash writes a hash in the short form of digests. Any other text stays as it is.
func shortHash(text string) string {
	if sum := parseHash(text); sum != (Hash{}) {
		return digestEncoding.EncodeToString(sum[:])
	}
	return text
}

// longHash reads what shortHash writes.
func longHash(text string) string {
	if len(text) != digestEncoding.EncodedLen(len(Hash{})) {
		return text // not a short hash
	}
	sum, err := digestEncoding.DecodeString(text)
	if err != nil || len(sum) != len(Hash{}) {
		return text
	}
	return formatHash(Hash(sum))
}
