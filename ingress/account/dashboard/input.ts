import type { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { parseWithFaults } from '../../http/request/issues.ts'

/** Parses form fields with a schema of the API. Throws 400 with every invalid field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const faults: Fault[] = []
  const parsed = parseWithFaults(schema, input, 'body', faults)
  if (faults.length > 0) throw badRequest(faults.map(atField))
  return parsed as z.output<S>
}

export async function moveFaultsToFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    throw new Problem(error.status, error.code, error.message, { details: (error.details as Fault[]).map(atField) })
  }
}

/** Names of fields in forms: without `locks` or the kind of a log stream, and with the prefix `ai_` for AI limits. */
const atField = (fault: Fault): Fault => ({
  ...fault,
  field: fault.field
    .replace('body.splunk.token', 'body.hec_token')
    .replace(/^body\.(?:locks|s3|otlp|syslog|splunk)\./, 'body.')
    .replace(/^body\.ai\.(?:budget\.)?/, 'body.ai_'),
})

/** Splits a field at spaces, commas and line breaks. Returns `undefined` if the field is empty. */
export function splitWords(text: string): string[] | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  return words.length > 0 ? words : undefined
}

export const trimmedOrUndefined = (text: string): string | undefined => text.trim() || undefined

/** Returns the number in a field. Returns other text unchanged, so that the schema rejects it. */
export function readNumber(text: string): number | string | undefined {
  const word = text.trim()
  if (word === '') return undefined
  return /^\d{1,15}$/.test(word) ? Number(word) : word
}

/** Returns the time of a date-and-time field, read as UTC. */
export function readInstant(text: string): string | undefined {
  const word = text.trim()
  if (word === '') return undefined
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(word) ? `${word}:00Z` : `${word}Z`
}

export const formatLocalTime = (at: Date | null | undefined): string => at?.toISOString().slice(0, 16) ?? ''
