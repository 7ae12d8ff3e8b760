/** A part of a template in which names have another meaning: the items of a loop, or the fields of an object. */
export interface Scope {
  /** Tag that closes the scope in the source. */
  closes: string
  /** Liquid that ends the scope. */
  end: string
  /** Variable that bare names belong to. `null` if the scope keeps the names of the scope around it. */
  base: string | null
  isLoop: boolean
}

const name = /^[A-Za-z_][\w-]*(\.([A-Za-z_][\w-]*|\d+))*$/

/** Returns the variable in Liquid that a path of the source means. Null if Liquid has no such path. */
export function resolvePath(path: string, scopes: readonly Scope[]): string | null {
  const up = /^(?:\.\.\/)*/.exec(path.trim())?.[0].length ?? 0
  const rest = path
    .trim()
    .slice(up)
    .replaceAll('/', '.')
    .replaceAll(/\.\[(\d+)\]/g, '.$1')
  const bases = scopes.flatMap(({ base }) => (base === null ? [] : [base]))
  if (up / 3 > bases.length) return null
  const base = bases.at(-1 - up / 3)
  if (rest.startsWith('@root.')) return ifName(rest.slice('@root.'.length))
  // Liquid has no counter of an outer loop.
  if (rest.startsWith('@') && up > 0) return null
  if (rest.startsWith('@')) return scopes.some(({ isLoop }) => isLoop) ? (counters[rest] ?? null) : null
  if (rest === '.' || rest === 'this') return base ?? null
  const own = ifName(rest.replace(/^this\./, ''))
  return own === null || base === undefined ? own : `${base}.${own}`
}

const ifName = (path: string): string | null => (name.test(path) ? path : null)

const counters: Readonly<Record<string, string>> = {
  '@index': 'forloop.index0',
  '@first': 'forloop.first',
  '@last': 'forloop.last',
}
