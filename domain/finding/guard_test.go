package finding

import "testing"

func TestDiff_LooksAtAGoneCheck(t *testing.T) {
	t.Parallel()
	const says = "A check is removed, and the reason does not say so"
	expectSamples(t, findDiffs, Look, []sample{
		{args: patch("-import \"logrus\"", "+import \"slog\"", "-\tif !h.policy.MayRefund(ctx, order) {", "-\t\treturn", "-\t}"), says: says},
		{args: patch("-node: 20", "+node: 22", "-      - run: npm run verify-signatures"), says: says},
		{args: patch("-    if not user.is_admin():", "-        raise Forbidden()", "+    log(user)"), says: says},
		{args: patch("-  validateAmount(amount)", "+  save(amount)"), says: says},
		{args: patch("-  hmac.compare(a, b);", "+  let x = 1;"), says: says},
		{args: patch("-sha256sum --check SUMS || verify(SUMS)", "+tar -x"), says: says},
		{args: patch("-mfa_required: true", "+theme: dark"), says: says},
		{args: replaced("a = 1\nif (isAllowed(u)) {\n  go()\n}", "a = 2\ngo()"), says: says},
	})
	for _, reason := range []string{"Remove the old check", "Le contrôle est supprimé", "Move the permission check into a middleware", "The policy is applied in the gateway now"} {
		r := requestOf(t, "call", patch("-a = 1", "+a = 2", "-if !policy.MayRefund(x) {", "-}"))
		r.Reason = reason
		if found := foundIn(t, findDiffs, r); len(found) > 0 {
			t.Errorf("%s: found %+v", reason, found)
		}
	}
	expectNothing(t, findDiffs, []string{
		patch("-if user.isAdmin() {", "+if user.isAdmin() && isOpen {"),
		patch("-validate(a)", "+validateAll(a, b)", "+validate(b)"),
		patch("-// verify this", "+// look at this"),
		patch("-import { verify } from './x'", "+import y from './y'"),
		patch("-const a = require('a')", "+import a from 'a'"),
		patch("-verify(a)", "-verify(b)"),
		patch("-total = 1", "+total = 2"),
		patch("+verify(a)"),
		patch("-You may leave now.", "+You can leave now."),
		replaced("Our policy (see above) holds.", "It holds."),
		replaced("Die Prüfung entfällt", "Die Prüfung gilt"),
		replaced("اسمح له", "لا"),
	})
}
