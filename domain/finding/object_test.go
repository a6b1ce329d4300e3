package finding

import "testing"

func TestCompareObjects_FindsANameWithoutItsEnd(t *testing.T) {
	t.Parallel()
	checkKind(t, "object", Look, []contradiction{
		{"Drop the table orders_2025_tmp of last night", `{"statement":"DROP TABLE sales.orders_2025"}`, "/statement"},
		{"Drop orders_2025_tmp.", `{"table":"orders_2025"}`, "/table"},
		{"Empty customer_import_test", `{"sql":"TRUNCATE customer_import"}`, "/sql"},
		{"Lösche den Zweig release-2025-probe", `{"zweig":"release-2025"}`, "/zweig"},
		{"Supprimer la table ventes_2024_copie", `{"sql":"DROP TABLE ventes_2024"}`, "/sql"},
		{"Read invoice_lines", `{"table":"invoice_lines_archive"}`, "/table"},
		{"Borrar clientes_viejos_2", `{"tabla":"clientes_viejos"}`, "/tabla"},
		{"テーブル orders_2025_tmp を削除", `{"table":"orders_2025"}`, "/table"},
	}, [][2]string{
		{"Drop orders_2025_tmp", `{"table":"orders_2025_tmp"}`},
		{"Drop orders_2025_tmp", `{"statement":"DROP TABLE sales.ORDERS_2025_TMP"}`},
		{"Copy orders_2025 to orders_2025_tmp", `{"from":"orders_2025","to":"orders_2025_tmp"}`},
		{"Restore orders_2025 from orders_2025_tmp after the failure", `{"target":"orders_2025"}`},
		{"A well-known follow-up of the check-in", `{"note":"well-known-thing"}`},
		{"Drop the copy", `{"table":"orders_2025"}`},
		{"Set max_connections", `{"name":"max_locks"}`},
		{"Ticket OPS-3391", `{"ticket":"OPS"}`},
		{"A two-year plan", `{"plan":"two-year-plan-2"}`},
		{"Use gpt-4-mini", `{"model":"gpt-4"}`},
		{"In 2025_26", `{"period":"2025"}`},
		{"جدول orders_2025", `{"table":"orders_2025"}`},
	})
}
