import type { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { check } from '../../http/request/issues.ts'

/** What a form's fields come to for a rule of the API; throws the 400 that names every bad one. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const faults: Fault[] = []
  const parsed = check(schema, input, 'body', faults)
  if (faults.length > 0) throw badRequest(faults.map(atField))
  return parsed as z.output<S>
}

/** Has what a rule finds wrong with locks told at the form's own fields. */
export async function atFields<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
    throw new Problem(error.status, error.code, error.message, { details: (error.details as Fault[]).map(atField) })
  }
}

const atField = (fault: Fault): Fault => ({ ...fault, field: fault.field.replace(/^body\.locks\./, 'body.') })

/** The words of a field that holds several, apart by spaces, commas or lines; undefined for none. */
export function wordsOf(text: string): string[] | undefined {
  const words = text.split(/[\s,]+/).filter((word) => word !== '')
  return words.length > 0 ? words : undefined
}

/** The text of a field that may be left empty. */
export const textOrNothing = (text: string): string | undefined => text.trim() || undefined

/** The number in a field; what is none goes on as it is, for its schema to refuse. */
export function numberOf(text: string): number | string | undefined {
  const word = text.trim()
  if (word === '') return undefined
  return /^\d{1,15}$/.test(word) ? Number(word) : word
}

/** An instant as a field of date and time gives it, which is read as UTC. */
export function instantOf(text: string): string | undefined {
  const word = text.trim()
  if (word === '') return undefined
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(word) ? `${word}:00Z` : `${word}Z`
}

/** An instant as such a field shows it. */
export const localOf = (at: Date | null | undefined): string => at?.toISOString().slice(0, 16) ?? ''
