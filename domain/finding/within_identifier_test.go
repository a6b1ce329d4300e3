package finding

import "testing"

func TestCompareIdentifiersWithin_FindsSwappedNeighbours(t *testing.T) {
	t.Parallel()
	checkKind(t, "number", Look, []contradiction{
		{"Refund order 88-2041 and tell them", `{"order":"88-2041","subject":"Your refund for order 88-2014"}`, "/subject"},
		{"Refund 88-2041", `{"order":"88-2041","subject":"Your refund for order 88-2014","zbody":"For 88-2014 we refund it"}`, "/subject"},
		{"Close ticket AB-120345", `{"id":"AB-120345","text":"We closed your ticket AB-120354 today"}`, "/text"},
		{"Rechnung RE-20931 stornieren", `{"nr":"RE-20931","text":"Ihre Rechnung RE-29031 ist storniert, danke"}`, "/text"},
		{"Commande CF778120", `{"id":"CF778120","message":"Votre commande CF778210 est partie hier"}`, "/message"},
		{"Pedido P-551290", `{"id":"P-551290","cuerpo":"Su pedido P-552190 sale hoy mismo"}`, "/cuerpo"},
		{"Patient P-449201 goes home", `{"id":"P-449201","letter":"For patient P-494201 we found nothing"}`, "/letter"},
		{"Deploy build 4f3a9912", `{"build":"4f3a9912","note":"Build 4f3a9921 is out for everybody"}`, "/note"},
		{"订单 AB120345", `{"id":"AB120345","text":"order AB120354 has been sent"}`, "/text"},
	}, [][2]string{
		{"Refund order 88-2041", `{"order":"88-2041","subject":"Your refund for order 88-2041"}`},
		{"Orders 88-2041 and 88-2014", `{"order":"88-2041","subject":"Your order 88-2014 is here"}`},
		{"Refund order 88-2041", `{"order":"88-2041","subject":"It replaces order 88-2042"}`},
		{"Refund order 88-2041", `{"order":"88-2041","subject":"Call +49 30 901820 for help"}`},
		{"In 2026-11", `{"text":"as in 2062-11 or so"}`},
		{"Ticket 12345", `{"text":"the ticket 12435 of others","n":"12345"}`},
		{"Close it", `{"text":"We closed AB-120354"}`},
		{"Pay 1,204.50 EUR", `{"amount":1204.5,"currency":"EUR","text":"as in 1,240.50 pieces"}`},
		{"At 10:30", `{"text":"At 10:03"}`},
		{"Version 10.20.30", `{"text":"Version 10.02.30 of it"}`},
		{"الطلب AB120345", `{"id":"AB120345","text":"AB120345"}`},
		{"Order AB120345", `{"text":"for BA120345X it is","id":"AB120345"}`},
	})
}
