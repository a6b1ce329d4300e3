// Package storetest is the contract of domain.Store as tests: every backend
// passes Run on a real database.
package storetest
