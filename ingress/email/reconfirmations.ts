import { z } from 'zod'
import { Address, getDomain } from '#lib/email-address.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as asking from '#sql/email/contacts/asking.ts'
import { askAgainDays } from '#sql/email/contacts/past-asked.ts'
import * as rounds from '#sql/email/contacts/reconfirmations.ts'
import * as reputation from '#sql/email/delivery/reputation.ts'
import * as domains from '#sql/email/domains.ts'
import { reconfirm } from '#tasks/email/reconfirm.ts'
import { confirmVariable, defaultMessage, findPlaceholderFault } from '#tasks/email/rules/consent/reconfirm-text.ts'
import { getDomainRefusal, type Refusal } from '#tasks/email/rules/consent/stream-rules.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { route } from '../http/route.ts'
import { DisplayName, Subject } from './fields.ts'
import { createRefusal, domainRefusals, marketingPaused } from './messages/refusals.ts'
import { isSandbox } from './messages/sandbox.ts'

// The size is limited, because each message stores its own copy.
const Html = z
  .string()
  .min(1)
  .max(50_000)
  .check((context) => {
    const issue = findPlaceholderFault(context.value)
    if (issue) context.issues.push({ code: 'custom', message: issue, input: context.value })
  })

export const create = route({
  method: 'POST',
  path: '/contacts/reconfirm',
  summary: 'Ask all unconfirmed contacts to confirm',
  description: `Sends each unconfirmed contact one message on the \`repermission\` stream, with a link to the confirmation page. Suppressed contacts and contacts asked within ${askAgainDays} days are skipped. A test key only counts the contacts.`,
  scope: ['email:manage', 'email:send'],
  testKeys: 'sandbox',
  locks: ['from_domains'],
  enqueues: reconfirm,
  idempotent: true,
  body: z
    .strictObject({
      from_email: Address.describe('Sender. Default: `hello@` your oldest verified domain.'),
      from_name: DisplayName,
      subject: Subject.describe(`Subject. Default: “${defaultMessage.subject}”.`),
      html: Html.describe(`HTML of the message, with a link to \`${confirmVariable}\``),
    })
    .partial()
    .optional(),
  status: 202,
  reply: z
    .object({
      id: Id.nullable().describe('`null` if there are no contacts to ask'),
      contacts: z.int().describe('Number of contacts to ask'),
      from_email: z.string(),
      sandbox: z.boolean(),
    })
    .meta({ id: 'email.Reconfirmation' }),
  problems: [...domainRefusals, marketingPaused],
  example: { body: { from_email: 'news@example.com', from_name: 'Example' } },
  async handle({ body = {}, org, key, db }) {
    const { domain_id, from_email } = await senderOf(db, { org, key }, body.from_email)
    if ((await reputation.pausedAmong(db, [org.id])).has(org.id)) {
      throw marketingPaused(
        'Marketing email is paused because of your sender reputation. GET /send/v1/status returns the reason.',
      )
    }
    const sandbox = isSandbox(key)
    const count = await asking.countUnasked(db, org.id, sandbox)
    if (sandbox || count === 0) return { id: null, contacts: count, from_email, sandbox }
    const id = newId()
    const { html, text } = body.html === undefined ? defaultMessage : { html: body.html, text: null }
    const subject = body.subject ?? defaultMessage.subject
    const from_name = body.from_name ?? null
    await rounds.insert(db, {
      id,
      org_id: org.id,
      key_id: key.id,
      domain_id,
      from_email,
      from_name,
      subject,
      html,
      text,
    })
    await enqueue(db, reconfirm, { reconfirmationId: id }, { orgId: org.id, key: `reconfirm:${id}` })
    return { id, contacts: count, from_email, sandbox }
  },
})

/** Returns the sender. The sender's domain must be verified and allowed for the key. */
async function senderOf(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, given: string | undefined) {
  const allowed = key.locks.from_domains?.map((name) => name.toLowerCase())
  const oldest = given === undefined ? await domains.oldestVerified(db, org.id, allowed) : undefined
  if (oldest) return { domain_id: oldest.id, from_email: `hello@${oldest.domain}` }
  if (given === undefined) {
    const message = 'This key has no verified domain to send from. Add a domain and publish its DNS records.'
    throw createRefusal({ why: 'domain_not_verified', message, details: { allowed: allowed ?? null } })
  }
  const name = getDomain(given)
  const domain = (await domains.find(db, org.id, name)) ?? undefined
  const refused = getDomainRefusal(name, domain, allowed)
  if (refused || !domain) throw createRefusal(refused as Refusal)
  return { domain_id: domain.id, from_email: given }
}
