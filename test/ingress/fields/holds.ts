type Leaf = string | number | boolean

/**
 * Values by the name of their field, in lower case without underscores. Those that no other field has are under `*` too,
 * because they prove that a field is there under any name.
 */
export type Leaves = ReadonlyMap<string, ReadonlySet<Leaf>>

export interface Missing {
  field: string
  leaf: Leaf
}

const anywhere = '*'

/** Other names of fields, in tables and in replies. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  channels: ['channel'],
  code: ['language'],
  default: ['isdefault'],
  processingprofile: ['profile'],
  pushprovider: ['provider'],
  type: ['target'],
  windowminutes: ['digestminutes'],
}

export const plainName = (name: string): string => name.replaceAll('_', '').toLowerCase()

export function leavesOf(value: unknown): Leaves {
  const found = new Map<string, Set<Leaf>>()
  collect(value, '', found)
  return found
}

function collect(value: unknown, name: string, found: Map<string, Set<Leaf>>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, name, found)
  } else if (value instanceof Date) {
    collect(value.toISOString(), name, found)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) collect(item, plainName(key), found)
  } else if (value !== null && value !== undefined) {
    addLeaf(value as Leaf, name, found)
  }
}

function addLeaf(leaf: Leaf, name: string, found: Map<string, Set<Leaf>>): void {
  const unique = marksOf(leaf)
  for (const mark of unique) add(found, anywhere, mark)
  for (const part of unique.length > 0 ? unique : [leaf]) add(found, name, part)
}

function add(found: Map<string, Set<Leaf>>, name: string, leaf: Leaf): void {
  found.set(name, (found.get(name) ?? new Set()).add(leaf))
}

const marks = /v\d{5}|\+37253\d{6}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Returns the parts of a value that no other field has. A text is found if they are, because it can be stored in parts. */
function marksOf(leaf: Leaf): string[] {
  if (typeof leaf !== 'string') return []
  return /^\d{4}-\d\d-\d\dT/.test(leaf) ? [new Date(leaf).toISOString()] : (leaf.match(marks) ?? [])
}

/** Returns the leaves of a field that are not among the read ones. */
export function missingFrom(read: Leaves, name: string, value: unknown): Missing[] {
  const { [anywhere]: _, ...fields } = Object.fromEntries(leavesOf({ [name]: value }))
  return Object.entries(fields).flatMap(([field, leaves]) => {
    const places = [anywhere, field, ...(otherNames[field] ?? [])]
    return [...leaves]
      .filter((leaf) => !places.some((place) => read.get(place)?.has(leaf)))
      .map((leaf) => ({ field, leaf }))
  })
}
