package finding

import "countersign/domain/reading"

// findIBAN reports IBANs whose check digits do not fit: a digit is wrong or two changed
// places.
func findIBAN(r *Request, report func(Finding)) {
	eachString(r, func(action int, v reading.Value) {
		if len(v.Text) < 60 && reading.HasWrongCheckDigits(memberName(v.Pointer), v.Text) {
			report(Finding{Kind: "iban", Level: Look, Action: action, Pointer: v.Pointer, Says: "The check digits of this IBAN are wrong", Here: shortened(v.Text)})
		}
	})
}
