import type { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { check } from './issues.ts'
import { checkText } from './json.ts'

/** Parameters that a query may have. */
const maxParameters = 200

/**
 * Makes the function that reads a query by a route's schema. Parameters that it does not name are faults, unless the route
 * ignores them: a filter that is misspelt would let everything through.
 */
export function queryReader(
  schema: z.ZodType | undefined,
  ignoresOthers: boolean,
): (querystring: string, faults: Fault[]) => unknown {
  const shape = schema && shapeOf(schema)
  const known = shape && new Set(Object.keys(shape))
  const lists = new Set([...(known ?? [])].filter((name) => isList(shape?.[name])))
  const isStray = ignoresOthers || (schema && !known) ? () => false : (name: string) => !known?.has(name)
  const takes = known?.size ? `takes only ${[...known].map((name) => `\`${name}\``).join(', ')}` : 'takes no parameters'

  return (querystring, faults) => {
    checkCount(querystring)
    if (querystring === '' && !schema) return undefined
    const raw = rawOf(querystring, lists)
    checkText(raw, 'query', faults)
    const strays = Object.keys(raw).filter(isStray)
    if (strays.length > 0) faults.push({ field: 'query', issue: takes })
    for (const name of strays) faults.push({ field: `query.${name}`, issue: 'is not a parameter of this request' })
    return schema && check(schema, raw, 'query', faults)
  }
}

/** Throws 400 for more parameters than a query may have; they are counted before one of them is read. */
function checkCount(querystring: string): void {
  let count = 1
  for (let at = querystring.indexOf('&'); at !== -1; at = querystring.indexOf('&', at + 1)) {
    if (++count > maxParameters)
      throw badRequest([{ field: 'query', issue: `has more than ${maxParameters} parameters` }])
  }
}

/** The parameters by their names: a list where a list is due, or where a name stands more than once. */
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

/** The parameters that a schema names; undefined for one that takes any, or tells by itself which it takes. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  const def = schema.def as unknown as { type: string; shape?: Record<string, z.ZodType>; catchall?: z.ZodType }
  return def.catchall && def.catchall.def.type !== 'never' ? undefined : def.shape
}

function isList(schema: z.ZodType | undefined): boolean {
  const def = schema?.def as unknown as { type: string; innerType?: z.ZodType } | undefined
  return def?.type === 'array' || (def?.innerType !== undefined && isList(def.innerType))
}
