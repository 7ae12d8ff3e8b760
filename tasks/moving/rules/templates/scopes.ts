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
  const bases = scopes.flatMap(({ base }) => (base === null ? [] : [base]))
  let rest = path.trim().replaceAll('/', '.').replaceAll('...', '../').replaceAll(/\.\[(\d+)\]/g, '.$1')
  while (rest.startsWith('../')) {
    if (bases.pop() === undefined) return null
    rest = rest.slice('../'.length)
  }
  if (rest.startsWith('@root.')) return name.test(rest.slice(6)) ? rest.slice(6) : null
  const loop = scopes.some(({ isLoop }) => isLoop)
  if (rest.startsWith('@')) return loop ? (counters[rest] ?? null) : null
  const base = bases.at(-1)
  if (rest === '.' || rest === 'this') return base ?? null
  if (rest.startsWith('this.')) rest = rest.slice('this.'.length)
  if (!name.test(rest)) return null
  return base === undefined ? rest : `${base}.${rest}`
}

const counters: Readonly<Record<string, string>> = {
  '@index': 'forloop.index0',
  '@first': 'forloop.first',
  '@last': 'forloop.last',
}
