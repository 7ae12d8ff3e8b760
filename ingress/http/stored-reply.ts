import type { z } from 'zod'

interface Definition {
  type: string
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  innerType?: z.ZodType
}

/**
 * Completes a reply that an earlier release stored. Fields that the schema gained later are `null`, or an empty list or
 * record. Optional fields stay undefined. Other fields must have a default in the schema, because no value is invented.
 */
export const completeReply = <Reply extends z.ZodType>(reply: Reply, stored: object): z.input<Reply> =>
  complete(reply, stored) as z.input<Reply>

function complete(schema: z.ZodType, value: unknown): unknown {
  if (value === undefined) return [undefined, null, [], {}].find((empty) => schema.safeParse(empty).success)
  const { type, shape = {}, element, innerType } = schema._zod.def as Definition
  if (type === 'object' && isObject(value)) {
    const fields = Object.entries(shape).map(([name, field]) => [name, complete(field, value[name])])
    return { ...value, ...Object.fromEntries(fields) }
  }
  if (element && Array.isArray(value)) return value.map((item) => complete(element, item))
  return innerType && value !== null ? complete(innerType, value) : value
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
