import { z } from 'zod'
import { publicUrl, required } from '#lib/config.ts'
import { domainOf } from '#lib/email-address.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as events from '#sql/email/contact-events.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as daily from '#sql/email/daily.ts'
import * as domains from '#sql/email/domains.ts'
import * as messages from '#sql/email/messages.ts'
import * as reconfirmations from '#sql/email/reconfirmations.ts'
import * as reputation from '#sql/email/reputation.ts'
import * as suppressions from '#sql/email/suppressions.ts'
import { task } from '../queue/task.ts'
import { addDeliveries } from './add-deliveries.ts'
import { fillIn } from './reconfirm-text.ts'
import { confirmUrl } from './unsubscribe-link.ts'

/** Contacts of one transaction. */
const atOnce = 200

/** Asks every unconfirmed contact of an organisation to confirm, page by page. */
export const reconfirm = task({
  name: 'email/reconfirm',
  pool: 'mail-campaign',
  payload: z.object({ reconfirmationId: Id }),
  timeout: 10 * 60_000,
  async run({ reconfirmationId }, { own, signal }) {
    const secret = required('SIGNING_SECRET')
    while (!signal.aborted && (await own((tx) => askPage(tx, reconfirmationId, secret))));
    signal.throwIfAborted()
  },
  async giveUp({ reconfirmationId }, error, { db }) {
    await reconfirmations.end(db, reconfirmationId, error.message.slice(0, 500))
  },
})

/** Asks the next page of contacts; whether another follows. */
async function askPage(tx: Db, id: string, secret: string): Promise<boolean> {
  const round = await reconfirmations.lockOpen(tx, id)
  if (!round) return false
  const stopped = await reasonToStop(tx, round)
  const page = stopped ? [] : await contacts.lockUnasked(tx, round.org_id, round.after_id, atOnce)
  const last = page.at(-1)
  if (!last) {
    await reconfirmations.end(tx, id, stopped)
    return false
  }
  const suppressed = await suppressions.findMany(tx, page)
  const holds = new Set(
    suppressed.flatMap(({ email, reason }) => (suppressions.holdsFor(reason, 'repermission') ? [email] : [])),
  )
  const asked = page.filter(({ email }) => !holds.has(email))
  if (asked.length > 0) await ask(tx, round, asked, secret)
  await reconfirmations.advance(tx, id, last.id, asked.length)
  return true
}

async function reasonToStop(tx: Db, round: reconfirmations.Reconfirmation): Promise<string | null> {
  const domain = await domains.find(tx, round.org_id, domainOf(round.from_email))
  if (domain?.id !== round.domain_id || domain.status !== 'verified') return 'The From domain is not verified any more.'
  const paused = await reputation.pausedAmong(tx, [round.org_id])
  return paused.has(round.org_id) ? 'Marketing is paused.' : null
}

/** Queues a message for each of the contacts, and writes down that they are asked. */
async function ask(
  tx: Db,
  round: reconfirmations.Reconfirmation,
  asked: readonly contacts.Contact[],
  secret: string,
): Promise<void> {
  const { org_id, key_id, domain_id, from_email, from_name, subject } = round
  const made = asked.map((contact) => {
    const [id, content_id] = [newId(), newId()]
    const filled = fillIn(round, confirmUrl(publicUrl(), id, secret))
    const content = { id: content_id, org_id, ...filled, reply_to: null, headers: {}, attachments: [] }
    const message = {
      ...{ id, org_id, key_id, domain_id, from_email, from_name, subject, content_id },
      ...{ sandbox: false, stream: 'repermission' as const, to_email: contact.email, contact_id: contact.id },
      ...{ campaign_id: null, template_id: null, status: 'queued' as const, reason: null },
      message_id: `${id}@${domainOf(from_email)}`,
    }
    return { content, message }
  })
  await contents.insertMany(
    tx,
    made.map(({ content }) => content),
  )
  await messages.insertMany(
    tx,
    made.map(({ message }) => message),
  )
  const outgoing = made.map(({ message: { id, to_email } }) => ({
    ...{ messageId: id, orgId: org_id, stream: 'repermission' as const, toDomain: domainOf(to_email) },
  }))
  await addDeliveries(tx, outgoing)
  const day = new Date().toISOString().slice(0, 10)
  await daily.count(tx, [{ org_id, day, stream: 'repermission', accepted: made.length }])
  await contacts.setAsked(
    tx,
    asked.map(({ id }) => id),
  )
  await events.insertMany(
    tx,
    made.map(({ message: { id, contact_id } }) => ({
      ...{ org_id, contact_id, kind: 'asked' as const, source: 'api' as const, message_id: id, detail: null },
    })),
  )
}
