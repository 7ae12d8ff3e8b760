import { toStoredForm, WrittenAddress } from '#lib/email-address.ts'
import type { Fault } from '#lib/errors.ts'
import { readTelephoneNumber } from '#lib/telephone-number.ts'
import type { Channel } from '#sql/verify/verifications.ts'

export interface Recipient {
  /** Email address in lower case, or phone number in E.164. */
  address: string
  /** ISO 3166 country of a phone number. Null for an email address. */
  country: string | null
}

/** Returns the recipient of a channel. For an invalid recipient, adds a fault for the field and returns undefined. */
export function readRecipient(field: string, text: string, channel: Channel, faults: Fault[]): Recipient | undefined {
  if (channel === 'email') {
    const parsed = WrittenAddress.safeParse(text)
    if (parsed.success) return { address: toStoredForm(parsed.data), country: null }
    faults.push({ field, issue: parsed.error.issues[0]?.message ?? 'must be an email address' })
    return undefined
  }
  const number = readTelephoneNumber(text)
  if (typeof number !== 'string') return { address: number.number, country: number.country }
  faults.push({ field, issue: number })
  return undefined
}

/** Returns the stored form of a recipient of any channel. It need not be valid, because it is only searched. */
export const toSearched = (text: string): string => (text.includes('@') ? toStoredForm(text.trim()) : text.trim())
