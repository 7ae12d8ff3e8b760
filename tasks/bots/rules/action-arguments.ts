import { z } from 'zod'
import type { Parameters } from '#sql/bots/actions.ts'

const types = { string: z.string(), integer: z.int(), number: z.number(), boolean: z.boolean() }

/** What does not fit an action's parameters, in words for whoever gave it; undefined where all does. */
export function argumentsFaultOf({ properties, required }: Parameters, given: unknown): string | undefined {
  const shape = Object.entries(properties).map(([name, { type, enum: values }]) => {
    const one = values ? z.enum(values) : types[type]
    return [name, required.includes(name) ? one : one.optional()] as const
  })
  const read = z.strictObject(Object.fromEntries(shape)).safeParse(given)
  return read.success ? undefined : z.prettifyError(read.error)
}
