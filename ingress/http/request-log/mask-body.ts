import { isSecretField, looksSecret, mask } from '#lib/mask.ts'
import { findSecretFields, type SecretFields } from '#lib/secret-fields.ts'
import type { Operation } from '../area.ts'
import { maskUrls } from './mask-urls.ts'

const leastLength = 8

/**
 * Maximum number of secrets to search for in other text. If a request has more, its other text is not stored, because
 * the search would block the process.
 */
const mostSent = 50

export interface MaskedBodies {
  request(body: unknown): unknown
  response(body: unknown): unknown
}

/**
 * Creates the functions that mask secrets. They find secrets by the operation’s schemas, by field names, and by the
 * form of values.
 */
export function maskBodies(operation: Operation | undefined): MaskedBodies {
  const sent = new Set<string>()
  const masked = (body: unknown, marks: SecretFields) => maskValue(body, [marks], sent)
  return {
    request: (body) => masked(body, marksOf(operation).request),
    response: (body) => masked(body, marksOf(operation).response),
  }
}

interface Marks {
  request: SecretFields
  response: SecretFields
}

const known = new WeakMap<object, Marks>()
const none: Marks = { request: findSecretFields(undefined), response: findSecretFields(undefined) }

function marksOf(operation: Operation | undefined): Marks {
  if (!operation) return none
  const { route } = operation
  const marks = known.get(route) ?? { request: findSecretFields(route.body), response: findSecretFields(route.reply) }
  known.set(route, marks)
  return marks
}

function maskValue(value: unknown, places: readonly SecretFields[], sent: Set<string>): unknown {
  if (value === null || value === undefined || value === '') return value
  if (places.some(({ isSecret }) => isSecret)) return hidden(value, sent)
  if (typeof value === 'string') return maskString(value, sent)
  if (Array.isArray(value)) {
    const items = distinct(places.flatMap((place) => place.items))
    return value.map((item) => maskValue(item, items, sent))
  }
  if (typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (isSecretField(name, field)) return [name, hidden(field, sent)]
      const inside = distinct(places.flatMap(({ fields, items }) => fields.get(name) ?? items))
      const isHidden = inside.some(({ secretIf }) => secretIf !== undefined && isSet(value, secretIf))
      return [name, isHidden ? hidden(field, sent) : maskValue(field, inside, sent)]
    }),
  )
}

/** True if a field has a value other than false. A value of the wrong type counts, because the request may be invalid. */
const isSet = (value: object, field: string): boolean => Boolean((value as Record<string, unknown>)[field])

/** Removes duplicates. With a recursive schema, the number of places would double with each level of a body. */
const distinct = (places: readonly SecretFields[]): readonly SecretFields[] =>
  places.length < 2 ? places : [...new Set(places)]

function hidden(value: unknown, sent: Set<string>): string {
  if (typeof value === 'string' && value.length >= leastLength && sent.size < mostSent) sent.add(value)
  return mask
}

function maskString(text: string, sent: ReadonlySet<string>): string {
  if (looksSecret(text) || sent.size >= mostSent) return mask
  for (const secret of sent) if (text.includes(secret)) return mask
  return maskUrls(text)
}
