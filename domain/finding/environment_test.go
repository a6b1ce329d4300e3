package finding

import "testing"

func TestCompareEnvironments_FindsProduction(t *testing.T) {
	t.Parallel()
	checkKind(t, "environment", Stop, []contradiction{
		{"Reset the staging database", `{"host":"db-1.prod.internal"}`, "/host"},
		{"Clear the cache on test.", `{"environment":"production"}`, "/environment"},
		{"Drop the tables in the dev environment", `{"command":"psql -h prod-db-2 -c 'drop table x'"}`, "/command"},
		{"Try it in the sandbox", `{"url":"https://api.live.example.com/v1"}`, "/url"},
		{"Lösche die Daten in der Testumgebung", `{"pfad":"/srv/prod/daten"}`, "/pfad"},
		{"Purger la file en recette", `{"file":"commandes-production"}`, "/file"},
		{"Borrar los datos en la base de pruebas; entorno pruebas en pruebas.", `{"db":"prod"}`, "/db"},
		{"On staging, not on production", `{"cluster":"prodCluster"}`, "/cluster"},
		{"测试环境 の再起動", `{"name":"app-prod"}`, "/name"},
		{"Rebuild the pre-prod index", `{"index":"orders_live"}`, "/index"},
	}, [][2]string{
		{"Reset the staging database", `{"host":"db-1.staging.internal"}`},
		{"Promote from staging to production", `{"host":"db-1.prod.internal"}`},
		{"Passed on staging", `{"cluster":"prod-eu"}`},
		{"Run the test suite", `{"host":"prod-1"}`},
		{"The dev team asked for it", `{"host":"prod-1"}`},
		{"On staging: update the product page", `{"path":"/product/12"}`},
		{"On staging: answer the live chat", `{"queue":"live-chat"}`},
		{"In the sandbox: register livestock", `{"type":"livestock-delivery"}`},
		{"Move pallets to the staging area", `{"order":"production-17","host":"prod-9"}`},
		{"Test order for the sandbox", `{"line":"production-line-3"}`},
		{"Refresh the staging database", `{"source":"prod-db","target":"staging-db"}`},
		{"Auf dem Testsystem: Produktion geht morgen weiter", `{"host":"prod-1"}`},
		{"In the sandbox", `{"text":"This goes live on Monday, production follows."}`},
		{"In the sandbox", `{"to":"production@example.com"}`},
		{"En recette", `{"hote":"preprod-2","nom":"non-prod"}`},
		{"في sandbox", `{"name":"reproduction-delivery"}`},
		{"Get the sandbox ready", `{"department":"production"}`},
	})
}

func TestCompareEnvironments_QuotesTheLine(t *testing.T) {
	t.Parallel()
	found := compareReason(t, "Recycle the nodes of staging", `{"script":"#!/bin/sh\nset -eu\nCONTEXT=prod-fra1\nkubectl drain\n"}`)
	if len(found) != 1 || found[0].Here != "CONTEXT=prod-fra1" {
		t.Errorf("found %+v, want the line with the context", found)
	}
}
