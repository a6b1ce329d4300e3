package finding

import "testing"

func TestCompareNumbers_FindsMovedAndSwapped(t *testing.T) {
	t.Parallel()
	checkKind(t, "number", Look, []contradiction{
		{"Scale to 24 replicas", `{"replicas":240}`, "/replicas"},
		{"Scale to 24 replicas", `{"replicas":42}`, "/replicas"},
		{"Delete the 1,250 oldest rows", `{"limit":12500}`, "/limit"},
		{"Lösche die 1.250 ältesten Zeilen", `{"anzahl":"1520"}`, "/anzahl"},
		{"Envoyer à 8 200 abonnés", `{"total":82000}`, "/total"},
		{"Set the gain to 12.5", `{"gain":125}`, "/gain"},
		{"Ajustar a 12,5", `{"valor_medio":15.2}`, "/valor_medio"},
		{"زيادة العدد إلى ٣٢٠", `{"count":230}`, "/count"},
		{"作業者を350人に", `{"workers":3500}`, "/workers"},
		{"Send to 15k people", `{"people":150000}`, "/people"},
	}, [][2]string{
		{"Scale to 24 replicas", `{"replicas":24}`},
		{"Rate of 15%", `{"rate":0.15,"other":1.5}`},
		{"Rate of 15 percent", `{"rate":51}`},
		{"Taux de 15 %", `{"n":150}`},
		{"On 12 May", `{"n":21}`},
		{"Am 12. Mai", `{"n":21}`},
		{"Since 12/05/2026", `{"n":21}`},
		{"Version 12 and v1.20", `{"n":120}`},
		{"At 12:30 and at 10 pm", `{"n":100}`},
		{"Within 25 km", `{"radius_m":25000}`},
		{"From 100 to 150", `{"limit":150,"page_size":1000}`},
		{"From 20 to 200", `{"n":200}`},
		{"The 12 hosts of the list", `{"hosts":["a","b","c","d","e","f","g","h","i","j","k","l"],"retries":120}`},
		{"12.500 Stück", `{"menge":12.5}`},
		{"12,500 pieces", `{"n":12500}`},
		{"12 500 pièces", `{"n":12500}`},
		{"4021 8876 31 calls", `{"n":13}`},
		{"the 21st and the 45th", `{"n":12,"m":54}`},
		{"between 10-20 and 1/50", `{"n":100,"m":500}`},
		{"Room B12, gate-24", `{"n":21,"m":240}`},
		{"بنسبة ١٥٪", `{"n":150}`},
		{"第12号", `{"n":21}`},
		{"50 cents", `{"amount":0.5,"n":2}`},
	})
}
