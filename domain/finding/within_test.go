package finding

import "testing"

func TestCompareWithin_FindsAnotherUnit(t *testing.T) {
	t.Parallel()
	checkKind(t, "unit", Look, []contradiction{
		{"Remove entries older than 2 years", `{"query":"DELETE FROM e WHERE at < now() - interval '2 days'"}`, "/query"},
		{"Supprimer ce qui a plus de 6 mois", `{"sql":"DELETE FROM e WHERE at < now() - interval '6 days'"}`, "/sql"},
		{"Lösche, was älter als 3 Jahre ist", `{"sql":"DELETE FROM e WHERE at < now() - interval '3 months'"}`, "/sql"},
		{"Keep the last 14 days", `{"command":"prune --keep '14 hours' --all"}`, "/command"},
		{"Wait 30 minutes before each step", `{"script":"set -eu\nsleep 30 s\necho done"}`, "/script"},
		{"Dilute 5 mg in the bag", `{"instructions":"Dilute 5 g in 100 ml of saline"}`, "/instructions"},
		{"Conservar 5 años", `{"sql":"SELECT prune(interval '5 days')"}`, "/sql"},
		{"Rotate at 10 MB", `{"config":"rotate at 10 GB\nkeep all"}`, "/config"},
	}, [][2]string{
		{"Remove entries older than 2 years", `{"query":"DELETE FROM e WHERE at < now() - interval '2 years'"}`},
		{"Remove entries older than 2 years", `{"query":"DELETE FROM e WHERE at < now() - interval '24 months' AND n > 2"}`},
		{"Remove entries older than 2 years", `{"older_than_days":730,"command":"sleep 2 s"}`},
		{"Remove entries older than 2 years", `{"years":2,"note":"waits 2 seconds"}`},
		{"Remove entries older than 2 years, 2 days at a time", `{"query":"interval '2 days'"}`},
		{"Keep 30 days", `{"command":"prune --keep 30d --timeout '30 s'"}`},
		{"The outage lasted 3 hours", `{"text":"Sorry for the 3 hours without service"}`},
		{"Walk 3 km", `{"note":"3 kg of flour"}`},
		{"12 hours ago", `{"body":"In 24 hours"}`},
		{"Cut 2 m", `{"note":"2 min later"}`},
		{"Nach 5 Tagen", `{"text":"5 x täglich, 7 Tage"}`},
		{"بعد 3 days", `{"text":"3 أيام"}`},
	})
}

func TestCompareWithin_FindsSwappedDigits(t *testing.T) {
	t.Parallel()
	checkKind(t, "number", Look, []contradiction{
		{"Customer 88123 has moved", `{"sql":"UPDATE c SET city = 'Graz' WHERE id = 88132"}`, "/sql"},
		{"Klient 4512 się przeprowadził", `{"sql":"UPDATE c SET x = 1 WHERE id = 4521"}`, "/sql"},
		{"Ship 1250 pieces", `{"note":"please ship 1520 pieces"}`, "/note"},
		{"Kunde 70331 kündigt", `{"befehl":"konto sperren --kunde 70313"}`, "/befehl"},
		{"Le client 9931 part", `{"script":"set -e\nclose 9391\n"}`, "/script"},
		{"Cerrar la cuenta 55012", `{"sql":"DELETE FROM t WHERE id = 55102"}`, "/sql"},
		{"Close 2 340 of them", `{"command":"close --limit 2430"}`, "/command"},
		{"关闭 88123", `{"sql":"DELETE FROM t WHERE id = 88132"}`, "/sql"},
	}, [][2]string{
		{"Customer 88123 has moved", `{"sql":"UPDATE c SET city = 'Graz' WHERE id = 88123"}`},
		{"Customers 88123 and 88132 are one", `{"sql":"DELETE FROM c WHERE id = 88132"}`},
		{"Order 123", `{"sql":"SELECT 132"}`},
		{"In 2026", `{"note":"as in 2062-01-01"}`},
		{"Ticket OPS-3391", `{"text":"see OPS-3412"}`},
		{"5000 rows", `{"sql":"SELECT 1 LIMIT 500"}`},
		{"At 10:30 and v1.2.3", `{"note":"at 13:00"}`},
		{"Zip 12345", `{"note":"Zip 54321"}`},
		{"About 30 percent of 4000", `{"note":"of 3400"}`},
		{"Pay 1,234 EUR", `{"amount":1234,"note":"order 1324 paid"}`},
		{"Since May 2025", `{"note":"since 2052"}`},
		{"رقم 12", `{"note":"a 21"}`},
	})
}
