package finding

import "testing"

func TestCompareUnits_FindsAnotherQuantity(t *testing.T) {
	t.Parallel()
	checkKind(t, "unit", Look, []contradiction{
		{"Order 3 t of gravel", `{"quantity":300,"unit":"kg"}`, "/quantity"},
		{"Order 3 t of gravel", `{"quantity":3,"unit":"kg"}`, "/quantity"},
		{"Give 5 mcg", `{"dose":5,"unit":"mg"}`, "/dose"},
		{"Gib 0,5 g Ceftriaxon", `{"dosis":"50 mg"}`, "/dosis"},
		{"Couper 3 m de câble", `{"longueur_mm":300}`, "/longueur_mm"},
		{"Fill 20 litres", `{"volume_ml":2000}`, "/volume_ml"},
		{"Wait 5 minutes", `{"timeout_ms":5000}`, "/timeout_ms"},
		{"Limit of 3 kW", `{"limit":3,"unit":"MW"}`, "/limit"},
		{"Pedir 2 toneladas", `{"cantidad":2,"unidad":"kg"}`, "/cantidad"},
		{"Raise it from 50 mcg to 75 mcg", `{"dose":75,"unit":"mg"}`, "/dose"},
		{"Заказать 3 т песка", `{"quantity":300,"unit":"kg"}`, "/quantity"},
	}, [][2]string{
		{"Order 3 t of gravel", `{"quantity":3000,"unit":"kg"}`},
		{"Order 3 t of gravel", `{"quantity":3,"unit":"t"}`},
		{"Order 2,5 t Zement", `{"menge":2500,"einheit":"kg"}`},
		{"Cut 3.60 m", `{"length_mm":3600}`},
		{"Within 20 km, 300 kg", `{"quantity":300,"unit":"kg"}`},
		{"Wait 5 minutes, logs of the last 2 hours", `{"timeout_s":300}`},
		{"Logs of the last 2 hours", `{"timeout_s":30}`},
		{"At 15 m/s", `{"length":4,"unit":"m"}`},
		{"5 mg per kg", `{"weight":70,"unit":"kg"}`},
		{"A disk of 2 TB", `{"size_gb":2048}`},
		{"A disk of 2 TB", `{"size_gb":2000}`},
		{"1.5 lbs of salt", `{"weight_kg":0.68}`},
		{"20 °C at 3 m", `{"unit":"celsius","value":20}`},
		{"3 boxes of 12 kg", `{"boxes":3,"weight_kg":36,"box_kg":12}`},
		{"1 200 kg de farine", `{"poids":"1,2 t"}`},
		{"٣ kg", `{"weight_kg":3}`},
		{"In 3 m high rooms", `{"price_min":5}`},
	})
}

func TestCompareUnits_NamesTheOneWithTheSameDigits(t *testing.T) {
	t.Parallel()
	found := compareReason(t, "Raise it from 50 mcg to 75 mcg", `{"dose":{"value":75,"unit":"mg"}}`)
	if len(found) != 1 || found[0].There != "75 mcg" || found[0].Here != "75 mg" || found[0].Says != "“dose value” differs from the reason" {
		t.Errorf("found %+v, want 75 mcg and the name of the dose", found)
	}
}
