// Package dag orders and draws the dependency graph of a plan.
//
// A graph is nodes numbered from zero and edges from a node to one that
// depends on it. Layout computes a drawing that reads from left to right; it
// knows nothing of steps, SVG or text, only sizes. The same graph always gives
// the same drawing, so a page that refreshes itself does not jump.
//
// The drawing is made in phases, one file each:
//
//	rank     a layer (column) for each node, so that edges point right
//	net      long edges become chains of bends, one in each layer they pass;
//	         the very longest take a lane instead
//	arrange  the order within each layer, for few crossings
//	place    the vertical position of nodes and bends
//	lane     lanes above and below everything else
//	pack     the parts of a disconnected graph, side by side and in rows
//	route    the way points of each edge
//
// Edges that leave or reach the same node share their bends or their lane: a
// step that a hundred others wait for has one trunk, not a hundred lines.
// Lanes are what keeps time and memory linear: bends are counted against
// Options.MaxBends, and a lane costs the same however far it runs.
package dag
