package finding

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// zone is a place in prose with its zone.
type zone struct {
	name     string
	location *time.Location
}

// places are cities in several languages, and abbreviations of zones, by IANA zone. A
// summer time's abbreviation stands for the place: people write "EST" all year.
var places = []struct{ zone, names string }{
	{"UTC", "UTC|GMT"}, {"Europe/London", "London|Londres|Londra|Лондон|BST|GMT|Edinburgh|Manchester"}, {"Europe/Dublin", "Dublin"},
	{"Europe/Lisbon", "Lisbon|Lisboa|Lissabon|Lisbonne"}, {"Europe/Madrid", "Madrid|Barcelona"}, {"Europe/Paris", "Paris|París|Lyon|CET|CEST|MEZ|MESZ"},
	{"Europe/Brussels", "Brussels|Bruxelles|Brüssel"}, {"Europe/Amsterdam", "Amsterdam|Rotterdam"}, {"Europe/Zurich", "Zurich|Zürich|Geneva|Genève|Genf"},
	{"Europe/Berlin", "Berlin|Frankfurt|Munich|München|Hamburg|Берлин|Köln"}, {"Europe/Vienna", "Vienna|Wien|Vienne"}, {"Europe/Rome", "Rome|Roma|Rom|Milan|Milano"},
	{"Europe/Prague", "Prague|Praha|Prag"}, {"Europe/Warsaw", "Warsaw|Warszawa|Warschau"}, {"Europe/Budapest", "Budapest"},
	{"Europe/Stockholm", "Stockholm"}, {"Europe/Oslo", "Oslo"}, {"Europe/Copenhagen", "Copenhagen|København|Kopenhagen"}, {"Europe/Helsinki", "Helsinki"},
	{"Europe/Athens", "Athens|Athen|Atenas"}, {"Europe/Bucharest", "Bucharest|București"}, {"Europe/Kyiv", "Kyiv|Kiev|Київ"}, {"Europe/Istanbul", "Istanbul|İstanbul"},
	{"Europe/Moscow", "Moscow|Moskau|Москва|Москве|MSK"}, {"Africa/Cairo", "Cairo|Kairo|القاهرة"}, {"Africa/Lagos", "Lagos"}, {"Africa/Nairobi", "Nairobi"},
	{"Africa/Johannesburg", "Johannesburg|Cape Town"}, {"Africa/Casablanca", "Casablanca"}, {"Asia/Jerusalem", "Tel Aviv|Jerusalem|תל אביב"},
	{"Asia/Riyadh", "Riyadh|الرياض"}, {"Asia/Dubai", "Dubai|Abu Dhabi|دبي"}, {"Asia/Tehran", "Tehran|تهران"}, {"Asia/Karachi", "Karachi"},
	{"Asia/Kolkata", "Mumbai|Delhi|Bangalore|Bengaluru|Kolkata|Chennai|IST|मुंबई|दिल्ली"}, {"Asia/Dhaka", "Dhaka"}, {"Asia/Bangkok", "Bangkok|กรุงเทพ"},
	{"Asia/Jakarta", "Jakarta"}, {"Asia/Singapore", "Singapore|Singapur|Singapour|SGT"}, {"Asia/Hong_Kong", "Hong Kong|Hongkong|HKT|香港"},
	{"Asia/Shanghai", "Shanghai|Beijing|Shenzhen|北京|上海"}, {"Asia/Taipei", "Taipei|台北"}, {"Asia/Manila", "Manila"}, {"Asia/Seoul", "Seoul|KST|서울"},
	{"Asia/Tokyo", "Tokyo|Tokio|JST|東京"}, {"Australia/Sydney", "Sydney|Melbourne|AEST|AEDT"}, {"Australia/Perth", "Perth"}, {"Pacific/Auckland", "Auckland|Wellington"},
	{"America/New_York", "New York|Nueva York|Nova York|NYC|Boston|Washington|Atlanta|Miami|EST|EDT|ET|Нью-Йорк"}, {"America/Toronto", "Toronto|Montreal|Montréal"},
	{"America/Chicago", "Chicago|Dallas|Houston|CDT"}, {"America/Denver", "Denver|MST|MDT"}, {"America/Phoenix", "Phoenix"},
	{"America/Los_Angeles", "Los Angeles|San Francisco|Seattle|PST|PDT|PT"}, {"America/Vancouver", "Vancouver"}, {"America/Mexico_City", "Mexico City|Ciudad de México"},
	{"America/Bogota", "Bogotá|Bogota"}, {"America/Lima", "Lima"}, {"America/Santiago", "Santiago"}, {"America/Argentina/Buenos_Aires", "Buenos Aires"},
	{"America/Sao_Paulo", "São Paulo|Sao Paulo|Rio de Janeiro"}, {"Pacific/Honolulu", "Honolulu"}, {"America/Anchorage", "Anchorage"},
}

// zonesIn returns the places and zones that prose names.
func zonesIn(text []rune) []zone {
	prose := string(text)
	var found []zone
	for _, place := range places {
		for name := range strings.SplitSeq(place.names, "|") {
			if !hasName(prose, name) {
				continue
			}
			if location, err := time.LoadLocation(place.zone); err == nil {
				found = append(found, zone{name, location})
			}
			break
		}
	}
	return found
}

// hasName reports whether a text has a name as words of their own. Chinese, Japanese and
// Korean put no blanks around it.
func hasName(text, name string) bool {
	for i := 0; ; {
		at := strings.Index(text[i:], name)
		if at < 0 {
			return false
		}
		i += at
		before, after := lastRune(text[:i]), firstRune(text[i+len(name):])
		i += len(name)
		if isUnspaced(firstRune(name)) || !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
	}
}

func firstRune(text string) rune {
	for _, r := range text {
		return r
	}
	return 0
}

func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}
