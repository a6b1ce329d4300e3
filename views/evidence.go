package views

import "cmp"

// EvidenceView is GET /evidence: what the log proves, and what to verify it
// with.
type EvidenceView struct {
	BaseURL     string // of the JSON interface, for commands to copy
	Checkpoint  Checkpoint
	VKey        string // of the key that signs now
	ConfirmID   string // the confirm that the reader comes from; empty: none
	Keys        []EvidenceKey
	Restores    []EvidenceRestore
	Imports     []LogRow // the newest entries of records that nothing substantiates
	MoreImports []Link   // to all of them in the log; none: these are all

	Verification VerificationView
	Notice       *Notice
}

// VerificationView is what is known of the server's own verifications.
type VerificationView struct {
	Off      bool     // there are none
	Ended    Moment   // of the last that came to its end; zero: none has
	Took     string   // how long it took
	Entries  string   // how many entries the log had
	Findings []string // none: everything was as it should be
	More     int      // findings beyond these
	Failure  string   // why the last one since could not be run; empty: it could
	FailedAt Moment
	Running  Moment // since when one runs; zero: none does
	Next     Moment // when the next begins
}

// Checkpoint is the newest one that was signed.
type Checkpoint struct {
	Origin string
	Size   string // entries of the log
	Root   string
	At     Moment // of the last entry in it
	Signed string // the text as it was signed
	URL    string // to download it
}

// EvidenceKey is a key that signs checkpoints, or did.
type EvidenceKey struct {
	VKey    string
	Current bool
	Signed  string // in words: which checkpoints
	Since   Moment // of the entry by which it took over; zero: it is the first
	Entry   Link   // that entry
	Trust   string // in words: who vouches for it
}

// EvidenceRestore is a new beginning of the log after its database was restored
// from a backup.
type EvidenceRestore struct {
	Entry  Link
	At     Moment
	Kept   string // entries that the backup had
	Lost   string // in words: what is known of the rest
	Origin string // that was left
}

// EvidenceState is how far the log proves the record of a confirm.
type EvidenceState string

// The states of a confirm's evidence.
const (
	EvidenceProven    EvidenceState = "proven"
	EvidenceForgotten EvidenceState = "forgotten" // proven, but for the words
	EvidenceImport    EvidenceState = "import"    // proven to be posted as it is
	EvidenceAltered   EvidenceState = "altered"   // the entry is proven, the record differs
	EvidenceUnproven  EvidenceState = "unproven"
)

// Holds says whether there is proof to take away.
func (s EvidenceState) Holds() bool {
	return s == EvidenceProven || s == EvidenceForgotten || s == EvidenceImport
}

// ConfirmEvidence is the card on a confirm's page.
type ConfirmEvidence struct {
	State     EvidenceState
	Decided   bool   // the entry is that of the decision; else of the request
	Entry     Link   // its number, to the log if the reader may open it
	Size      string // entries in the signed tree
	Root      string
	Signer    string // name of the key; empty if the reader may not see the keys
	BundleURL string
	AboutURL  string // empty if the reader may not open the page
}

// shellQuote makes a word of a command of a key, which has no quotes.
func shellQuote(vkey string) string { return "'" + vkey + "'" }

// keepCommand stores a checkpoint under the day's date, and no answer that is none.
func keepCommand(base string) string {
	return "curl -fsS -o checkpoint-$(date +%F).txt \\\n  -H 'Authorization: Bearer YOUR-KEY' \\\n  " + base + "/api/v1/evidence/checkpoint"
}

// bundleFile is the name under which a browser saves the bundle of a confirm.
func bundleFile(confirmID string) string {
	return "evidence-" + cmp.Or(confirmID, "ID") + ".json"
}

func verifyBundle(vkey, file string) string {
	return "countersign evidence verify \\\n  --bundle " + file + " \\\n  --vkey " + shellQuote(vkey)
}

func verifyDatabase(vkey string) string {
	return "countersign evidence verify \\\n  --db countersign.db \\\n  --checkpoint checkpoint.txt \\\n  --vkey " + shellQuote(vkey)
}
