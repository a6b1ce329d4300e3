package finding

import (
	"slices"
	"strings"
	"unicode"

	"countersign/domain/reading"
)

// Words for environments, in prose and in names.
var (
	// lesserWords name an environment wherever they stand.
	lesserWords = setOf(`staging sandbox preprod preproduction nonprod uat testsystem testumgebung testserver testdatenbank recette
		préproduction preproducción preprodução стейджинг стенд песочница песочнице سandbox 测试环境 テスト環境 ステージング`)
	// lesserNouns name one only in "on test", "in dev" or "the test database".
	lesserNouns      = setOf(`test testing dev development qa demo lab acceptance integration pruebas desarrollo collaudo sviluppo prova développement тестовом тестовый тестовую тест`)
	environmentAts   = setOf(`in on against into onto auf im gegen sur en dans su nel na no op на в`)
	environmentNouns = setOf(`environment env system server cluster database db tenant instance stage host namespace deployment
		umgebung datenbank instanz environnement serveur base entorno servidor ambiente omgeving среду среде сервер базу`)
	articles        = setOf(`the our a der dem die das la el le il o`)
	notEnvironments = setOf(`table tables area areas schema directory folder file files bucket yard lane post bay zone`)
	// fromWords stand before an environment where something was already.
	fromWords = setOf(`from after passed tested verified validated ran running soaked since like same green unlike von nach getestet depuis après testé validé
		desde tras probado dopo testato provato`)
	greaterWords = setOf(`production prod prd live produktion produktiv produktivsystem producción produccion producao produção produzione
		productie продакшн прод продакшен боевой боевую боевом 本番 本番環境 生产 生产环境 生産 الإنتاج`)
	environmentNames = setOf(`env environment stage cluster context namespace target host hostname server database db dbname tenant profile
		workspace deployment system instance realm site mode url endpoint umgebung entorno environnement ambiente`)
	sourceNames     = setOf(`source src from origin template baseline copy quelle origen origine fuente`)
	otherLive       = setOf(`chat stream streams streaming video event events score scores music data feed tv show concert view preview blog ops time wire agent support session class updates`)
	otherProduction = setOf(`order orders line lines schedule plan planning run batch manager floor cost costs date volume capacity site unit hall company house`)
)

// compareEnvironments finds production in the arguments while prose names a lesser
// environment and not production.
func compareEnvironments(c *comparing) {
	for _, p := range c.passages {
		lesser := lesserIn(p.text)
		if lesser == "" {
			continue
		}
		for _, a := range c.arguments(p) {
			if a.Type != reading.String || a.hasWord(sourceNames) {
				continue
			}
			if word := a.production(); word != "" {
				a.Text = lineWith(a.Text, word)
				c.say("environment", Stop, p, a, quotedName(a.Pointer)+" names production, the "+p.where+" does not", lesser)
			}
		}
	}
}

// refusals stand before an environment that is not to be touched.
var refusals = setOf(`not never no non without nicht kein keine pas sans nunca sin não non не без`)

// lesserIn returns the lesser environment that prose names, or "" if it names none, or
// production too.
func lesserIn(text []rune) string {
	spaced := strings.NewReplacer(".", " . ", ",", " . ", ";", " . ", ":", " . ", "\n", " . ").Replace(strings.ToLower(string(text)))
	words := strings.FieldsFunc(spaced, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '.' })
	wordAt := func(i int) string {
		if i < 0 || i >= len(words) {
			return "."
		}
		return words[i]
	}
	lesser := ""
	for i, word := range words {
		before, next := words[max(0, i-3):i], wordAt(i+1)
		at := environmentAts[wordAt(i-1)] || articles[wordAt(i-1)] && environmentAts[wordAt(i-2)]
		isPart := wordAt(i-1) == "pre" || wordAt(i-1) == "non"
		switch {
		case greaterWords[word] && !isPart:
			if !hasAny(before, refusals) {
				return ""
			}
		case lesser != "" || hasAny(before, fromWords):
		case greaterWords[word]:
			lesser = wordAt(i-1) + "-" + word
		case lesserWords[word] && !notEnvironments[next],
			lesserNouns[word] && (environmentNouns[next] || at && (next == "." || next == "first" || next == "only" || next == "and")):
			lesser = word
		}
	}
	return lesser
}

func hasAny(words []string, list map[string]bool) bool {
	return slices.ContainsFunc(words, func(word string) bool { return list[word] })
}

// production returns the word that names production in the argument: as a part of a host,
// a path or a name, or as the environment itself. It is "" if there is none.
func (a argument) production() string {
	words := strings.Fields(string(firstRunes(a.Text, maxArgument)))
	for _, word := range words {
		word = trimEnd(word)
		if strings.Contains(word, "@") {
			continue
		}
		isJoined := strings.ContainsAny(word, "-_./=:0123456789")
		pieces := wordsOf(word)
		for i, piece := range pieces {
			previous, next := "", ""
			if i > 0 {
				previous = pieces[i-1]
			}
			if i+1 < len(pieces) {
				next = pieces[i+1]
			}
			isWhole := len(words) == 1 && len(pieces) == 1 && (piece == "prod" || a.hasWord(environmentNames))
			isPart := len(words) == 1 && len(pieces) > 1 || isJoined
			if previous == "pre" || previous == "non" || !isWhole && !isPart {
				continue
			}
			switch piece {
			case "prod", "prd":
				return word
			case "production":
				if !otherProduction[next] {
					return word
				}
			case "live":
				if len(words) == 1 && !otherLive[next] && !otherLive[previous] {
					return word
				}
			}
		}
	}
	return ""
}
