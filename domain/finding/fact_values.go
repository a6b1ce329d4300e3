package finding

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain/reading"
)

// Limits of what is remembered of one call.
const (
	maxFactValues = 24  // values and sums
	maxFactPairs  = 24  // payees with their accounts
	maxPayees     = 3   // names of one payee
	maxFactValue  = 200 // bytes of a value
	maxFactSum    = 20  // bytes of a sum
)

// CallValues are the values of a call that are compared with those of decided calls.
type CallValues struct {
	Values []FactValue
	Sums   []FactSum
	Pairs  []FactPair
}

// FactValue says who or what is concerned.
type FactValue struct {
	Pointer string
	Member  string // the pointer without indexes of lists
	Noun    string // what it is, for a sentence
	Text    string // as sent
	Value   string // as it is compared
}

// IsSame reports whether both have the same value under the same name.
func (v FactValue) IsSame(other FactValue) bool {
	return v.Member == other.Member && v.Value == other.Value
}

// FactSum is an amount of money.
type FactSum struct {
	Pointer, Member string
	Currency        string // in capitals; empty: none is named
	Amount          string // decimal, above 0
}

// FactPair is a payee and an account that stands beside it.
type FactPair struct {
	PayeeMember, Payee string
	Pointer, Member    string // of the account
	Text               string // the account as sent
	Account            string // as it is compared
}

// Words in names of accounts and of those who own them.
var (
	accountWords = setOf(`account accounts acct iban konto compte cuenta conto conta rekening wallet счет счёт حساب 口座 账户`)
	payerWords   = setOf(`from source debit debtor payer sender own type holder currency balance name status`)
	payeeWords   = setOf(`payee recipient beneficiary vendor supplier creditor merchant contractor empfänger begünstigter lieferant
		destinataire bénéficiaire fournisseur destinatario beneficiario proveedor fornitore получатель поставщик`)
)

// ValuesOf returns what is compared of a call's arguments, the first in the order sent.
func ValuesOf(args reading.Value) (found CallValues) {
	leaves := leavesOf(args)
	currencies := currenciesOf(leaves)
	payees := map[string][]FactValue{} // by the item of a list that they are in
	var accounts []FactValue
	for _, leaf := range leaves {
		hasRoom := len(found.Values)+len(found.Sums) < maxFactValues
		if sum, ok := sumOf(leaf, currencies); ok {
			if hasRoom {
				found.Sums = append(found.Sums, sum)
			}
			continue
		}
		v, ok := valueOf(leaf)
		if !ok {
			continue
		}
		if hasRoom && !slices.ContainsFunc(found.Values, v.IsSame) {
			found.Values = append(found.Values, v)
		}
		if item := itemOf(v.Pointer); isPayee(leaf) && len(payees[item]) < maxPayees {
			payees[item] = append(payees[item], v)
		} else if v.Noun == "account" {
			accounts = append(accounts, v)
		}
	}
	for _, a := range accounts {
		for _, payee := range payees[itemOf(a.Pointer)] {
			if len(found.Pairs) == maxFactPairs {
				return found
			}
			found.Pairs = append(found.Pairs, FactPair{payee.Member, payee.Value, a.Pointer, a.Member, a.Text, a.Value})
		}
	}
	return found
}

// valueOf returns a value that says who or what is concerned.
func valueOf(leaf named) (v FactValue, ok bool) {
	text := strings.TrimSpace(leaf.Text)
	if text == "" || len(text) > maxFactValue || leaf.Type != reading.String && leaf.Type != reading.Number {
		return v, false
	}
	v = FactValue{Pointer: leaf.Pointer, Member: memberPath(leaf.Pointer), Text: leaf.Text}
	words := wordsOf(leaf.member)
	switch kind := (change{name: leaf.member}).kindOf(leaf.Value); {
	case kind == reading.Email:
		v.Noun = "address"
		if a, ok := reading.ParseAddress(text); ok {
			v.Value = strings.ToLower(a.User + "@" + a.Host)
		}
	case kind == reading.URL || kind == reading.Host:
		v.Noun = "host"
		if a, ok := reading.ParseAddress(text); ok {
			v.Value = a.ASCII()
		}
	case isAccount(words, text):
		v.Noun, v.Value = "account", compactOf([]rune(text))
	case isPayee(leaf):
		v.Noun, v.Value = "name", compactOf([]rune(text))
	}
	return v, v.Value != ""
}

// isAccount reports whether a value is an account that money or rights go to.
func isAccount(words []string, text string) bool {
	return hasAny(words, accountWords) && !hasAny(words, payerWords) && strings.ContainsAny(text, "0123456789") && !strings.ContainsRune(text, '@')
}

// isPayee reports whether a string names who is paid: its own name says so, or it is the
// name in an object that does.
func isPayee(leaf named) bool {
	if leaf.Type != reading.String {
		return false
	}
	words := wordsOf(leaf.member)
	if slices.Equal(words, []string{"name"}) {
		parent, _, _ := cutLast(leaf.Pointer)
		return hasAny(nameWords(parent), payeeWords)
	}
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return payeeWords[word] || word == "name" || word == "id" || word == "to"
	})
	return len(rest) == 0 && hasAny(words, payeeWords)
}

// sumOf returns a sum with its currency.
func sumOf(leaf named, currencies map[string]string) (s FactSum, ok bool) {
	if (change{name: leaf.member}).kindOf(leaf.Value) != reading.Sum || !isAmount(leaf.Text) {
		return s, false
	}
	parent, _, _ := cutLast(leaf.Pointer)
	return FactSum{leaf.Pointer, memberPath(leaf.Pointer), currencies[parent], withoutZeros(leaf.Text)}, true
}

// isAmount reports whether a text is a decimal number above 0.
func isAmount(text string) bool {
	whole, part, hasPoint := strings.Cut(text, ".")
	return len(text) <= maxFactSum && isDigits(whole) && (!hasPoint || isDigits(part)) && strings.ContainsAny(text, "123456789")
}

// currenciesOf returns the currency that each object names.
func currenciesOf(leaves []named) map[string]string {
	found := map[string]string{}
	for _, leaf := range leaves {
		parent, _, _ := cutLast(leaf.Pointer)
		words := wordsOf(leaf.member)
		isNamed := leaf.Type == reading.String && len(leaf.Text) == 3 && len(words) > 0 && (words[0] == "currency" || words[0] == "ccy")
		if isNamed && found[parent] == "" && strings.IndexFunc(leaf.Text, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			found[parent] = strings.ToUpper(leaf.Text)
		}
	}
	return found
}

// memberPath returns a pointer without the indexes of lists.
func memberPath(pointer string) string {
	steps := strings.Split(pointer, "/")
	return strings.Join(slices.DeleteFunc(steps, isDigits), "/")
}

// itemOf returns the pointer of the innermost item of a list that a value is in.
func itemOf(pointer string) string {
	for pointer != "" {
		parent, name, _ := cutLast(pointer)
		if isDigits(name) {
			return pointer
		}
		pointer = parent
	}
	return ""
}

// cutLast cuts the last name from a pointer.
func cutLast(pointer string) (parent, name string, found bool) {
	at := strings.LastIndexByte(pointer, '/')
	if at < 0 {
		return "", pointer, false
	}
	return pointer[:at], pointer[at+1:], true
}
