import { domainToASCII } from 'node:url'
import { z } from 'zod'

export interface EmailAddress {
  address: string
  /** Local part in lower case. Almost no server distinguishes case, and suppressions must ignore case. */
  local: string
  /** Domain in ASCII (`xn--…`) and lower case. */
  domain: string
  /**
   * `local@domain` with the original case of the local part. Some servers distinguish case (RFC 5321 §2.4), so email is
   * sent to this form.
   */
  written: string
}

/**
 * RFC 5322 §3.2.3 dot-atom. Quoted local parts (§3.2.4) are rejected because libraries disagree about where they end.
 */
const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const hostname = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Parses one address. Returns an error message if the address is invalid. Local parts must be ASCII, because SMTPUTF8
 * (RFC 6531) is not supported.
 */
export function parseAddress(text: string): EmailAddress | string {
  const at = text.lastIndexOf('@')
  if (at < 1) return 'must be an email address, such as name@example.com'
  const [given, domain] = [text.slice(0, at), toDomain(text.slice(at + 1))]
  const local = given.toLowerCase()
  if (!dotAtom.test(local)) return "must have only letters, digits, dots and !#$%&'*+/=?^_`{|}~- before the @"
  if (local.length > 64) return 'must have at most 64 characters before the @'
  if (domain === null) return 'must have a valid domain after the @'
  if (local.length + 1 + domain.length > 254) return 'must have at most 254 characters'
  return { address: `${local}@${domain}`, local, domain, written: `${given}@${domain}` }
}

export function toDomain(text: string): string | null {
  // Rejects characters that URLs accept but mail servers do not.
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

/** Schema of an email address. The output is the stored form. */
export const Address = addressSchema('address')

/** Schema of an email address. The output keeps the case of the local part. */
export const WrittenAddress = addressSchema('written')

export const toStoredForm = (written: string): string => written.toLowerCase()

export const originalFormIfDifferent = (written: string): string | null =>
  written === toStoredForm(written) ? null : written

/** Schema of a domain. The output is in ASCII and lower case. */
export const Domain = z
  .string()
  .max(253)
  .transform((text, context) => {
    const domain = toDomain(text)
    if (domain !== null) return domain
    context.issues.push({ code: 'custom', message: 'must be a domain, such as example.com', input: text })
    return z.NEVER
  })

export const getDomain = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
