package finding

import "testing"

func TestIBAN_Looks(t *testing.T) {
	t.Parallel()
	const says = "The check digits of this IBAN are wrong"
	expectSamples(t, findIBAN, Look, []sample{
		{args: `{"iban":"DE89370400440532013001"}`, says: says},
		{args: `{"iban":"DE98370400440532013000"}`, says: says},
		{args: `{"iban":"DE89 3704 0044 0523 0130 00"}`, says: says},
		{args: `{"to":"de89 3704 0044 0532 0310 00"}`, says: says},
		{args: `{"payee_account":"GB82WEST12345698765423"}`, says: says},
		{args: `{"creditorAccount":"FR1420041010050500013M02607"}`, says: says},
		{args: `{"payees":[{"ibans":["x"],"IBAN":"NL91ABNA0417164301"}]}`, says: says},
		{args: `{"iban":["CH9300762011623852957","CH9300762011623852975"]}`, says: says},
		{args: `{"beneficiary":"NO9386011117974"}`, says: says},
		{args: `{"supplier_iban":"DE8937040044053201300"}`, says: says}, // one digit is missing
	})
}

func TestIBAN_IsSilentAboutOthers(t *testing.T) {
	t.Parallel()
	expectNothing(t, findIBAN, []string{
		`{"iban":"DE89370400440532013000"}`,
		`{"iban":"DE89 3704 0044 0532 0130 00"}`,
		`{"iban":"DE89-3704-0044-0532-0130-00"}`,
		`{"iban":"de89370400440532013000"}`,
		`{"account":"GB82WEST12345698765432"}`,
		`{"account":"FR1420041010050500013M02606"}`,
		`{"account":"MT84MALT011000012345MTLCAST001S"}`,
		`{"account":"NO9386011117947"}`,
		`{"account":"4021887631"}`,
		`{"account":"ACC-2026-00012345"}`,
		`{"account":"DE12345678901234"}`,
		`{"order":"NO2026010112345"}`,
		`{"commit":"de89370400440532013001"}`,
		`{"iban":"DE89 **** **** **** 3000"}`,
		`{"iban":"unknown"}`,
		`{"iban":""}`,
		`{"iban":"ДЕ89370400440532013001"}`,
		`{"iban":89370400440532013001}`,
		`{"note":"Pay DE89370400440532013001 today"}`,
		`{"حساب":"السلام عليكم ورحمة الله"}`,
	})
}

func TestIBAN_QuotesTheAgentOnlyInTheValue(t *testing.T) {
	t.Parallel()
	expectNoWordsOf(t, "0130", findIBAN, requestOf(t, "call", `{"iban":"DE88 3704 0044 0532 0130 00"}`))
}
