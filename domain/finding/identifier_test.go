package finding

import "testing"

func TestCompareIdentifiers_FindsAnother(t *testing.T) {
	t.Parallel()
	checkKind(t, "identifier", Stop, []contradiction{
		{"Pay the supplier at 4021 8876 31.", `{"account":"4021 8867 31"}`, "/account"},
		{"Überweisung an DE89 3704 0044 0532 0130 00", `{"iban":"DE12500105170648489890"}`, "/iban"},
		{"Deploy 9f3c2ab14d to the cluster", `{"commit":"9f3c2ab14e"}`, "/commit"},
		{"Refund order PO-88123", `{"order":"PO-88132","text":"refund"}`, "/order"},
		{"Virer sur le compte FR14 2004 1010 0505 0001 3M02 606", `{"iban":"FR7630006000011234567890189"}`, "/iban"},
		{"Close account 771204.", `{"account":{"number":"558812"},"account_id":"771240"}`, "/account_id"},
		{"ادفع إلى الحساب ٤٠٢١٨٨٧٦٣١", `{"account":"4021886731"}`, "/account"},
		{"Ship to customer 100482, order 88-1120", `{"customer_id":100428,"order":"881120"}`, "/customer_id"},
		{"Assume arn:aws:iam::123456789012:role/deploy", `{"role":"arn:aws:iam::123456789021:role/deploy"}`, "/role"},
	}, [][2]string{
		{"Pay the supplier at 4021 8876 31.", `{"account":"4021887631"}`},
		{"Pay the supplier at 4021.8876.31", `{"account":"4021-8876-31"}`},
		{"Ticket 482913: reset the account", `{"account":"771204"}`},
		{"Send report Q1-2026 and budget2025", `{"file":"budget2026"}`},
		{"Replaces order 100234", `{"order":"100235"}`},
		{"Like the previous invoice INV-20417, for May", `{"invoice":"INV-20418"}`},
		{"Run on 2026-03-04", `{"date":"2026-03-05"}`},
		{"Am 04.03.2026 um 10:30", `{"datum":"05.03.2026"}`},
		{"A budget of 150000 EUR", `{"budget":"150000","code":"4711"}`},
		{"Move 100482 to 100517", `{"from":"100482","to":"100517"}`},
		{"Season 2023-2024", `{"season":"2024-2025"}`},
		{"Commande 88-4417 pour le client 904417", `{"client":"904417"}`},
		{"الطلب ١٠٠٤٨٢", `{"order":"100482"}`},
		{"Position 48.208174 north", `{"lat":"48.208176"}`},
		{"Read /srv/app/20260304/out.log", `{"path":"/srv/app/20260304/out.log"}`},
		{"Release build 20417 to 1,234,567 users", `{"users":"7654321"}`},
		{"Write to anna1234@example.org", `{"to":"anna1243@example.org"}`},
		{"Rechnung 118120 an Kunde 558231", `{"text":"Ihre Rechnung 118120","kunde":"558231"}`},
		{"注文100482を返金", `{"order":"100482"}`},
	})
}
