export interface GraphFault {
  index: number
  field: 'name' | 'after'
  issue: string
}

interface Node {
  name: string
  after: readonly string[]
}

/** Maximum number of names that an error contains. */
const mostNamed = 10

/** Returns the faults of a graph: repeated and unknown names, and jobs that wait for themselves. */
export function findGraphFaults(nodes: readonly Node[]): GraphFault[] {
  const names = new Set(nodes.map(({ name }) => name))
  const faults = [...findRepeated(nodes), ...findUnknown(nodes, names)]
  return faults.length > 0 ? faults : findCycle(nodes)
}

function findRepeated(nodes: readonly Node[]): GraphFault[] {
  const seen = new Set<string>()
  return nodes.flatMap(({ name }, index) => {
    if (seen.has(name)) return [{ index, field: 'name' as const, issue: `must be unique: ${name} is used twice` }]
    seen.add(name)
    return []
  })
}

function findUnknown(nodes: readonly Node[], names: ReadonlySet<string>): GraphFault[] {
  return nodes.flatMap(({ after }, index) => {
    const unknown = after.filter((name) => !names.has(name))
    if (unknown.length === 0) return []
    const named = unknown.slice(0, mostNamed).join(', ')
    return [{ index, field: 'after' as const, issue: `must name jobs of this flow. Unknown: ${named}` }]
  })
}

/** Removes the jobs that wait for no other, until none is left. The rest contains a cycle. */
function findCycle(nodes: readonly Node[]): GraphFault[] {
  let left = [...nodes]
  for (let isShrinking = true; isShrinking; ) {
    const names = new Set(left.map(({ name }) => name))
    const next = left.filter(({ after }) => after.some((name) => names.has(name)))
    isShrinking = next.length < left.length
    left = next
  }
  const [first] = left
  if (!first) return []
  const cycle = walkCycle(first, new Map(left.map((node) => [node.name, node])))
  const index = nodes.findIndex(({ name }) => name === cycle[0])
  const shown = cycle.length > mostNamed ? [...cycle.slice(0, mostNamed), '…'] : cycle
  return [{ index, field: 'after', issue: `must not contain a cycle: ${[...shown, cycle[0]].join(' → ')}` }]
}

/** Follows the predecessors of a job until one occurs again. Each job of `left` has a predecessor in `left`. */
function walkCycle(from: Node, left: ReadonlyMap<string, Node>): string[] {
  const path: string[] = []
  for (let node: Node | undefined = from; node; ) {
    const at = path.indexOf(node.name)
    if (at >= 0) return path.slice(at).reverse()
    path.push(node.name)
    node = node.after.map((name) => left.get(name)).find((one) => one !== undefined)
  }
  return path
}
