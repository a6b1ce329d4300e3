package finding

import "strings"

// unit is a unit of measure.
type unit struct {
	dimension string
	factor    float64 // of the dimension's base unit
}

// month is the mean length of a month.
const month = 30.44 * 86400

// units are the units that arguments and prose are compared in. Short ones keep their
// case: "mW" is no "MW".
var units = map[string]unit{
	"t": {"mass", 1e6}, "tonne": {"mass", 1e6}, "tonnes": {"mass", 1e6}, "tonnen": {"mass", 1e6}, "toneladas": {"mass", 1e6},
	"kg": {"mass", 1e3}, "kilo": {"mass", 1e3}, "kilos": {"mass", 1e3}, "kilogram": {"mass", 1e3}, "kilograms": {"mass", 1e3},
	"kilogramm": {"mass", 1e3}, "kilogramos": {"mass", 1e3}, "кг": {"mass", 1e3}, "т": {"mass", 1e6}, "公斤": {"mass", 1e3},
	"g": {"mass", 1}, "gram": {"mass", 1}, "grams": {"mass", 1}, "gramm": {"mass", 1}, "grammes": {"mass", 1}, "gramos": {"mass", 1}, "г": {"mass", 1},
	"mg": {"mass", 1e-3}, "milligrams": {"mass", 1e-3}, "mcg": {"mass", 1e-6}, "µg": {"mass", 1e-6}, "μg": {"mass", 1e-6}, "ug": {"mass", 1e-6},
	"micrograms": {"mass", 1e-6}, "lb": {"mass", 453.59237}, "lbs": {"mass", 453.59237}, "oz": {"mass", 28.349523},
	"l": {"volume", 1}, "L": {"volume", 1}, "litre": {"volume", 1}, "litres": {"volume", 1}, "liter": {"volume", 1}, "liters": {"volume", 1},
	"litros": {"volume", 1}, "litri": {"volume", 1}, "ml": {"volume", 1e-3}, "mL": {"volume", 1e-3}, "cl": {"volume", 1e-2}, "dl": {"volume", 0.1},
	"hl": {"volume", 100}, "л": {"volume", 1}, "мл": {"volume", 1e-3}, "gal": {"volume", 3.785411784}, "gallons": {"volume", 3.785411784},
	"km": {"length", 1e3}, "kilometers": {"length", 1e3}, "kilometres": {"length", 1e3}, "kilometer": {"length", 1e3}, "kilómetros": {"length", 1e3},
	"m": {"length", 1}, "meter": {"length", 1}, "meters": {"length", 1}, "metre": {"length", 1}, "metres": {"length", 1}, "metros": {"length", 1},
	"cm": {"length", 1e-2}, "centimeters": {"length", 1e-2}, "mm": {"length", 1e-3}, "millimeters": {"length", 1e-3}, "µm": {"length", 1e-6},
	"mi": {"length", 1609.344}, "mile": {"length", 1609.344}, "miles": {"length", 1609.344}, "ft": {"length", 0.3048}, "feet": {"length", 0.3048},
	"inch": {"length", 0.0254}, "inches": {"length", 0.0254}, "км": {"length", 1e3}, "м": {"length", 1},
	"Wh": {"energy", 1}, "kWh": {"energy", 1e3}, "MWh": {"energy", 1e6}, "GWh": {"energy", 1e9},
	"W": {"power", 1}, "kW": {"power", 1e3}, "MW": {"power", 1e6}, "GW": {"power", 1e9}, "mW": {"power", 1e-3}, "watts": {"power", 1},
	"ms": {"time", 1e-3}, "milliseconds": {"time", 1e-3}, "s": {"time", 1}, "sec": {"time", 1}, "secs": {"time", 1}, "second": {"time", 1},
	"seconds": {"time", 1}, "sekunden": {"time", 1}, "segundos": {"time", 1}, "secondes": {"time", 1}, "min": {"time", 60}, "mins": {"time", 60},
	"minute": {"time", 60}, "minutes": {"time", 60}, "minuten": {"time", 60}, "minutos": {"time", 60}, "h": {"time", 3600}, "hour": {"time", 3600},
	"hours": {"time", 3600}, "stunden": {"time", 3600}, "heures": {"time", 3600}, "horas": {"time", 3600}, "day": {"time", 86400},
	"days": {"time", 86400}, "tage": {"time", 86400}, "tagen": {"time", 86400}, "jours": {"time", 86400}, "días": {"time", 86400},
	"tag": {"time", 86400}, "jour": {"time", 86400}, "día": {"time", 86400}, "dni": {"time", 86400}, "giorni": {"time", 86400}, "dias": {"time", 86400},
	"week": {"time", 604800}, "weeks": {"time", 604800}, "woche": {"time", 604800}, "wochen": {"time", 604800}, "semaine": {"time", 604800},
	"semaines": {"time", 604800}, "semana": {"time", 604800}, "semanas": {"time", 604800}, "settimane": {"time", 604800},
	"month": {"time", month}, "months": {"time", month}, "monat": {"time", month}, "monate": {"time", month}, "monaten": {"time", month},
	"mois": {"time", month}, "meses": {"time", month}, "mesi": {"time", month}, "year": {"time", 12 * month}, "years": {"time", 12 * month},
	"jahr": {"time", 12 * month}, "jahre": {"time", 12 * month}, "jahren": {"time", 12 * month}, "ans": {"time", 12 * month},
	"années": {"time", 12 * month}, "año": {"time", 12 * month}, "años": {"time", 12 * month}, "anni": {"time", 12 * month}, "anos": {"time", 12 * month},
	"B": {"data", 1}, "byte": {"data", 1}, "bytes": {"data", 1}, "kB": {"data", 1e3}, "KB": {"data", 1e3}, "MB": {"data", 1e6}, "GB": {"data", 1e9},
	"TB": {"data", 1e12}, "KiB": {"data", 1 << 10}, "MiB": {"data", 1 << 20}, "GiB": {"data", 1 << 30}, "TiB": {"data", 1 << 40},
	"Gi": {"data", 1 << 30}, "Mi": {"data", 1 << 20}, "gb": {"data", 1e9}, "mb": {"data", 1e6}, "kb": {"data", 1e3}, "tb": {"data", 1e12},
}

// unitOf returns the unit that a word names, or nil.
func unitOf(word string) *unit {
	u, ok := units[word]
	if !ok {
		u, ok = units[strings.ToLower(word)]
	}
	if !ok || word == "" {
		return nil
	}
	return &u
}
