import type { z } from 'zod'

interface Definition {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
  in?: z.ZodType
  options?: readonly z.ZodType[]
  entries?: Record<string, string | number>
  values?: readonly unknown[]
}

/**
 * Completes a reply that an earlier release stored. Fields that the schema gained later get an empty value: `null`, an
 * empty list, `false`, 0, an empty text, or the first option. Optional fields stay undefined.
 */
export const completeReply = <Reply extends z.ZodType>(reply: Reply, stored: object): z.input<Reply> =>
  complete(reply, stored) as z.input<Reply>

function complete(schema: z.ZodType, value: unknown): unknown {
  if (value === undefined) return emptyOf(schema)
  const { type, shape = {}, element, innerType, options } = schema._zod.def as Definition
  if (type === 'object' && isObject(value)) {
    const fields = Object.entries(shape).map(([name, field]) => [name, complete(field, value[name])])
    return { ...value, ...Object.fromEntries(fields) }
  }
  if (element && Array.isArray(value)) return value.map((item) => complete(element, item))
  if (innerType && value !== null) return complete(innerType, value)
  return options?.length === 1 && options[0] ? complete(options[0], value) : value
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function emptyOf(schema: z.ZodType): unknown {
  const { type, in: before, options, entries = {}, values = [] } = schema._zod.def as Definition
  if (schema.safeParse(undefined).success) return undefined
  if (schema.safeParse(null).success) return null
  if (type === 'object') return complete(schema, {})
  if (type === 'pipe' && before) return emptyOf(before)
  if (type === 'union' && options?.[0]) return emptyOf(options[0])
  if (type === 'enum') return Object.values(entries)[0]
  return type === 'literal' ? values[0] : empties[type]
}

const empties: Readonly<Record<string, unknown>> = {
  array: [],
  record: {},
  boolean: false,
  number: 0,
  string: '',
  date: new Date(0),
}
