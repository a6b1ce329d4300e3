package finding

import "testing"

func TestCompareCurrencies_FindsAnotherOne(t *testing.T) {
	t.Parallel()
	checkKind(t, "sum", Look, []contradiction{
		{"Pay 12,000 CHF for the hall", `{"amount":12000,"currency":"EUR"}`, "/currency"},
		{"Zahle 12.000 CHF an", `{"betrag":"12000.00","waehrung":"EUR"}`, "/waehrung"},
		{"Refund €49.90", `{"amount_minor":4990,"currency":"usd"}`, "/currency"},
		{"Pay 300 GBP", `{"payment":{"amount":"300.00"},"currency":"EUR"}`, "/currency"},
		{"Pagar 450 euros", `{"importe":450,"moneda":"USD"}`, "/moneda"},
		{"Transfer 900 SEK", `{"amount":"900 NOK"}`, "/amount"},
		{"Transfer 900 SEK", `{"amount_nok":900}`, "/amount_nok"},
		{"Zapłać 250 zł", `{"amount":250,"currency":"EUR"}`, "/currency"},
	}, [][2]string{
		{"Pay 12,000 CHF", `{"amount":12000,"currency":"CHF"}`},
		{"Pay 12,000 CHF from the EUR account", `{"amount":12000,"currency":"EUR"}`},
		{"Convert 500 USD to EUR", `{"amount":500,"currency":"EUR"}`},
		{"Pay $300", `{"amount":300,"currency":"CAD"}`},
		{"Pay €300", `{"amount":300,"currency":"eur"}`},
		{"Pay 300 GBP", `{"amount":300}`},
		{"Pay 300 GBP", `{"amount":300,"currency":"pounds"}`},
		{"Buy 300 shares of VWCE", `{"amount":300,"currency":"EUR"}`},
		{"Pay 300 EUR", `{"rows":[{"amount":300,"currency":"EUR"},{"amount":200,"currency":"USD"}]}`},
		{"Payer 1 200 € à", `{"montant":"1200,00","devise":"EUR"}`},
		{"12% of the EUR fund", `{"share":12,"currency":"USD"}`},
		{"5 €", `{"count":5,"currency":""}`},
	})
}
