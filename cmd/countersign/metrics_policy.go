package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"countersign/domain"
	"countersign/domain/policy"
)

// addPolicies adds the metrics of policies and votes.
func (m *metrics) addPolicies(svc *domain.Service) {
	count := func(name, help string, labels prometheus.Labels, value func(domain.PolicyMetrics) int64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(value(svc.PolicyMetrics())) }))
	}
	const matches, matched = "countersign_policy_matches_total", "Policies that matched a request that was posted here."
	count(matches, matched, prometheus.Labels{"effect": string(policy.Require)}, func(p domain.PolicyMetrics) int64 { return p.Required })
	count(matches, matched, prometheus.Labels{"effect": string(policy.Reject)}, func(p domain.PolicyMetrics) int64 { return p.Rejected })
	count("countersign_policy_unknown_total", "Conditions of policies that could not be computed, and counted as matching.", nil,
		func(p domain.PolicyMetrics) int64 { return p.Unknown })
	count("countersign_votes_total", "Decisions of people on requests with a quorum.", nil, func(p domain.PolicyMetrics) int64 { return p.Votes })
}
