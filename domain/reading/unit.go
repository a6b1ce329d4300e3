package reading

// units are the units that end the name of a member, such as size_bytes.
var units = map[string]string{
	"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "ms": "ms", "millis": "ms", "milliseconds": "ms",
	"minutes": "min", "mins": "min", "hours": "h", "hrs": "h", "days": "d", "weeks": "weeks", "months": "months", "years": "years",
	"bytes": "B", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB", "kib": "KiB", "mib": "MiB", "gib": "GiB",
	"g": "g", "grams": "g", "kg": "kg", "kgs": "kg", "mg": "mg", "tonnes": "t", "tons": "t", "lb": "lb", "lbs": "lb",
	"mm": "mm", "cm": "cm", "km": "km", "meters": "m", "metres": "m", "miles": "miles",
	"ml": "ml", "litres": "l", "liters": "l", "percent": "%", "pct": "%", "kw": "kW", "kwh": "kWh", "mw": "MW", "mwh": "MWh",
	"celsius": "°C", "bar": "bar", "px": "px", "rpm": "rpm", "hz": "Hz",
}

// unitOf returns the unit that a name ends with, or "".
func unitOf(words []string) string {
	if len(words) < 2 && (len(words) == 0 || len(words[0]) < 5) {
		return "" // a lone s, g or bar is a name
	}
	return units[last(words)]
}
