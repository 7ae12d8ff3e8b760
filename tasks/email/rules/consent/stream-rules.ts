import { askAgainDays } from '#sql/email/contacts/past-asked.ts'
import type { Contact } from '#sql/email/contacts.ts'
import type { EmailDomain } from '#sql/email/domains.ts'
import type { Stream } from '#sql/email/messages.ts'

export interface Refusal {
  why:
    | 'domain_not_verified'
    | 'domain_not_allowed'
    | 'contact_not_confirmed'
    | 'contact_unsubscribed'
    | 'contact_asked'
    | 'topic_unsubscribed'
    | 'marketing_paused'
  message: string
  details: Readonly<Record<string, unknown>>
}

export function getLockRefusal(name: string, allowed: readonly string[] | undefined): Refusal | undefined {
  if (!allowed || allowed.some((each) => each.toLowerCase() === name)) return undefined
  const message = `The key can send from ${allowed.join(', ') || 'no domain'}, but not from ${name}.`
  return { why: 'domain_not_allowed', message, details: { domain: name, allowed } }
}

export function getDomainRefusal(
  name: string,
  domain: EmailDomain | undefined,
  allowed: readonly string[] | undefined,
): Refusal | undefined {
  const locked = getLockRefusal(name, allowed)
  if (locked) return locked
  if (domain?.status === 'verified') return undefined
  const message = domain
    ? `The domain ${name} is not verified. Publish its DNS records, then verify it.`
    : `${name} is not one of your domains. Add it with \`POST /send/v1/domains\`, then verify it.`
  return { why: 'domain_not_verified', message, details: { domain: name, status: domain?.status ?? null } }
}

/**
 * Returns why a recipient cannot receive a stream. `transactional` and `security` are always allowed. Marketing needs a
 * confirmed contact. `repermission` needs a contact that has not unsubscribed. Both wait while
 * marketing is paused.
 */
export function getRecipientRefusal(
  stream: Stream,
  contact: Pick<Contact, 'email' | 'status'> | undefined,
  paused: boolean,
): Refusal | undefined {
  if (stream === 'transactional' || stream === 'security') return undefined
  const details = { status: contact?.status ?? null }
  if (contact?.status === 'unsubscribed') {
    const message =
      'The recipient has unsubscribed. Marketing and confirmation requests are no longer sent to this address.'
    return { why: 'contact_unsubscribed', message, details }
  }
  if (stream === 'repermission') {
    if (contact) return paused ? pausedMarketing : undefined
    return {
      why: 'contact_not_confirmed',
      message: 'The `repermission` stream sends only to contacts. Add the contact first.',
      details,
    }
  }
  if (contact?.status !== 'confirmed') {
    const message = contact
      ? 'The contact has not confirmed. Use the `repermission` stream to request confirmation.'
      : 'The recipient is not a confirmed contact. The `subscribed` stream sends only to confirmed contacts.'
    return { why: 'contact_not_confirmed', message, details }
  }
  return paused ? pausedMarketing : undefined
}

const pausedMarketing: Refusal = {
  why: 'marketing_paused',
  message: 'Marketing email is paused because of your sender reputation. GET /send/v1/status returns the reason.',
  details: {},
}

export function getRepeatRefusal(stream: Stream, askedAt: Date | null | undefined): Refusal | undefined {
  if (stream !== 'repermission' || !askedAt) return undefined
  const next = new Date(askedAt.getTime() + askAgainDays * 86_400_000)
  if (next.getTime() <= Date.now()) return undefined
  const message = `The contact has already received a confirmation request. Send another one after ${askAgainDays} days.`
  return { why: 'contact_asked', message, details: { again_at: next.toISOString() } }
}
