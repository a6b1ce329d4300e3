package finding

import "testing"

func TestCompareVersions_FindsAnotherOne(t *testing.T) {
	t.Parallel()
	checkKind(t, "version", Look, []contradiction{
		{"Roll back to 4.18.2", `{"service":"checkout","version":"4.12.8"}`, "/version"},
		{"Errors since 4.19.0; roll back to 4.18.2.", `{"version":"4.12.8","replicas":3}`, "/version"},
		{"Deploy v2.0.1", `{"image":{"name":"api","tag":"v2.1.0"}}`, "/image/tag"},
		{"Auf 3.4.5 aktualisieren", `{"zielVersion":"3.5.4"}`, "/zielVersion"},
		{"Passer à la version 1.2.3-rc.1", `{"release":"1.2.4-rc.1"}`, "/release"},
		{"Checkout 10.0.3", `{"git_ref":"v10.3.0"}`, "/git_ref"},
		{"Instalar 5.6.7", `{"chart_version":"5.7.6"}`, "/chart_version"},
		{"升级到 1.8.0", `{"version":"1.0.8"}`, "/version"},
	}, [][2]string{
		{"Roll back to 4.18.2", `{"version":"4.18.2"}`},
		{"Roll back to 4.18.2", `{"version":"v4.18.2"}`},
		{"Roll back to 4.18.2", `{"image":"api:4.18.2","api_version":"1.0.0"}`},
		{"Roll back to 4.18.2", `{"from_version":"4.19.0","to_version":"4.12.8"}`},
		{"Roll back to 4.18.2", `{"version":"4.18.2-build.7"}`},
		{"Deploy the new release", `{"version":"4.12.8"}`},
		{"Node 22 fixes it", `{"version":"22.1.0"}`},
		{"Ping 10.0.3.4 and 10.0.3", `{"address":"10.9.3.9"}`},
		{"On 24.12.2026", `{"version":"1.2.3"}`},
		{"Upgrade 1.2.3", `{"version":"latest"}`},
		{"Upgrade 1.2.3", `{"config_version":7}`},
		{"باستخدام 1.2.3", `{"url":"https://x.example/1.2.4"}`},
	})
}

func TestCompareVersions_NamesTheOneThatShallCome(t *testing.T) {
	t.Parallel()
	found := compareReason(t, "Errors rose after 4.19.0 went out. Roll back to 4.18.2.", `{"version":"4.12.8"}`)
	if len(found) != 1 || found[0].There != "4.18.2" {
		t.Errorf("found %+v, want 4.18.2", found)
	}
}
