package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"unicode"

	"countersign/domain"
	"countersign/views"
)

var roleList = command{
	name: "role list", about: "Lists the roles with their capabilities.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				roles, err := svc.Roles(ctx, domain.System)
				if err != nil {
					return err
				}
				rows := [][]string{{"NAME", "CAPABILITIES"}}
				for _, r := range roles {
					rows = append(rows, []string{r.Name, capabilities(r)})
				}
				return c.table(rows)
			})
		}
	},
}

var roleShow = command{
	name: "role show", names: []string{"NAME"}, about: "Shows a role and who holds it. NAME is its name or id.",
	setup: func(*flag.FlagSet) action {
		return func(ctx context.Context, c *call) error {
			return c.service(ctx, func(svc *domain.Service) error {
				r, use, err := svc.Role(ctx, domain.System, c.names[0])
				if err != nil {
					return err
				}
				return c.table([][]string{
					{"name", r.Name},
					{"id", r.ID},
					{"description", r.Description},
					{"capabilities", capabilities(r)},
					{"users", holders(use.Users)},
					{"keys", holders(use.Keys)},
					{"pending requests that require it", fmt.Sprint(use.Confirms)},
					{"enabled policies", holders(use.Policies)},
				})
			})
		}
	},
}

var roleSet = command{
	name: "role set", names: []string{"NAME"}, flags: "--capability C…",
	about: "Gives a role exactly these capabilities. It creates the role if no role has this name or id.",
	setup: func(f *flag.FlagSet) action {
		var granted list
		f.Var(&granted, "capability", "a capability `C`: resource.action, resource.* or *; repeat for several")
		return func(ctx context.Context, c *call) error {
			if len(granted) == 0 {
				return usageErrorf("--capability is missing")
			}
			return c.service(ctx, func(svc *domain.Service) error { return setRole(ctx, svc, c.names[0], granted) })
		}
	},
}

func setRole(ctx context.Context, svc *domain.Service, name string, granted []string) error {
	role, _, err := svc.Role(ctx, domain.System, name)
	switch domain.ErrorCode(err) {
	case domain.CodeNotFound:
		_, err = svc.CreateRole(ctx, domain.System, domain.RoleInput{Name: name, Capabilities: granted})
		return err
	case "":
		_, err = svc.UpdateRole(ctx, domain.System, role.ID, domain.RoleInput{
			Name: role.Name, Description: role.Description, Capabilities: granted, Locked: role.Locked,
		})
	}
	return err
}

func holders(list []domain.Holder) string {
	words := make([]string, len(list))
	for i, h := range list {
		words[i] = h.Name
	}
	return strings.Join(words, " ")
}

func capabilities(r *domain.Role) string {
	words := make([]string, len(r.Capabilities))
	for i, c := range r.Capabilities {
		words[i] = string(c)
	}
	return strings.Join(words, " ")
}

// roleNames returns a function from a role's id to its name.
func roleNames(ctx context.Context, svc *domain.Service) (func(ids []string) string, error) {
	roles, err := svc.Roles(ctx, domain.System)
	names := map[string]string{}
	for _, r := range roles {
		names[r.ID] = r.Name
	}
	return func(ids []string) string {
		words := make([]string, len(ids))
		for i, id := range ids {
			words[i] = names[id]
		}
		return strings.Join(words, " ")
	}, err
}

// printable removes control sequences from text that others wrote, and marks
// look-alike characters in it.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, views.Marked(text))
}
