import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import * as messages from '#sql/email/messages.ts'
import { acceptMessages } from '../../../email/rules/accept-messages.ts'
import { getTexts } from '../texts.ts'
import type { CodeChannel, CodeMessage, DeliveryReport, SendOutcome } from './channel.ts'

/** Returns the sender address: the address of the settings, otherwise an address of the oldest verified domain. */
export async function findSender(
  db: Db,
  orgId: string,
  fromEmail: string | null,
  fromDomains: readonly string[] | undefined,
): Promise<string | null> {
  if (fromEmail !== null) return fromEmail
  const allowed = fromDomains?.map((domain) => domain.toLowerCase())
  const oldest = await domains.oldestVerified(db, orgId, allowed)
  return oldest && `verify@${oldest.domain}`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

function partsOf({ verification: { brand, locale, ttl }, code }: CodeMessage) {
  const { subject, body, ignore } = getTexts(locale)
  const minutes = Math.max(1, Math.round(ttl / 60))
  const sentence = escaped(body(brand, '\u0000', minutes)).replace(
    '\u0000',
    `<strong style="font-size:1.5em;letter-spacing:0.1em">${code}</strong>`,
  )
  return {
    subject: subject(brand),
    text: `${body(brand, code, minutes)}\n\n${ignore}\n`,
    html: `<p>${sentence}</p><p>${escaped(ignore)}</p>`,
  }
}

async function send(tx: Db, message: CodeMessage): Promise<SendOutcome> {
  const { verification, settings, fromDomains } = message
  const { org_id, key_id, sandbox, brand, recipient } = verification
  const sender = await findSender(tx, org_id, settings.from_email, fromDomains)
  // Test emails need no domain, because developers test before they set up DNS.
  const email = sender ?? (sandbox ? 'verify@sandbox.example' : null)
  if (email === null) return { refused: 'domain_not_verified' }
  const [result] = await acceptMessages(tx, [
    {
      message: { org_id, key_id, sandbox, stream: 'security' },
      content: { headers: { 'Auto-Submitted': 'auto-generated' } },
      fromDomains,
      from: { email, ...(brand !== null && { name: brand }) },
      to: recipient,
      ...partsOf(message),
    },
  ])
  if (!result || 'faults' in result) return { refused: 'bad_request' }
  if ('message' in result) return { messageId: result.message.id }
  if ('refusal' in result) return { refused: result.refusal.why }
  return { refused: 'overCap' in result ? 'monthly_limit_reached' : 'sandbox_limit' }
}

async function report(db: Db, orgId: string, messageId: string): Promise<DeliveryReport | null> {
  const found = await messages.find(db, orgId, messageId)
  if (!found) return null
  const { status, reply_class } = found
  if (status === 'bounced' || status === 'failed') return { delivery: 'failed', reason: reply_class ?? status }
  if (status === 'suppressed' || status === 'cancelled') return { delivery: 'failed', reason: status }
  if (status === 'delivered' || status === 'complained') return { delivery: 'delivered', reason: null }
  return { delivery: status === 'sent' ? 'sent' : 'queued', reason: null }
}

export const email: CodeChannel = { send, report }
