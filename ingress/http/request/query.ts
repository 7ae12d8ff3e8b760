import type { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { parseWithFaults } from './issues.ts'
import { checkText } from './json.ts'

const maxParameters = 200

/**
 * Creates the function that parses a query with a route’s schema. Unknown parameters are errors unless the route
 * ignores them. Otherwise a misspelt filter would return all items.
 */
export function createQueryReader(
  schema: z.ZodType | undefined,
  ignoresOthers: boolean,
): (querystring: string, faults: Fault[]) => unknown {
  const shape = schema && shapeOf(schema)
  const known = shape && new Set(Object.keys(shape))
  const lists = new Set([...(known ?? [])].filter((name) => isList(shape?.[name])))
  const isStray = ignoresOthers || (schema && !known) ? () => false : (name: string) => !known?.has(name)
  const takes = known?.size
    ? `must have only the parameters ${[...known].map((name) => `\`${name}\``).join(', ')}`
    : 'must be empty'

  return (querystring, faults) => {
    checkCount(querystring)
    if (querystring === '' && !schema) return undefined
    const raw = rawOf(querystring, lists)
    checkText(raw, 'query', faults)
    const strays = Object.keys(raw).filter(isStray)
    if (strays.length > 0) faults.push({ field: 'query', issue: takes })
    for (const name of strays) faults.push({ field: `query.${name}`, issue: 'is not a parameter of this request' })
    return schema && parseWithFaults(schema, raw, 'query', faults)
  }
}

/** Throws 400 if a query has too many parameters. Counts the parameters before they are parsed. */
function checkCount(querystring: string): void {
  let count = 1
  for (let at = querystring.indexOf('&'); at !== -1; at = querystring.indexOf('&', at + 1)) {
    if (++count > maxParameters)
      throw badRequest([{ field: 'query', issue: `must have at most ${maxParameters} parameters` }])
  }
}

function rawOf(querystring: string, lists: ReadonlySet<string>): Record<string, string | string[]> {
  const given = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(querystring)) {
    const values = given.get(name)
    if (values) values.push(value)
    else given.set(name, [value])
  }
  const raw = [...given].map(([name, values]) => {
    return [name, lists.has(name) || values.length > 1 ? values : (values[0] as string)] as const
  })
  return Object.fromEntries(raw)
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const def = schema.def as unknown as { type: string; shape?: Record<string, z.ZodType>; catchall?: z.ZodType }
  return def.catchall && def.catchall.def.type !== 'never' ? undefined : def.shape
}

function isList(schema: z.ZodType | undefined): boolean {
  const def = schema?.def as unknown as { type: string; innerType?: z.ZodType } | undefined
  return def?.type === 'array' || (def?.innerType !== undefined && isList(def.innerType))
}
