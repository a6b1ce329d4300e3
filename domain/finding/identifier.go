package finding

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain/reading"
)

// identifier is a name in prose that consists of letters and digits, such as an account
// or a commit.
type identifier struct {
	raw     string // as written
	compact string // its letters and digits
	before  string // the two words before it, in lower case
}

// maxGroups limits the groups of digits that make one identifier.
const maxGroups = 8

// compareIdentifiers finds arguments that differ from an identifier in prose which no
// argument has, while they are of its length and shape.
func compareIdentifiers(c *comparing) {
	for _, p := range c.passages {
		missing := slices.DeleteFunc(slices.Clone(p.ids), func(id identifier) bool { return c.hasCompact(p, id.compact) })
		if len(missing) == 0 {
			continue
		}
		var others []argument
		for _, a := range c.arguments(p) {
			if a.isIdentifier() && !strings.Contains(p.compact, a.compact) {
				others = append(others, a)
			}
		}
		for _, id := range missing {
			alike := slices.IndexFunc(others, func(a argument) bool { return isSimilar(id.compact, a.compact) && id.isAbout(a, false) })
			if alike < 0 {
				alike = slices.IndexFunc(others, func(a argument) bool {
					return shapeOf(id.compact) == shapeOf(a.compact) && id.isAbout(a, p.isNear() && len(missing) == 1)
				})
			}
			if alike >= 0 {
				c.say("identifier", Stop, p, others[alike], differs(others[alike], p), id.raw)
			}
		}
	}
}

// Words before an identifier, and in names of arguments.
var (
	generalNames = setOf(`id ids no nr num number numero numéro número nummer code key serial uuid`)
	accountNames = setOf(`account accounts acct iban bic konto compte cuenta conto conta rekening счет счёт حساب 口座 账户 payee beneficiary
		recipient supplier vendor empfänger destinataire destinatario`)
	thingNames = setOf(`ticket case issue bug pr request change incident order po invoice job run task batch lot claim policy customer
		client member patient phone tel telephone mobile fax call ref reference referenz container tracking parcel shipment build commit
		document article item sku part vin imei serial product booking reservation
		rechnung auftrag bestellung kunde vorgang facture commande dossier client factura pedido cliente fattura ordine pratica заказ`)
	earlierNames = setOf(`previous last prior earlier replaces replacing replaced supersedes superseding instead like duplicate old former after see
		vorige letzte letzter ersetzt statt nach siehe précédent précédente remplace ancien après anterior reemplaza viejo precedente sostituisce vecchio`)
)

// isIdentifier reports whether the whole argument can be an identifier.
func (a argument) isIdentifier() bool {
	if _, isNetwork := parseNetwork(a.Text); isNetwork || !isIdentifying(a.compact) || len(a.Text) > 2*maxIdentifier || isDated(a.Text) || a.isSum() || unitOf(a.beside) != nil {
		return false
	}
	if a.Type == reading.Number {
		return (a.hasWord(generalNames) || a.hasWord(accountNames) || a.hasWord(thingNames)) && !strings.ContainsAny(a.Text, ".eE-")
	}
	// A sentence is none: nearly every word of an identifier has a digit.
	words := 0
	for word := range strings.FieldsSeq(a.Text) {
		if !strings.ContainsFunc(word, func(r rune) bool { return digitOf(r) != 0 }) {
			words++
		}
	}
	return words <= 1 && isPlainlyNamed(a.Text)
}

// isPlainlyNamed reports whether a text is no address, number or list.
func isPlainlyNamed(text string) bool {
	hasMark := strings.ContainsAny(text, "@,%…*=") || strings.Contains(text, "://") || strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
	isDecimal := strings.Contains(text, ".") && len(readNumeral(strings.TrimLeft(text, "-+"))) > 0
	return !hasMark && !isDecimal
}

// isAbout reports whether the identifier in prose is about the argument: they are alike,
// or the word before it names the argument, or it is the only one and names nothing else.
func (id identifier) isAbout(a argument, isOnly bool) bool {
	before := strings.Fields(id.before)
	if slices.ContainsFunc(before, func(word string) bool { return earlierNames[word] }) {
		return false
	}
	isThing, isAccount := false, false
	for _, word := range before {
		if !generalNames[word] && slices.Contains(a.words, word) {
			return true
		}
		isThing = isThing || thingNames[word]
		isAccount = isAccount || accountNames[word]
	}
	if isSimilar(id.compact, a.compact) {
		return true
	}
	if isAccount && a.hasWord(accountNames) {
		return true
	}
	return isOnly && !isThing && !(isAccount && a.hasWord(thingNames))
}

// identifiersIn returns what can be an identifier in prose: a word with digits, or
// groups of digits with a blank between them.
func identifiersIn(text []rune) []identifier {
	var found []identifier
	words := strings.Fields(string(text))
	for i := 0; i < len(words) && len(found) < maxMentions; {
		end := i + 1
		for end < len(words) && end-i < maxGroups && isGroup(words[end-1]) && isGroup(trimEnd(words[end])) {
			end++
		}
		raw := trimEnd(strings.Join(words[i:end], " "))
		compact := compactOf([]rune(raw))
		id := identifier{raw, compact, strings.ToLower(wordsBefore(words[:i]))}
		if _, isNetwork := parseNetwork(raw); !isNetwork && isIdentifying(compact) && !isVersion(raw) && !isDated(raw) && isPlainlyNamed(raw) && !isMeasured(words[end:], words[:i]) {
			found = append(found, id)
		}
		i = end
	}
	return found
}

// wordsBefore returns the last two words without their punctuation.
func wordsBefore(words []string) string {
	last := words[max(0, len(words)-2):]
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(".,:;#()\"'", r) {
			return ' '
		}
		return r
	}, strings.Join(last, " "))
}

// trimEnd removes the punctuation around a word.
func trimEnd(word string) string {
	return strings.Trim(word, ".,;:!?()[]\"'“”„«»’`#。、，")
}

// isGroup reports whether a word can be a group of an identifier: two to five digits,
// or four characters with digits among them, as in an IBAN.
func isGroup(word string) bool {
	runes := []rune(strings.TrimLeft(word, "(\"'“„«+"))
	digits := 0
	for _, r := range runes {
		if digitOf(r) != 0 {
			digits++
		} else if r < 'A' || r > 'Z' {
			return false
		}
	}
	return len(runes) >= 2 && len(runes) <= 5 && (digits == len(runes) || digits > 0 && len(runes) == 4)
}

// isMeasured reports whether a unit or a currency stands beside: it is a quantity.
func isMeasured(after, before []string) bool {
	if len(after) > 0 {
		word := trimEnd(after[0])
		if isCurrency(word) || unitOf(word) != nil || magnitudes[strings.ToLower(word)] > 0 || percents[strings.ToLower(word)] {
			return true
		}
	}
	return len(before) > 0 && isCurrency(trimEnd(before[len(before)-1]))
}
