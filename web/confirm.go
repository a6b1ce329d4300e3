package web

import "net/url"

func confirmPath(id string) string { return inboxPath + "/" + url.PathEscape(id) }
