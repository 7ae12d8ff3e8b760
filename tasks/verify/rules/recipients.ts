import { createHash } from 'node:crypto'
import { getDomain } from '#lib/email-address.ts'

/** Returns an address of which people who do not know it cannot use the rest: `+3725*****12` or `a***@example.com`. */
export function maskRecipient(recipient: string): string {
  if (recipient.includes('@')) return `${[...recipient][0]}***@${getDomain(recipient)}`
  return `${recipient.slice(0, 5)}${'*'.repeat(Math.max(1, recipient.length - 7))}${recipient.slice(-2)}`
}

/** Number of last digits that belong to a single line. A range without them has 10,000 numbers. */
const lineDigits = 4

/** Returns a phone number without its last four digits, such as `+3725123` for `+37251234567`. */
export const prefixOf = (phone: string): string => phone.slice(0, -lineDigits)

/** Returns the prefix of a wider range, with a million numbers. Undefined if only the country would be left. */
export const widePrefixOf = (phone: string): string | undefined => (phone.length >= 11 ? phone.slice(0, -6) : undefined)

/**
 * Returns the name under which the codes of a recipient are counted. Addresses that reach the same mailbox with a
 * `+tag` are counted together.
 */
export function countedName(recipient: string): string {
  const at = recipient.lastIndexOf('@')
  const plain = at < 0 ? recipient : (recipient.slice(0, at).split('+')[0] as string) + recipient.slice(at)
  return createHash('sha256').update(plain).digest('hex').slice(0, 32)
}
