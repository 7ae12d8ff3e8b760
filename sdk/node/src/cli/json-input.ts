import { readText } from './standard-input.ts'
import { UsageError } from './usage-error.ts'

/** Returns a JSON value that is given as text, as `@file` or as `-`. */
export async function jsonValue(option: string, given: string): Promise<unknown> {
  const text = await readText(given)
  try {
    return JSON.parse(text)
  } catch (error) {
    // The message of the parser can contain a part of the text.
    const [place = ''] = /(?:at position \d+|line \d+ column \d+)/.exec((error as Error).message) ?? []
    throw new UsageError(`${option} must be JSON. The text is invalid${place && ` ${place}`}.`)
  }
}

export async function jsonObject(option: string, given: string): Promise<Record<string, unknown>> {
  const value = await jsonValue(option, given)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new UsageError(`${option} must be a JSON object.`)
}
