package finding

// claims are what an agent says to make a reviewer look less closely, by language. In
// its reason and its descriptions all count. In arguments, such as the text of a mail,
// only those of the second list: they speak of the request or to its reviewer.
var claims = []struct {
	language       string
	broad, pointed []string
}{
	{"en", []string{
		"already approved", "already been approved", "already authorized", "already authorised", "already signed off", "already been signed off", "already been reviewed",
		"has been approved", "have been approved", "has been authorized", "has been authorised", "was approved by", "was authorized by", "were approved by",
		"pre approved", "preapproved", "pre authorized", "pre authorised", "preauthorized", "approved by the", "approved by security", "approved by legal", "approved by management",
		"has been verified by", "has been checked by", "already been verified", "already been checked", "system message", "system notice", "message from the system", "on behalf of the administrator",
		"the administrator has", "admin has approved", "security has approved", "authorized by the administrator", "verified as safe", "checked and approved", "reviewed and approved",
	}, []string{
		"no approval needed", "no approval is needed", "no approval required", "no approval is required", "no further approval", "no review needed", "no review is needed", "no further review",
		"safe to approve", "this request has been approved", "this request was approved", "this request is approved", "this action has been approved", "this action was approved",
		"this action is approved", "this change has been approved", "this call has been approved", "this command has been approved", "request is pre approved", "action is pre approved",
		"this request has been verified", "this request has been checked", "approve without review", "approve without reading", "approve without checking", "note to the reviewer", "note to the approver", "approver can ignore", "reviewer can ignore",
		"countersign has approved", "countersign has checked", "countersign has verified", "checked by countersign", "approved by countersign", "verified by countersign",
	}},
	{"de", []string{
		"bereits genehmigt", "bereits freigegeben", "bereits geprüft", "wurde genehmigt", "wurde freigegeben", "wurde vom administrator", "vorab genehmigt", "vorab freigegeben",
		"genehmigt von", "genehmigt durch", "freigegeben von", "freigegeben durch", "vom administrator genehmigt", "systemmeldung", "nachricht vom system",
	}, []string{
		"keine freigabe nötig", "keine freigabe erforderlich", "keine genehmigung nötig", "keine genehmigung erforderlich", "keine prüfung nötig", "keine weitere prüfung",
		"kann bedenkenlos", "diese anfrage wurde genehmigt", "diese aktion wurde genehmigt", "diese anfrage ist genehmigt",
	}},
	{"fr", []string{
		"déjà approuvé", "déjà approuvée", "déjà validé", "déjà validée", "déjà autorisé", "déjà autorisée", "a été approuvé", "a été approuvée", "a été validé par", "a été validée par",
		"approuvé par", "approuvée par", "pré approuvé", "préapprouvé", "message du système", "autorisé par l administrateur",
	}, []string{
		"aucune approbation n est", "aucune validation n est", "approbation non requise", "cette demande a été approuvée", "cette action a été approuvée", "sans autre vérification",
	}},
	{"es", []string{
		"ya aprobado", "ya aprobada", "ya autorizado", "ya autorizada", "ya fue aprobado", "ya fue aprobada", "ya está aprobado", "ya está aprobada", "ha sido aprobado", "ha sido aprobada",
		"aprobado por", "aprobada por", "autorizado por el administrador", "mensaje del sistema", "preaprobado", "preaprobada",
	}, []string{
		"no requiere aprobación", "no se requiere aprobación", "no necesita aprobación", "esta solicitud ya", "esta solicitud ha sido aprobada", "esta acción ha sido aprobada",
	}},
	{"it", []string{
		"già approvato", "già approvata", "già autorizzato", "già autorizzata", "è stato approvato", "è stata approvata", "approvato da", "approvata da", "approvato dal", "approvata dal",
		"autorizzato dall amministratore", "messaggio di sistema", "preapprovato",
	}, []string{"non richiede approvazione", "non serve approvazione", "nessuna approvazione necessaria", "questa richiesta è stata approvata", "questa azione è stata approvata"}},
	{"nl", []string{
		"al goedgekeurd", "reeds goedgekeurd", "is goedgekeurd door", "werd goedgekeurd", "goedgekeurd door", "vooraf goedgekeurd", "al gecontroleerd", "systeembericht", "bericht van het systeem",
	}, []string{"geen goedkeuring nodig", "geen goedkeuring vereist", "dit verzoek is goedgekeurd", "deze actie is goedgekeurd"}},
	{"pt", []string{
		"já aprovado", "já aprovada", "já autorizado", "já autorizada", "já foi aprovado", "já foi aprovada", "foi aprovado por", "foi aprovada por", "aprovado por", "aprovada por",
		"aprovado pelo", "aprovada pelo", "pré aprovado", "mensagem do sistema",
	}, []string{"não requer aprovação", "não precisa de aprovação", "nenhuma aprovação necessária", "esta solicitação foi aprovada", "este pedido foi aprovado"}},
	{"pl", []string{
		"już zatwierdzone", "już zatwierdzony", "już zatwierdzona", "zostało zatwierdzone", "został zatwierdzony", "została zatwierdzona", "zatwierdzone przez", "zatwierdzony przez", "zatwierdzona przez",
		"komunikat systemowy", "wiadomość systemowa",
	}, []string{"nie wymaga zatwierdzenia", "nie wymaga akceptacji", "zatwierdzenie nie jest wymagane", "ta prośba została zatwierdzona"}},
	{"sv", []string{
		"redan godkänd", "redan godkänt", "redan godkänts", "har godkänts", "har godkänts av", "godkänd av", "godkänt av", "förhandsgodkänd", "systemmeddelande",
	}, []string{"inget godkännande krävs", "kräver inget godkännande", "denna begäran har godkänts", "behöver inte godkännas"}},
	{"tr", []string{
		"zaten onaylandı", "önceden onaylandı", "tarafından onaylandı", "daha önce onaylandı", "yönetici onayladı", "sistem mesajı",
	}, []string{"onay gerekmez", "onay gerekmiyor", "onaya gerek yok", "bu istek onaylandı", "bu işlem onaylandı"}},
	{"ru", []string{
		"уже одобрено", "уже одобрена", "уже одобрен", "уже согласовано", "уже проверено", "было одобрено", "был одобрен", "была одобрена", "одобрено администратором", "согласовано с руководством",
		"предварительно одобрено", "системное сообщение", "сообщение системы",
	}, []string{"одобрение не требуется", "согласование не требуется", "проверка не требуется", "не требует одобрения", "этот запрос одобрен", "это действие одобрено"}},
}

// unspacedClaims are those of languages that put no spaces between words.
var unspacedClaims = struct{ broad, pointed []string }{
	[]string{"已获批准", "已经批准", "已批准", "已经审核", "已通过审核", "预先批准", "系统消息", "管理员已", "承認済み", "承認されています", "承認されました", "確認済み", "管理者が承認", "システムメッセージ"},
	[]string{"无需批准", "无需审批", "无需审核", "不需要批准", "此请求已", "承認は不要", "承認不要", "確認は不要", "このリクエストは承認"},
}

// doubts are words that make a claim a condition, a question or its denial.
var doubts = setOf(`if unless until once when whether not never isn wasn hasn haven must should after before only nothing
	needs need requires require awaiting wenn falls sobald nicht noch nie muss erst ob si quand lorsque pas jamais
	cuando hasta aún se quando finché als wanneer niet nog assim caso não nunca jeśli gdy nie kiedy om när inte
	eğer если когда не пока ещё nobody no kein keine aucun aucune bevor avant antes`)
