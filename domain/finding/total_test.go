package finding

import "testing"

func TestTotals_LooksAtWhatLinesDoNotAddUpTo(t *testing.T) {
	t.Parallel()
	expectSamples(t, findTotals, Look, []sample{
		{args: `{"lines":[{"quantity":16,"unit_price":"262.00"},{"quantity":8,"unit_price":"500.00"}],"total":"18192.00"}`, says: "“total” is not"},
		{args: `{"items":[{"qty":2,"price":10}],"net_total":200}`, says: "“net_total” is not"},
		{args: `{"order":{"items":[{"qty":2,"price":10}],"total":2}}`, says: "“total” is not"},
		{args: `{"positionen":[{"menge":3,"preis":5}],"summe":150}`, says: "“summe” is not"},
		{args: `{"lignes":[{"quantité":3,"prix":5}],"total":51}`, says: "“total” is not"},
		{args: `{"righe":[{"count":3,"prezzo":5}],"totale":"51"}`, says: "“totale” is not"},
		{args: `[{"items":[{"qty":2,"price":10}],"total":20},{"items":[{"qty":2,"price":10}],"total":40}]`, says: "“total” is not"},
		{args: `{"items":[{"qty":1,"price":0.5}],"total":5}`, says: "“total” is not"},
	})
	expectNothing(t, findTotals, []string{
		`{"lines":[{"quantity":16,"unit_price":"262.00"},{"quantity":8,"unit_price":"500.00"}],"total":"8192.00"}`,
		`{"items":[{"qty":2,"price":10}],"total":23.8}`,
		`{"items":[{"qty":2,"price":10}],"shipping":30,"total":50}`,
		`{"items":[{"qty":2,"price":10,"discount":5}],"total":10}`,
		`{"items":[{"qty":2,"price":10}],"total_minor":2000}`,
		`{"items":[{"qty":2}],"total":50}`,
		`{"items":[{"qty":2,"price":10}],"total":50,"grand_total":60}`,
		`{"items":[{"qty":2,"price":10}],"other":[{"qty":2,"price":10}],"total":400}`,
		`{"items":["a"],"total":50}`,
		`{"items":[{"qty":2,"price":"10,00"}],"total":"50,00"}`,
		`{"items":[{"qty":2,"price":10,"line_total":20}],"total":50}`,
		`{"items":[],"total":0}`,
	})
}
