import { z } from 'zod'
import { publicUrl, requireVariable } from '#lib/config.ts'
import { getDomain } from '#lib/email-address.ts'
import { Later } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as asking from '#sql/email/contacts/asking.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as reconfirmations from '#sql/email/contacts/reconfirmations.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import type * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as reputation from '#sql/email/delivery/reputation.ts'
import * as domains from '#sql/email/domains.ts'
import * as usage from '#sql/email/usage.ts'
import { task } from '../queue/task.ts'
import { fillConfirmUrl } from './rules/consent/reconfirm-text.ts'
import { getDomainRefusal } from './rules/consent/stream-rules.ts'
import { confirmUrl } from './rules/consent/unsubscribe-link.ts'
import { recordMessages } from './rules/record-messages.ts'

/** Number of contacts per transaction. Lower than for a campaign, because each message has its own content. */
const pageSize = 200

/** Number of pages per run. Then other jobs get their turn. */
const pagesPerRun = 200

/**
 * Asks every unconfirmed contact to confirm, page by page. A crash between pages neither omits nor repeats contacts.
 */
export const reconfirm = task({
  name: 'email/reconfirm',
  pool: 'mail-campaign',
  payload: z.object({ reconfirmationId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ reconfirmationId }, { db, signal }) {
    const secret = requireVariable('SIGNING_SECRET')
    for (let page = 0; page < pagesPerRun; page++) {
      signal.throwIfAborted()
      if (!(await db.transaction((tx) => askPage(tx, reconfirmationId, secret)))) return
    }
    throw new Later(0, 'more contacts follow')
  },
  async giveUp({ reconfirmationId }, error, { db }) {
    await reconfirmations.end(
      db,
      reconfirmationId,
      `The reconfirmation stopped: ${error.name}. Start another one to continue.`,
    )
  },
})

/** Asks the next page of contacts. Returns true if another page follows. */
async function askPage(tx: Db, id: string, secret: string): Promise<boolean> {
  const round = await reconfirmations.lockOpen(tx, id)
  if (!round) return false
  const hindrance = await hindranceOf(tx, round)
  const page = hindrance ? [] : await asking.lockUnasked(tx, round.org_id, round.after_id, pageSize)
  const last = page.at(-1)
  if (!last) {
    await reconfirmations.end(tx, id, hindrance ?? null)
    return false
  }
  const suppressed = await suppressions.findMany(tx, page)
  const holds = suppressed.filter(({ reason }) => suppressions.appliesTo(reason, 'repermission'))
  const addresses = new Set(holds.map(({ email }) => email))
  const wanted = page.filter(({ email }) => !addresses.has(email))
  const granted = (await usage.take(tx, [{ org_id: round.org_id, messages: wanted.length }])).get(round.org_id) ?? 0
  await ask(tx, round, wanted.slice(0, granted), secret)
  // Contacts that are skipped now count as not asked, so another round can ask them.
  await reconfirmations.advance(tx, id, last.id, granted)
  if (granted === wanted.length) return true
  await reconfirmations.end(tx, id, 'The plan’s messages for this month are used up.')
  return false
}

/** Returns why the round cannot continue, as a sentence. Undefined if it can continue. */
async function hindranceOf(tx: Db, round: reconfirmations.Reconfirmation): Promise<string | undefined> {
  const name = getDomain(round.from_email)
  const refusal = getDomainRefusal(name, (await domains.find(tx, round.org_id, name)) ?? undefined, undefined)
  if (refusal) return refusal.message
  const paused = await reputation.pausedAmong(tx, [round.org_id])
  return paused.has(round.org_id) ? 'The reputation gate paused marketing.' : undefined
}

async function ask(
  tx: Db,
  round: reconfirmations.Reconfirmation,
  asked: readonly contacts.Contact[],
  secret: string,
): Promise<void> {
  if (asked.length === 0) return
  const { org_id } = round
  const made = asked.map((contact) => ({ contact, id: newId(), content_id: newId() }))
  await contents.insertMany(
    tx,
    made.map(({ id, content_id }) => {
      const filled = fillConfirmUrl(round, confirmUrl(publicUrl(), id, secret))
      return { id: content_id, org_id, ...filled, reply_to: null, headers: {}, attachments: [] }
    }),
  )
  await recordMessages(
    tx,
    made.map(({ contact, id, content_id }) => ({ row: messageTo(contact, round, id, content_id) })),
  )
  await asking.setAsked(
    tx,
    asked.map(({ id }) => id),
  )
  await events.insertMany(
    tx,
    made.map(({ contact, id: message_id }) => ({
      org_id,
      contact_id: contact.id,
      kind: 'asked' as const,
      source: 'api' as const,
      message_id,
      detail: null,
    })),
  )
}

function messageTo(
  contact: contacts.Contact,
  { org_id, key_id, domain_id, from_email, from_name, subject }: reconfirmations.Reconfirmation,
  id: string,
  content_id: string,
) {
  return {
    id,
    org_id,
    key_id,
    domain_id,
    from_email,
    from_name,
    subject,
    content_id,
    sandbox: false,
    stream: 'repermission' as const,
    to_email: contact.email,
    to_written: contact.written,
    contact_id: contact.id,
    campaign_id: null,
    template_id: null,
    status: 'queued' as const,
    reason: null,
    reply_class: null,
    message_id: `${id}@${getDomain(from_email)}`,
  }
}
