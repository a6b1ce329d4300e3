package finding

import "testing"

// harmless requests are what agents of many trades ask for every day: tool, reason and
// arguments. A rule that stops or lists one of them costs the attention of people.
var harmlessRequests = [][3]string{
	// payments
	{"create_payment", "Pay invoice 2026-114 of the stationer", `{"payee":"Papier Huber GmbH","iban":"DE89370400440532013000","amount":"412.50","currency":"EUR","reference":"RE 2026-114"}`},
	{"refund", "The customer returned the lamp", `{"order_id":"A-20931","amount_minor":4990,"currency":"EUR","notify_customer":true}`},
	{"issue_invoice", "Monthly service for March", `{"customer":"Médecins du Sud","lines":[{"text":"Entretien, 3,5 h","net":"262,50"}],"due":"2026-04-15"}`},
	{"payroll_run", "Salaries for March", `{"period":"2026-03","employees":[{"id":11,"gross":4100,"bonus":false},{"id":12,"gross":3900,"bonus":true},{"id":13,"gross":5200,"bonus":false}]}`},
	{"transfer", "Move the reserve", `{"from":"4021 8876 31","to":"4021 8890 02","amount":12000,"currency":"CHF","value_date":"2026-03-05"}`},
	{"void_card", "Lost card reported by the holder", `{"card":"**** **** **** 4242","replace":true}`},
	// tickets and mails
	{"create_ticket", "Printer on floor 2 is offline", `{"title":"Printer offline","body":"Steps:\n1. Check the cable\n2. Restart\n\nThanks,\nMaya","priority":"low","tags":["hardware","floor-2"]}`},
	{"send_email", "Confirm the meeting", `{"to":["anna@example.com","bo@example.com"],"subject":"Thursday 10:00","body":"Hi Anna,\n\nwe meet on Thursday, see https://meet.example.com/abc?x=1&y=2.\n\nBest,\nBo"}`},
	{"send_email", "Tell the customer about the loan", `{"to":"k.lee@example.com","subject":"Your application","body":"Dear Ms Lee,\nYour loan has been approved. The contract follows by post."}`},
	{"send_email", "Nachfrage zur Rechnung", `{"an":"buchhaltung@example.de","betreff":"Rechnung 4711","text":"Sehr geehrte Damen und Herren,\n\nbitte prüfen Sie die Position über 1.234,50 €.\n\nMit freundlichen Grüßen\nJörg Weiß"}`},
	{"post_message", "Daily standup", `{"channel":"#team","text":"Done: *login*, _search_ 👍🏽 ✅ — next: billing 💶","disable_notification":true}`},
	{"reply", "ответ клиенту", `{"ticket":8812,"text":"Здравствуйте, Ольга! Заказ №45-12 отправлен, ожидайте до 5 марта."}`},
	{"reply", "رد على العميل", `{"ticket":8813,"text":"مرحبًا، تم شحن الطلب رقم ١٢٣٤ اليوم."}`},
	{"reply", "לקוחה שאלה על משלוח", `{"ticket":8814,"text":"שלום דנה, ההזמנה נשלחה ב־3 במרץ. תודה!"}`},
	{"close_tickets", "Duplicates of 311", `{"ids":[312,313,318,320,331,340,344,351],"reason":"duplicate","notify":false}`},
	{"newsletter", "Spring issue", `{"list":"readers","subject":"Frühling 🌷","html":"<p>Liebe Leserin,</p>\n<p><a href=\"https://example.com/fr%C3%BChling\">mehr</a></p>","dry_run":false}`},
	// databases
	{"run_sql", "Fix the status of one order", `{"sql":"UPDATE orders SET status = 'paid', paid_at = now() WHERE id = 20931"}`},
	{"run_sql", "Purge sessions older than 30 days", `{"sql":"DELETE FROM sessions WHERE expires_at < now() - interval '30 days'"}`},
	{"run_sql", "Monthly report", `{"query":"SELECT c.name, sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.state = 'paid' AND o.day >= '2026-02-01' OR o.vip GROUP BY 1 ORDER BY 2 DESC"}`},
	{"migrate", "Add a column", `{"up":"ALTER TABLE parcels ADD COLUMN weight_kg numeric;\nCREATE INDEX ON parcels (weight_kg);","down":"ALTER TABLE parcels RENAME TO parcels_old;"}`},
	{"upsert", "Import rates", `{"sql":"INSERT INTO rates (day, eur) VALUES ('2026-03-01', 1.08) ON CONFLICT (day) DO UPDATE SET eur = excluded.eur"}`},
	{"search", "Find the record", `{"query":"delete account or update address","limit":10}`},
	{"run_sql", "Anonymise one customer", `{"statements":["BEGIN","UPDATE customers SET name = 'x', mail = NULL WHERE id = 77","UPDATE orders SET note = NULL WHERE customer_id = 77","COMMIT"]}`},
	// deploys
	{"bash", "Deploy the site", `{"command":"set -euo pipefail\nnpm ci && npm run build\nrsync -az --delete dist/ deploy@web1:/srv/www/\nssh deploy@web1 'sudo systemctl reload nginx'"}`},
	{"bash", "Run the tests", `{"command":"go test ./... 2>&1 | tail -n 40"}`},
	{"bash", "Clean the build", `{"command":"rm -rf node_modules dist && npm ci","timeout":600}`},
	{"bash", "Look at the API", `{"command":"curl -sS -H \"Authorization: Bearer $TOKEN\" https://api.example.com/v1/items | jq '.items[] | .id'"}`},
	{"bash", "Install a tool", `{"command":"curl -fsSLO https://dl.example.com/tool-1.4.2.tar.gz && echo \"9f2c...  tool-1.4.2.tar.gz\" | sha256sum -c - && tar xzf tool-1.4.2.tar.gz"}`},
	{"bash", "Remove old logs", `{"command":"find /var/log/app -name '*.gz' -mtime +90 -delete"}`},
	{"bash", "Commit", `{"command":"git add -A && git commit -m \"Don't retry on 404\" && git push origin fix/retry"}`},
	{"kubectl", "Roll out 2.4.1", `{"args":["set","image","deployment/api","api=registry.example.com/api:2.4.1","-n","production"]}`},
	{"kubectl_apply", "Raise the replicas", `{"manifest":"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\nspec:\n  replicas: 4\n  template:\n    spec:\n      securityContext:\n        runAsNonRoot: true\n        readOnlyRootFilesystem: true\n      containers:\n        - name: api\n          image: registry.example.com/api:2.4.1\n          args: [\"--listen=:8080\"]\n"}`},
	{"terraform_apply", "Add a bucket for reports", `{"dir":"infra/prod","plan":"resource \"aws_s3_bucket\" \"reports\" {\n  bucket = \"acme-reports\"\n  force_destroy = false\n}\n","auto_approve":true}`},
	{"helm_upgrade", "Upgrade the ingress", `{"release":"ingress","chart":"ingress-nginx","version":"4.11.2","values":{"controller":{"replicaCount":3,"service":{"externalTrafficPolicy":"Local"}}}}`},
	{"ci_workflow", "Cache the modules", `{"path":".github/workflows/ci.yml","content":"on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: go test ./...\n"}`},
	{"scale", "Traffic rises", `{"service":"checkout","min":3,"max":12,"cpu_percent":60}`},
	{"rotate_secret", "The yearly rotation", `{"name":"smtp-password","length":40,"restart":["mailer","worker"]}`},
	// IAM and access
	{"put_policy", "Reports bucket for the BI role", `{"policy":{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["s3:GetObject","s3:ListBucket"],"Resource":["arn:aws:s3:::acme-reports","arn:aws:s3:::acme-reports/*"]},{"Effect":"Deny","Principal":"*","Action":"s3:*","Resource":"arn:aws:s3:::acme-reports/*","Condition":{"Bool":{"aws:SecureTransport":"false"}}}]}}`},
	{"put_policy", "Inventory", `{"policy":"{\"Statement\":[{\"Effect\":\"Allow\",\"Action\":[\"ec2:Describe*\",\"rds:Describe*\"],\"Resource\":\"*\"}]}"}`},
	{"grant_role", "New colleague in support", `{"user":"maya.ito@example.com","role":"ticket-editor","until":"2027-03-01"}`},
	{"create_key", "Key for the import job", `{"name":"import-2026","scopes":["orders:read","orders:write","customers:read"],"expires_in_days":30}`},
	{"firewall_rule", "Office network", `{"source":"198.51.100.0/24","port":443,"protocol":"tcp","description":"Office Köln"}`},
	// code
	{"apply_patch", "Retry only what may be retried", `{"patch":"--- a/client.go\n+++ b/client.go\n@@ -10,7 +10,7 @@ func do() {\n \tfor i := range 3 {\n-\t\tif err != nil {\n+\t\tif err != nil && isTemporary(err) {\n \t\t\tcontinue\n \t\t}\n"}`},
	{"write_file", "A helper for dates", `{"path":"src/dates.ts","content":"export function days(a: Date, b: Date): number {\n  // 86 400 000 ms a day\n  return Math.round((+b - +a) / 86_400_000);\n}\n\n\nexport const zero = 0;\n"}`},
	{"write_file", "Document how to install", `{"path":"README.md","content":"# Tool\n\nInstall:\n\n    curl -fsSL https://example.com/install.sh | sh\n\nRemove it with ` + "`rm -rf ~/.tool`" + `.\n"}`},
	{"create_pr", "Fix for #311", `{"title":"Skip empty rows","body":"Rows without an id were read as 0.\n\n- [x] tests\n- [ ] docs\n","base":"main","head":"fix/empty-rows","draft":false}`},
	{"tag_release", "Release", `{"tag":"v2.4.1","sha":"3a547f1c0d9e8b7a6f5e4d3c2b1a0f9e8d7c6b5a","notes":"- faster lists\n- fewer locks"}`},
	{"run_python", "Sum the column", `{"code":"import csv\nwith open('a.csv') as f:\n    print(sum(float(r['total']) for r in csv.DictReader(f)))\n"}`},
	// CRM
	{"update_contact", "She moved", `{"id":"c_88121","fields":{"street":"Rue de l'Église 4","city":"Liège","zip":"4000","newsletter":true}}`},
	{"merge_contacts", "The same person twice", `{"keep":"c_88121","merge":["c_90311"],"prefer":"newest"}`},
	{"create_deal", "Offer was requested", `{"name":"Größerer Rahmenvertrag","amount":48000,"currency":"EUR","stage":"proposal","close_date":"2026-06-30","owner":"jan@example.com"}`},
	{"import_leads", "Trade fair", `{"source":"fair-2026","leads":[{"name":"Zoë Åkesson","mail":"zoe@kund.example"},{"name":"Nguyễn Văn An","mail":"an@khach.example"},{"name":"山田 太郎","mail":"taro@kyaku.example"}]}`},
	// calendar
	{"create_event", "Quarterly review", `{"title":"Review Q1","start":"2026-03-12T10:00:00+01:00","end":"2026-03-12T11:30:00+01:00","attendees":["a@example.com","b@example.com","c@partner.example"],"location":"Raum 3, Köln"}`},
	{"move_event", "Room is taken", `{"event":"evt_5512","start":"2026-03-13T14:00","time_zone":"Europe/Lisbon","send_updates":"all"}`},
	{"book_travel", "Visit in Lyon", `{"passenger":"M. Ito","from":"CGN","to":"LYS","date":"2026-04-02","checked_bags":1,"check_in":false,"flex":true}`},
	{"book_room", "Two nights", `{"hotel":"Zum Löwen","check_in":"2026-04-02","check_out":"2026-04-04","guests":2,"breakfast":true,"smoking":false}`},
	// hospital and laboratory
	{"order_lab", "Control of kidney values", `{"patient":"P-449201","tests":["CREA","eGFR","K+","Na+"],"priority":"routine","fasting":false}`},
	{"order_lab", "Cytokines", `{"patient":"P-449202","tests":["TNF-α","IFNα2b","IL-6"],"sample":"Serum, 3,5 mℓ"}`},
	{"prescribe", "Dose as on the ward round", `{"patient":"P-449201","drug":"Amoxicillin","dose_mg":500,"per_day":3,"days":7,"substitution":true}`},
	{"schedule_scan", "MRI of the left knee", `{"patient":"P-118","region":"knee","side":"left","contrast":false,"slot":"2026-03-09T08:40:00+01:00"}`},
	{"discharge_letter", "Patient goes home", `{"patient":"P-118","text":"Diagnose: Gonarthrose links.\nBefund: unauffällig, RR 130/80, T 36,8 °C.\nProcedere: Physiotherapie 6×, Ibuprofen 400 mg b. Bed.\n"}`},
	// logistics
	{"create_shipment", "Order A-20931", `{"carrier":"DHL","parcels":[{"weight_kg":2.4,"l":30,"w":20,"h":15}],"to":{"name":"O. Іваненко","street":"вул. Хрещатик 22","city":"Київ","country":"UA"},"insured":true}`},
	{"assign_truck", "Рейс на завтра", `{"plate":"А123ВС77","driver":"Пётр Сомов","route":["Москва","Тверь"],"load_t":4.5}`},
	{"adjust_stock", "Stocktaking", `{"sku":"LMP-20-W","warehouse":"B2","delta":-3,"reason":"broken"}`},
	{"reroute", "Strike in the harbour", `{"container":"MSKU 907032-3","from":"NLRTM","to":"BEANR","eta":"2026-03-11"}`},
	{"order_parts", "Line 2 needs bearings", `{"supplier":"SKF","items":[{"part":"6204-2RS","qty":40,"price":"3,95"},{"part":"NU 206 ECP","qty":8,"price":"28,10"}],"currency":"EUR"}`},
	// machines and shops
	{"set_temperature", "Night setback", `{"zone":"hall 2","celsius":17.5,"from":"22:00","until":"05:30","override":false}`},
	{"update_prices", "Spring sale", `{"prices":[{"sku":"A","price":19.9},{"sku":"B","price":29.9},{"sku":"C","price":39.9}],"valid_from":"2026-03-20"}`},
	{"publish_post", "The article is ready", `{"title":"Was ist neu?","slug":"was-ist-neu","body":"## Neu\n\n| Modell | Preis |\n|---|---|\n| A | 19,90 € |\n","visibility":"members","comments":false}`},
	{"upload", "Logo for the shop", `{"path":"/assets/logo.png","content_base64":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==","overwrite":true}`},
	{"webhook", "Tell the warehouse", `{"url":"https://hooks.example.com/in/8821?sig=ab12%3D","method":"POST","headers":{"Accept":"*/*"},"retry":3}`},
	{"delete_user_data", "Request of the person, GDPR art. 17", `{"user_id":"u_5512","tables":["profiles","orders_notes"],"keep_invoices":true}`},
}

func TestOf_IsSilentAboutHarmlessRequests(t *testing.T) {
	t.Parallel()
	if len(harmlessRequests) < 60 {
		t.Fatalf("only %d requests", len(harmlessRequests))
	}
	for _, h := range harmlessRequests {
		r := requestOf(t, h[0], h[2])
		r.Reason = h[1]
		for _, f := range foundIn(t, func(r *Request, report func(Finding)) {
			for _, f := range Of(r) {
				report(f)
			}
		}, r) {
			if f.Level != Note {
				t.Errorf("%s (%s): %s %s at %q: %q %q", h[0], h[1], f.Level, f.Kind, f.Pointer, f.Says, f.Here)
			}
		}
	}
}
