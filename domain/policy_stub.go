package domain

import "countersign/domain/policy"

func (s *Service) countMatches(*policy.Resolution) {}
func (s *Service) countVote()                      {}
