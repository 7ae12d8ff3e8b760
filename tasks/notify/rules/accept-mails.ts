import type { Fault } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as domains from '#sql/email/domains.ts'
import * as copies from '#sql/notify/copies.ts'
import { type AcceptResult, acceptMessages, type MessageRequest } from '../../email/rules/accept-messages.ts'
import { noSuchAlias, noSuchTemplate } from '../../email/rules/message-parts.ts'
import { isTemplateId } from '../../email/rules/templates/names.ts'
import { prerenderMessages } from '../../email/rules/templates/prerender.ts'

/** A copy to send. Copies of a test key’s event go only to the test inbox. */
export type SendableCopy = copies.WaitingCopy & { sandbox?: boolean }

/** One email and its copies: a single copy, or the copies of a digest from one email address to another. */
export interface EmailRequest {
  copies: readonly [SendableCopy, ...SendableCopy[]]
  subject: string
  text: string
  /** Email template. `name` is an ID or an alias. */
  template?: { name: string; variables: Readonly<Record<string, unknown>> } | undefined
  /** HTML of the brand. */
  html?: string | undefined
  /** Why the email cannot be created. */
  refused?: { reason: string; detail: string } | undefined
}

type Outcome = Omit<copies.EndedCopy, 'event_id' | 'channel'>

/** Submits emails to the email area and records the result of every copy, in the caller’s transaction. */
export async function acceptMails(tx: Db, mails: readonly EmailRequest[]): Promise<void> {
  await copies.endMany(tx, await submitMails(tx, mails))
}

export async function submitMails(tx: Db, mails: readonly EmailRequest[]): Promise<copies.EndedCopy[]> {
  const contactOf = await lookUpContacts(tx, mails)
  const senderOf = await lookUpSenders(tx, mails)
  const checked = mails.map((mail) => ({ mail, ...judge(mail, contactOf(mail), senderOf(mail)) }))
  const sound = checked.flatMap((one) => ('wanted' in one ? [one] : []))
  const accepted = await acceptMessages(
    tx,
    await prerenderMessages(
      tx,
      sound.map(({ wanted }) => wanted),
    ),
  )
  const outcomes = new Map(sound.map(({ mail }, i) => [mail, outcomeOf(accepted[i] as AcceptResult)]))
  return checked.flatMap((one) => {
    const outcome = 'refused' in one ? one.refused : (outcomes.get(one.mail) as Outcome)
    return one.mail.copies.map(({ event_id, channel }) => ({ event_id, channel, ...outcome }))
  })
}

async function lookUpContacts(
  tx: Db,
  mails: readonly EmailRequest[],
): Promise<(mail: EmailRequest) => contacts.Contact | undefined> {
  const wanted = (tested: boolean) =>
    mails.flatMap(({ copies: [{ org_id, recipient, is_contact, sandbox = false }] }) =>
      is_contact && sandbox === tested ? [{ org_id, email: recipient }] : [],
    )
  const [live, tested] = [await contacts.findMany(tx, wanted(false)), await contacts.findMany(tx, wanted(true), true)]
  const [byLive, byTest] = [live, tested].map((all) => new Map(all.map((one) => [`${one.org_id} ${one.email}`, one])))
  return ({ copies: [{ org_id, recipient, sandbox }] }) => (sandbox ? byTest : byLive)?.get(`${org_id} ${recipient}`)
}

/** Returns sender addresses for emails whose events contain none, from a domain that the event’s key can use. */
async function lookUpSenders(
  tx: Db,
  mails: readonly EmailRequest[],
): Promise<(mail: EmailRequest) => string | undefined> {
  const lockOf = ({ copies: [{ org_id, from_domains }] }: EmailRequest) => JSON.stringify([org_id, from_domains])
  const found = new Map<string, string | undefined>()
  for (const mail of mails) {
    const [{ org_id, sender, from_domains }] = mail.copies
    if (sender !== null || found.has(lockOf(mail))) continue
    const allowed = from_domains?.map((domain) => domain.toLowerCase())
    const oldest = await domains.oldestVerified(tx, org_id, allowed)
    found.set(lockOf(mail), oldest ? `notifications@${oldest.domain}` : undefined)
  }
  return (mail) => mail.copies[0].sender ?? found.get(lockOf(mail))
}

const refused = (reason: string, detail: string): Outcome => ({ status: 'refused', reason, detail, message_id: null })

/** Returns the message of an email. Returns a refusal if the email has no sender or cannot be sent to its recipient. */
function judge(
  { copies: [first], subject, text, html, template, refused: unmade }: EmailRequest,
  contact: contacts.Contact | undefined,
  from: string | undefined,
): { wanted: MessageRequest } | { refused: Outcome } {
  const { org_id, recipient, is_contact, from_domains, key_id, sandbox = false } = first
  if (unmade) return { refused: refused(unmade.reason, unmade.detail) }
  if (is_contact && !contact) return { refused: refused('no_contact', 'The address does not belong to a contact.') }
  if (is_contact && contact?.status === 'unsubscribed')
    return { refused: refused('contact_unsubscribed', 'The contact has unsubscribed.') }
  // Test emails need no domain, because developers test before they set up DNS.
  const sender = from ?? (sandbox ? 'notifications@sandbox.example' : undefined)
  if (sender === undefined) {
    const detail = 'The organisation has no verified domain to send from.'
    return { refused: refused('domain_not_verified', detail) }
  }
  return {
    wanted: {
      message: {
        ...{ org_id, key_id, sandbox, stream: 'transactional' },
        ...(template && isTemplateId(template.name) && { template_id: template.name }),
      },
      content: {},
      fromDomains: from_domains ?? undefined,
      from: { email: sender },
      to: recipient,
      ...(template
        ? {
            variables: template.variables,
            hasMoreVariables: true as const,
            ...(!isTemplateId(template.name) && { template: template.name }),
          }
        : { subject, text, html }),
    },
  }
}

/** Returns the result of a submitted email: accepted, or refused with the reason. */
export function outcomeOf(one: AcceptResult): Outcome {
  if ('message' in one) return { status: 'accepted', reason: null, detail: null, message_id: one.message.id }
  if ('refusal' in one) return refused(one.refusal.why, one.refusal.message)
  if ('overCap' in one)
    return refused('monthly_limit_reached', 'The monthly message limit of the plan has been reached.')
  if ('sandboxFull' in one) return refused('sandbox_limit', 'The sandbox is full.')
  const detail = one.faults.map(({ field, issue }) => `${field.replace(/^body\./, '')} ${issue}`).join('; ')
  return refused(reasonOf(one.faults), detail)
}

function reasonOf(faults: readonly Fault[]): string {
  const isOf = (name: string) => faults.some(({ field }) => field === name || field.startsWith(`${name}.`))
  if (faults.some(({ issue }) => issue === noSuchTemplate || issue === noSuchAlias)) return 'template_missing'
  return isOf('body.template') || isOf('body.template_id') || isOf('body.variables') ? 'template_failed' : 'bad_request'
}
