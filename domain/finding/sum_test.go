package finding

import "testing"

func TestCompareSums_FindsAnother(t *testing.T) {
	t.Parallel()
	checkKind(t, "sum", Look, []contradiction{
		{"Refund 49.90 EUR", `{"amount":94.90}`, "/amount"},
		{"Überweise 1.500,00 €", `{"betrag":"1.050,00"}`, "/betrag"},
		{"Pay $1,200 to the plumber", `{"total":{"price":12000}}`, "/total/price"},
		{"Virement de 1 250,75 €", `{"montant":1520.75}`, "/montant"},
		{"Transferir 2.340 EUR", `{"importe":2430}`, "/importe"},
		{"ادفع ١٢٥٠ درهم", `{"amount":1520}`, "/amount"},
		{"Raise the budget to 2 million USD", `{"budget":20000000}`, "/budget"},
		{"CHF 1'000.50 for March", `{"amount_cents":1000500}`, "/amount_cents"},
		{"Between us: 300 EUR, or 350 EUR with tax", `{"amount":530}`, "/amount"},
		{"5万円を振り込む", `{"amount":500000}`, "/amount"},
	}, [][2]string{
		{"Pay 4,420.00 EUR", `{"amount":4420,"currency":"EUR","cost_center":"4240"}`},
		{"Refund 49.90 EUR", `{"amount":49.9}`},
		{"Refund 49.90 EUR", `{"amount_minor":4990}`},
		{"Refund 49,90 EUR", `{"amount":"49.90"}`},
		{"Überweise 1.500,00 €", `{"betrag":"1500"}`},
		{"CHF 1'000.50", `{"amount":1000.50}`},
		{"1 000,50 € à payer", `{"montant":1000.5}`},
		{"ادفع ١٬٢٥٠٫٥٠ درهم", `{"amount":1250.5}`},
		{"Of 500 EUR pay 300 EUR", `{"amount":300}`},
		{"3 nights at 145 EUR, 435 EUR", `{"price":145,"nights":3}`},
		{"435 EUR for 3 nights", `{"price":145,"nights":3}`},
		{"100 EUR in two parts", `{"parts":[{"amount":60},{"amount":40}]}`},
		{"The customer paid 49.90 EUR and waits since May", `{"to":"x","priority":2}`},
		{"Withdraw 1/3 of the 900 EUR deposit", `{"amount":300}`},
		{"Pay 1,920 EUR without 20% VAT", `{"net_price":1600}`},
		{"Die Hälfte von 250 EUR", `{"betrag":125}`},
		{"5k USD", `{"amount":5000}`},
		{"1.2 million dollars", `{"amount":1200000}`},
		{"₹1,00,000 now", `{"amount":100000}`},
		{"Pay £20 to £30", `{"price":"20-30 GBP"}`},
		{"Rabais de 5 % sur 18.400 EUR", `{"montant":"18.400"}`},
		{"ชำระ 500 บาท", `{"amount":500}`},
	})
}
