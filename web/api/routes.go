package api

import (
	"net/http"

	"countersign/domain"
	"countersign/web/route"
)

// addRoutes registers every address of the interface. Creating handlers take
// from the rate limit of their key. A route that is only Known leaves the rule
// to the use case: the requester of an object needs no capability to end it.
func (a *api) addRoutes(t *route.Table) {
	add := func(method, path string, needs route.Needs, h handler) { t.Add(method, prefix+path, needs, a.guard(h)) }
	get := func(path string, needs route.Needs, h handler) { add(http.MethodGet, path, needs, h) }
	put := func(path string, needs route.Needs, h handler) { add(http.MethodPut, path, needs, h) }
	post := func(path string, needs route.Needs, h handler) { add(http.MethodPost, path, needs, h) }
	patch := func(path string, needs route.Needs, h handler) { add(http.MethodPatch, path, needs, h) }

	auditor := route.Capability(domain.TraceRead)
	decides := route.Capability(domain.ConfirmApprove, domain.ConfirmReject)
	createsPlans, executes := route.Capability(domain.PlanCreate), route.Capability(domain.PlanExecute)
	readsContexts, editsContexts := route.Capability(domain.ContextRead, domain.ContextModify), route.Capability(domain.ContextModify)
	readsRoles, editsRoles := route.Capability(domain.RoleRead, domain.RoleModify), route.Capability(domain.RoleModify)

	post("/confirms", route.Capability(domain.ConfirmRequest, domain.PlanPropose, domain.PlanExecute, domain.ContextModify), a.rateLimited(a.postConfirm))
	get("/confirms", route.Known, a.listConfirms)
	get("/confirms/:id", route.Known, a.getConfirm)
	patch("/confirms/:id", decides, a.patchConfirm)
	post("/confirms/:id/decisions", decides, a.postDecision)
	post("/confirms/:id/cancel", route.Known, a.cancelConfirm)
	get("/confirms/:id/outcome", route.Known, a.getOutcome)

	post("/native/:format", executes, a.rateLimited(a.askNative))

	post("/approvals", route.Capability(domain.ConfirmRequest, domain.PlanExecute, domain.PlanPropose), a.rateLimited(a.postApproval))
	get("/approvals/:key", route.Known, a.getApproval)
	post("/approvals/:key", decides, a.decideApproval)
	get("/sessions/:session_id/events", route.Known, a.followSession)
	get("/sessions/:session_id/ws", route.Known, a.openSocket)

	post("/plans", createsPlans, a.rateLimited(a.postPlan))
	get("/plans", route.Known, a.listPlans)
	get("/plans/:id", route.Known, a.getPlan)
	put("/plans/:id", createsPlans, a.rateLimited(a.putPlan))
	post("/plans/:id/propose", route.Capability(domain.PlanPropose), a.rateLimited(a.proposePlan))
	post("/plans/:id/cancel", route.Known, a.cancelPlan)
	post("/plans/:id/start", executes, a.rateLimited(movePlan(a.service.StartPlan)))
	post("/plans/:id/complete", executes, a.rateLimited(movePlan(a.service.CompletePlan)))
	post("/plans/:id/fail", executes, a.rateLimited(movePlan(a.service.FailPlan)))
	patch("/plans/:id/steps/:step_id", executes, a.rateLimited(a.patchStep))
	get("/gate", executes, a.getGate)
	post("/gate/consume", executes, a.consume)

	post("/contexts", editsContexts, a.rateLimited(a.postContext))
	get("/contexts", route.Known, a.listContexts)
	get("/contexts/:id", readsContexts, a.getContext)
	put("/contexts/:id", editsContexts, a.rateLimited(a.putContext))

	post("/traces", executes, a.rateLimited(a.postTrace))
	get("/traces", route.Known, a.listTraces)
	get("/traces/:id", route.Known, a.getTrace)

	post("/roles", editsRoles, a.rateLimited(a.postRole))
	get("/roles", readsRoles, a.listRoles)
	get("/roles/:id", readsRoles, a.getRole)
	put("/roles/:id", editsRoles, a.rateLimited(a.putRole))
	add(http.MethodDelete, "/roles/:id", editsRoles, a.deleteRole)
	get("/roles/:id/can", route.Known, a.can)

	get("/events", auditor, a.getEvents)
	get("/learning-samples", auditor, a.getLearningSamples)
	get("/evidence/checkpoint", auditor, a.getCheckpoint)
	get("/evidence/consistency", auditor, a.getConsistency)
	get("/evidence/keys", auditor, a.getEvidenceKeys)
	get("/evidence/confirms/:id", route.Known, a.getConfirmBundle)
	post("/validate/:type", route.Known, a.requirePrincipal(a.validate))
	t.Add(http.MethodGet, prefix+"/openapi.yaml", route.Public, getOpenAPI)
}
