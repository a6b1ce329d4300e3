package dag

// draw fills in the centres and routes of a drawing whose blocks are packed.
func (n *net) draw(d *Drawing, blocks []*block) {
	d.Centres = make([]Point, len(d.Layers))
	d.Routes = make([][]Point, len(n.edges))
	for _, b := range blocks {
		for _, v := range b.nodes {
			c := b.columns[n.vertices[v].layer]
			d.Centres[v] = b.point(c.left+c.width/2, n.vertices[v].y)
		}
		for _, e := range b.edges {
			d.Routes[e] = n.route(b, n.edges[e])
		}
	}
}

// route is the way of one edge: level through the columns, from one height to
// another only between them, where there is nothing to run into.
func (n *net) route(b *block, e edge) []Point {
	p := path{block: b}
	first, last := &n.vertices[e.node[from]], &n.vertices[e.node[to]]
	start, finish := b.columns[first.layer], b.columns[last.layer]
	p.add(start.right()-start.inset(first.w), first.y)
	p.add(start.right(), first.y)
	t := &n.trunks[e.hub][e.node[e.hub]]
	if e.lane {
		p.add(b.columns[first.layer+1].left, t.lane)
		p.add(b.columns[last.layer-1].right(), t.lane)
	} else if e.long() {
		for i := range e.span - 1 {
			if e.hub == to {
				i = e.span - 2 - i
			}
			bend := &n.vertices[t.bends[i]]
			c := b.columns[bend.layer]
			p.add(c.left, bend.y)
			p.add(c.right(), bend.y)
		}
	}
	p.add(finish.left, last.y)
	p.add(finish.left+finish.inset(last.w), last.y)
	return p.points
}

// point translates a place in the block to one in the drawing.
func (b *block) point(x, y float64) Point {
	return Point{X: b.at.X + x, Y: b.at.Y + y - b.top}
}

// path collects way points, leaving out repeated ones and those in the middle
// of a level line.
type path struct {
	block  *block
	points []Point
}

func (p *path) add(x, y float64) {
	next := p.block.point(x, y)
	last := len(p.points) - 1
	switch {
	case last >= 0 && p.points[last] == next:
	case last >= 1 && p.points[last].Y == next.Y && p.points[last-1].Y == next.Y:
		p.points[last] = next
	default:
		p.points = append(p.points, next)
	}
}
