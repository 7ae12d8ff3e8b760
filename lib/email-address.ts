import { domainToASCII } from 'node:url'
import { z } from 'zod'

/** An address in the one form that is stored, compared and sent. */
export interface EmailAddress {
  /** `local@domain`. */
  address: string
  /** As it was given, in lower case: almost no server tells addresses apart by case, and suppressions must not. */
  local: string
  /** In ASCII (`xn--…`) and lower case. */
  domain: string
  /** `local@domain` with the local part in the case it was given: a server may tell them apart (RFC 5321 §2.4), so mail goes to this one. */
  written: string
}

/** RFC 5322 §3.2.3 dot-atom; quoted local parts (§3.2.4) are refused: libraries disagree on where they end. */
const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const hostname = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Reads one address; a sentence of what is wrong with any other text. Local parts are ASCII: SMTPUTF8 (RFC 6531) is not spoken. */
export function parseAddress(text: string): EmailAddress | string {
  const at = text.lastIndexOf('@')
  if (at < 1) return 'must be an address: name@example.com'
  const [given, domain] = [text.slice(0, at), toDomain(text.slice(at + 1))]
  const local = given.toLowerCase()
  if (!dotAtom.test(local))
    return "has a part before the @ that is not taken: letters, digits and !#$%&'*+/=?^_`{|}~- with dots between"
  if (local.length > 64) return 'has more than 64 characters before the @'
  if (domain === null) return 'has a domain that is none'
  if (local.length + 1 + domain.length > 254) return 'is longer than 254 characters'
  return { address: `${local}@${domain}`, local, domain, written: `${given}@${domain}` }
}

/** A domain in ASCII and lower case; null for what is none. */
export function toDomain(text: string): string | null {
  // What URLs would forgive, a mail server must not see.
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return null
  const ascii = domainToASCII(text)
  return hostname.test(ascii) ? ascii : null
}

const addressSchema = (form: 'address' | 'written') =>
  z
    .string()
    .max(320)
    .transform((text, context) => {
      const parsed = parseAddress(text)
      if (typeof parsed !== 'string') return parsed[form]
      context.issues.push({ code: 'custom', message: parsed, input: text })
      return z.NEVER
    })

/** The schema of an address, on the wire; the output is its stored form. */
export const Address = addressSchema('address')

/** The same; the output has the local part as it was given. */
export const WrittenAddress = addressSchema('written')

/** The stored form of an address as it was written. */
export const storedForm = (written: string): string => written.toLowerCase()

/** How an address is written where that is not its stored form, else null: what is kept beside the stored form. */
export const differing = (written: string): string | null => (written === storedForm(written) ? null : written)

/** The schema of a domain, on the wire; the output is in ASCII and lower case. */
export const Domain = z
  .string()
  .max(253)
  .transform((text, context) => {
    const domain = toDomain(text)
    if (domain !== null) return domain
    context.issues.push({ code: 'custom', message: 'must be a domain: example.com', input: text })
    return z.NEVER
  })

/** The domain of a stored address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
