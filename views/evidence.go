package views

import "cmp"

// EvidenceView is GET /evidence: what the log proves, and how to verify it.
type EvidenceView struct {
	BaseURL     string // of the JSON interface, for commands to copy
	Checkpoint  Checkpoint
	VKey        string // of the key that signs now
	ConfirmID   string // the request that the user comes from, if any
	Keys        []EvidenceKey
	Restores    []EvidenceRestore
	Imports     []LogRow // the newest entries of imports
	MoreImports []Link   // to all of them in the log, if there are more

	Verification VerificationView
	Notice       *Notice
}

// VerificationView is the state of the server's own verifications.
type VerificationView struct {
	Off      bool     // the server does not verify
	Ended    Moment   // when the last one ended; zero if none has
	Took     string   // how long it took
	Entries  string   // how many entries the log had
	Findings []string // empty if nothing was changed
	More     int      // findings beyond these
	Failure  string   // why a later one could not run, if so
	FailedAt Moment
	Running  Moment // when the running one began; zero if none runs
	Next     Moment // when the next begins
}

// Checkpoint is the newest signed checkpoint.
type Checkpoint struct {
	Origin string
	Size   string // entries of the log
	Root   string
	At     Moment // of the last entry in it
	Signed string // the text as it was signed
	URL    string // to download it
}

// EvidenceKey is a key that signs or has signed checkpoints.
type EvidenceKey struct {
	VKey    string
	Current bool
	Signed  string // in words: which checkpoints
	Since   Moment // of the entry that introduced it; zero for the first key
	Entry   Link   // that entry
	Trust   string // in words: who vouches for it
}

// EvidenceRestore is a restore of the database from a backup.
type EvidenceRestore struct {
	Entry  Link
	At     Moment
	Kept   string // entries that the backup had
	Lost   string // in words: how many entries were lost
	Origin string // the log's name before
}

// EvidenceState says how far the log proves the record of a request.
type EvidenceState string

// The states of a confirm's evidence.
const (
	EvidenceProven    EvidenceState = "proven"
	EvidenceForgotten EvidenceState = "forgotten" // proven, but the content is deleted
	EvidenceImport    EvidenceState = "import"    // only its posting is proven
	EvidenceAltered   EvidenceState = "altered"   // the entry is proven, the record differs
	EvidenceUnproven  EvidenceState = "unproven"
)

// Holds reports whether there is a proof to download.
func (s EvidenceState) Holds() bool {
	return s == EvidenceProven || s == EvidenceForgotten || s == EvidenceImport
}

// ConfirmEvidence is the evidence card on the page of a request.
type ConfirmEvidence struct {
	State     EvidenceState
	Decided   bool   // Entry records the decision, otherwise the request
	Entry     Link   // its number, to the log if the reader may open it
	Size      string // entries in the signed tree
	Root      string
	Signer    string // name of the key; empty if the reader may not see the keys
	BundleURL string
	AboutURL  string // empty if the reader may not open the page
}

// shellQuote quotes a key for a shell. Keys contain no quotes.
func shellQuote(vkey string) string { return "'" + vkey + "'" }

// keepCommand saves a checkpoint under today's date, but no error response.
func keepCommand(base string) string {
	return "curl -fsS -o checkpoint-$(date +%F).txt \\\n  -H 'Authorization: Bearer YOUR-KEY' \\\n  " + base + "/api/v1/evidence/checkpoint"
}

// bundleFile returns the file name of a request's bundle.
func bundleFile(confirmID string) string {
	return "evidence-" + cmp.Or(confirmID, "ID") + ".json"
}

func verifyBundle(vkey, file string) string {
	return "countersign evidence verify \\\n  --bundle " + file + " \\\n  --vkey " + shellQuote(vkey)
}

func verifyDatabase(vkey string) string {
	return "countersign evidence verify \\\n  --db countersign.db \\\n  --checkpoint checkpoint.txt \\\n  --vkey " + shellQuote(vkey)
}
