package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"countersign/domain"
	"countersign/static"
	"countersign/web/api"
	"countersign/web/mcp"
	"countersign/web/route"
)

// addRoutes registers every address except those of the JSON interface, which
// api.Mount adds.
func (s *Server) addRoutes() {
	add, page, form, draft := s.table.Add, s.page, s.form, s.draftForm
	auditor := route.Capability(domain.TraceRead)
	readsRoles, editsRoles := route.Capability(domain.RoleRead, domain.RoleModify), route.Capability(domain.RoleModify)
	readsUsers, editsUsers := route.Capability(domain.UserRead, domain.UserModify), route.Capability(domain.UserModify)
	readsDestinations, editsDestinations := route.Capability(domain.DestinationRead, domain.DestinationModify), route.Capability(domain.DestinationModify)
	readsPolicies, editsPolicies := route.Capability(domain.PolicyRead, domain.PolicyModify), route.Capability(domain.PolicyModify)
	readsKeys, editsKeys := route.Capability(domain.KeyRead, domain.KeyModify), route.Capability(domain.KeyModify)

	page("/", route.Known, s.home)
	page("/confirms", route.Known, s.inbox)
	page("/confirms/:id", route.Known, s.confirm)
	page("/confirms/:id/content", route.Known, s.confirmContent)
	draft("/confirms/:id/decision", route.Capability(domain.ConfirmApprove, domain.ConfirmReject), s.decide, s.renderDecisionDraft)
	draft("/confirms/:id/cancel", route.Known, s.cancelConfirm, s.renderCancelDraft)

	page("/plans", route.Known, s.plans)
	page("/plans/:id", route.Known, s.plan)
	form("/plans/:id/propose", route.Capability(domain.PlanPropose), s.proposePlan)
	draft("/plans/:id/cancel", route.Capability(domain.PlanCreate, domain.PlanExecute, domain.ConfirmReject), s.cancelPlan, s.renderPlanCancelDraft)

	page("/contexts", route.Known, s.contexts)
	page("/contexts/:id", route.Capability(domain.ContextRead, domain.ContextModify), s.context)

	page("/roles", readsRoles, s.roles)
	page("/roles/new", editsRoles, s.newRole)
	page("/roles/:id", readsRoles, s.role)
	draft("/roles", editsRoles, s.createRole, s.renderNewRoleDraft)
	draft("/roles/:id", editsRoles, s.updateRole, s.showRole)
	form("/roles/:id/delete", editsRoles, s.deleteRole)

	page("/users", readsUsers, s.users)
	page("/users/:id", readsUsers, s.user)
	draft("/users", editsUsers, s.inviteUser, s.renderInviteDraft)
	draft("/users/:id/roles", editsUsers, s.assignRoles, s.renderUserDraft)
	form("/users/:id/reset", editsUsers, s.resetUser)
	form("/users/:id/disable", editsUsers, s.userAction("user-disabled", s.svc.DisableUser))
	form("/users/:id/enable", editsUsers, s.userAction("user-enabled", s.svc.EnableUser))
	form("/users/:id/sessions", editsUsers, s.userAction("sessions-ended", s.svc.EndSessions))

	page("/connect", editsKeys, s.connect)
	page("/keys", readsKeys, s.keys)
	draft("/keys", editsKeys, s.createKey, s.renderKeyDraft)
	form("/keys/:id/revoke", editsKeys, s.revokeKey)

	page("/destinations", readsDestinations, s.destinations)
	page("/destinations/new", editsDestinations, s.newDestination)
	page("/destinations/:id", readsDestinations, s.destination)
	draft("/destinations", editsDestinations, s.createDestination, s.renderNewDestinationDraft)
	draft("/destinations/:id", editsDestinations, s.updateDestination, s.renderDestinationDraft)
	form("/destinations/:id/test", editsDestinations, s.testDestination)
	form("/destinations/:id/key", editsDestinations, s.rotateDestinationKey)
	form("/destinations/:id/enable", editsDestinations, s.destinationAction("destination-enabled", s.svc.EnableDestination))
	form("/destinations/:id/disable", editsDestinations, s.destinationAction("destination-disabled", s.svc.DisableDestination))
	form("/destinations/:id/delete", editsDestinations, s.destinationAction("destination-deleted", s.svc.DeleteDestination))
	page("/deliveries", readsDestinations, s.deliveries)
	form("/deliveries/:id/retry", editsDestinations, s.retryDelivery)

	page("/policies", readsPolicies, s.policies)
	page("/policies/new", editsPolicies, s.newPolicy)
	page("/policies/:id", readsPolicies, s.policy)
	draft("/policies", editsPolicies, s.savePolicy, s.renderPolicyDraft)
	draft("/policies/:id", editsPolicies, s.savePolicy, s.renderPolicyDraft)
	draft("/policies/try", editsPolicies, s.tryPolicy, s.renderPolicyDraft)
	form("/policies/:id/enable", editsPolicies, s.policyAction("policy-enabled", s.svc.EnablePolicy))
	form("/policies/:id/disable", editsPolicies, s.policyAction("policy-disabled", s.svc.DisablePolicy))

	page("/log", auditor, s.log)
	page("/traces/:id", auditor, s.trace)
	page("/evidence", auditor, s.evidence)
	page("/evidence/checkpoint.txt", auditor, s.checkpoint)
	form("/evidence/verify", auditor, s.verifyNow)
	page("/evidence/confirms", route.Known, s.bundle)
	page("/evidence/confirms/:id", route.Known, s.bundle)

	page("/account", route.Known, s.account)
	form("/account/password", route.Known, s.changePassword)
	form("/account/shortcuts", route.Known, s.setShortcuts)
	form("/account/sessions/:id/end", route.Known, s.endSession)

	page(waitingPath, route.Known, s.showWaiting)
	add(http.MethodGet, livePath, route.Known, s.live)
	add(http.MethodPost, "/logout", route.Known, s.logout)
	add(http.MethodGet, "/login", route.Public, s.loginPage)
	add(http.MethodPost, "/login", route.Public, s.limitLargeForms(s.login))
	for _, path := range []string{"/setup", "/password"} {
		add(http.MethodGet, path, route.Public, s.linkPage)
		add(http.MethodPost, path, route.Public, s.limitLargeForms(s.useLink))
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		add(method, healthPath, route.Public, s.health)
		add(method, readyPath, route.Public, s.readiness)
		add(method, static.Prefix+"*", route.Public, echo.WrapHandler(s.assets))
		add(method, static.ClientsPrefix+"*", route.Public, echo.WrapHandler(static.Clients()))
	}
	add(http.MethodPost, mcp.Path, route.Known, mcp.Handler(mcp.Options{Service: s.svc, API: s}))
	api.Mount(s.table, api.Options{Service: s.svc, Logger: s.logger, Waiting: s.waiting})
}

// page registers a page of a signed-in user.
func (s *Server) page(path string, needs route.Needs, handle func(*visit) error) {
	s.table.Add(http.MethodGet, path, needs, func(c echo.Context) error {
		v, err := s.visit(c)
		if err != nil {
			return err
		}
		return handle(v)
	})
}

// form registers what a signed-in user's form is posted to.
func (s *Server) form(path string, needs route.Needs, handle func(*visit) error) {
	s.table.Add(http.MethodPost, path, needs, func(c echo.Context) error {
		render := s.drafts[path]
		v, err := s.visit(c)
		if render != nil && domain.ErrorCode(err) == domain.CodeUnauthenticated {
			return s.limitLargeForms(s.saveDraft)(c)
		} else if err != nil {
			return err
		}
		release, err := s.readForm(v)
		if err != nil {
			return err
		}
		defer release()
		if !v.hasCurrentToken() {
			return s.staleTokenForm(v, render)
		}
		return handle(v)
	})
}

// draftForm registers a form with words in it that are worth keeping: render
// shows them again if the session was over when the form was sent.
func (s *Server) draftForm(path string, needs route.Needs, handle func(*visit) error, render renderDraft) {
	s.drafts[path] = render
	s.form(path, needs, handle)
}
