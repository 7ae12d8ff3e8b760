import { createHash } from 'node:crypto'
import { Id } from '#lib/ids.ts'

/**
 * Returns the ID of a person in the tables: the customer’s ID if it is a UUID, otherwise a UUID of version 8 (RFC 9562
 * §5.8) derived from it. The result is always the same, so no lookup is needed.
 */
export function getPersonId(subject: string): string {
  if (Id.safeParse(subject).success) return subject.toLowerCase()
  const hex = createHash('sha256').update(subject).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(18, 20)}-${hex.slice(20, 32)}`
}
