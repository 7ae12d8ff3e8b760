import { z } from 'zod'
import type { Parameters } from '#sql/bots/actions.ts'
import { mostArguments } from '../../ai/rules/chat-actions.ts'

const types = { string: z.string(), integer: z.int(), number: z.number(), boolean: z.boolean() }

const tooLong = `more than ${mostArguments} characters`

export function plainArguments(given: unknown): Record<string, unknown> | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null
  const isPlain = Object.values(given).every((value) => typeof value !== 'object' || value === null)
  return isPlain && JSON.stringify(given).length <= mostArguments ? (given as Record<string, unknown>) : null
}

export function findArgumentsFault({ properties, required }: Parameters, given: unknown): string | undefined {
  if (typeof given === 'string' && given.length > mostArguments) return tooLong
  const shape = Object.entries(properties).map(([name, { type, enum: values }]) => {
    const one = values ? z.enum(values) : types[type]
    return [name, required.includes(name) ? one : one.optional()] as const
  })
  const read = z.strictObject(Object.fromEntries(shape)).safeParse(given)
  if (!read.success) return z.prettifyError(read.error)
  return plainArguments(given) ? undefined : tooLong
}
