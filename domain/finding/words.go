package finding

// magnitudes are the powers of ten that words after a number stand for.
var magnitudes = map[string]int{
	"k": 3, "thousand": 3, "tausend": 3, "tsd": 3, "mille": 3, "mil": 3, "mila": 3, "tys": 3, "тыс": 3, "тысяч": 3, "千": 3, "ألف": 3,
	"万": 4, "萬": 4, "만": 4, "lakh": 5, "lakhs": 5, "लाख": 5,
	"m": 6, "mn": 6, "mio": 6, "mln": 6, "million": 6, "millions": 6, "millionen": 6, "millones": 6, "millón": 6,
	"milioni": 6, "milione": 6, "milhões": 6, "milhão": 6, "miljoen": 6, "млн": 6, "миллионов": 6, "مليون": 6,
	"crore": 7, "crores": 7, "億": 8, "亿": 8, "억": 8,
	"bn": 9, "billion": 9, "billions": 9, "mrd": 9, "md": 9, "milliarde": 9, "milliarden": 9, "milliard": 9, "milliards": 9,
	"miliardi": 9, "miljard": 9, "млрд": 9,
}

// percents are words for a share.
var percents = setOf(`% percent pct percentage percentile prozent pourcent porcentaje procent procento процент процентов процента bps pp cent`)

// datesAround are words beside a number that is a date, a time of day or a version.
var datesAround = setOf(`january february march april may june july august september october november december
	jan feb mar apr jun jul aug sep sept oct nov dec
	januar februar märz mai juni juli oktober dezember mär okt dez jänner
	janvier février mars avril juin juillet août septembre octobre novembre décembre
	enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
	gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
	janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
	января февраля марта апреля мая июня июля августа сентября октября ноября декабря
	يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر 年 月 日 号 時 时 点
	am pm uhr часов century jahrhundert siècle siglo
	v version versions versión versione release python java go node postgres postgresql kubernetes rfc iso python3 http tls
	chapter section page kapitel seite chapitre article artikel paragraph figure`)

// formerWords stand before a number that is no longer to hold.
var formerWords = setOf(`from was were instead von statt anstatt bisher war desde antes était`)

// eachWords say that a number is one of each.
var eachWords = setOf(`each apiece per every je jeweils chacun chacune chaque cada ciascuno ciascuna`)

// shareWords say that a sum is worked out from another one.
var shareWords = setOf(`half third quarter discount tax vat deduction remaining rest times double minus less hälfte drittel rabatt skonto mwst abzüglich
	moitié tiers remise tva moins mitad tercio descuento iva menos metà sconto`)

// rates are words that make a unit a part of another.
var rates = setOf(`per pro par por squared cubed`)
