import type { Contact } from '#sql/email/contacts.ts'
import type { EmailDomain } from '#sql/email/domains.ts'
import type { Stream } from '#sql/email/messages.ts'
import { askAgainDays } from '#sql/email/past-asked.ts'

/** Why a message is refused; nothing of it is recorded. */
export interface Refusal {
  why:
    | 'domain_not_verified'
    | 'domain_not_allowed'
    | 'contact_not_confirmed'
    | 'contact_unsubscribed'
    | 'contact_asked'
    | 'marketing_paused'
  message: string
  details: Readonly<Record<string, unknown>>
}

/** Why a key may not send from a domain: it is locked to others. */
export function refusalOfLock(name: string, allowed: readonly string[] | undefined): Refusal | undefined {
  if (!allowed || allowed.some((each) => each.toLowerCase() === name)) return undefined
  const message = `The key may send from ${allowed.join(', ') || 'no domain'}, not from ${name}.`
  return { why: 'domain_not_allowed', message, details: { domain: name, allowed } }
}

/** Why mail may not be from a domain: it must be verified in the organisation, and allowed on the key that asks. */
export function refusalOfDomain(
  name: string,
  domain: EmailDomain | undefined,
  allowed: readonly string[] | undefined,
): Refusal | undefined {
  const locked = refusalOfLock(name, allowed)
  if (locked) return locked
  if (domain?.status === 'verified') return undefined
  const message = domain
    ? `The domain ${name} is not verified: publish its records, then have it checked.`
    : `The domain ${name} is none of yours: add it first.`
  return { why: 'domain_not_verified', message, details: { domain: name, status: domain?.status ?? null } }
}

/**
 * Why a recipient may not be written to on a stream. Transactional and security mail always flows, to whomever. Marketing needs
 * a confirmed contact; who is asked to confirm must be a contact that has not unsubscribed; both wait while marketing is paused.
 */
export function refusalOfRecipient(
  stream: Stream,
  contact: Pick<Contact, 'email' | 'status'> | undefined,
  paused: boolean,
): Refusal | undefined {
  if (stream === 'transactional' || stream === 'security') return undefined
  const details = { status: contact?.status ?? null }
  if (contact?.status === 'unsubscribed') {
    const message = 'The recipient has unsubscribed and is sent no marketing any more, nor asked for it again.'
    return { why: 'contact_unsubscribed', message, details }
  }
  if (stream === 'repermission') {
    if (contact) return paused ? pausedMarketing : undefined
    return { why: 'contact_not_confirmed', message: 'Only a contact can be asked to confirm: add it first.', details }
  }
  if (contact?.status !== 'confirmed') {
    const message = contact
      ? 'The contact has not confirmed: only the stream repermission, which asks for that, reaches it.'
      : 'Only confirmed contacts receive marketing, and the recipient is no contact.'
    return { why: 'contact_not_confirmed', message, details }
  }
  return paused ? pausedMarketing : undefined
}

const pausedMarketing: Refusal = {
  why: 'marketing_paused',
  message: 'Marketing is paused by the reputation gate: GET /send/v1/status says why.',
  details: {},
}

/** Why a contact is not asked to confirm once more, given when it was last. */
export function refusalOfRepeat(stream: Stream, askedAt: Date | null | undefined): Refusal | undefined {
  if (stream !== 'repermission' || !askedAt) return undefined
  const next = new Date(askedAt.getTime() + askAgainDays * 86_400_000)
  if (next.getTime() <= Date.now()) return undefined
  const message = `The contact was asked to confirm already; it may be asked again after ${askAgainDays} days.`
  return { why: 'contact_asked', message, details: { again_at: next.toISOString() } }
}
