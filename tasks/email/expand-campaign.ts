import { z } from 'zod'
import { domainOf } from '#lib/email-address.ts'
import { Later } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as domains from '#sql/email/domains.ts'
import * as reputation from '#sql/email/reputation.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import * as suppressions from '#sql/email/suppressions.ts'
import * as usage from '#sql/email/usage.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { type NewMail, recordMessages } from './rules/record-messages.ts'
import { refusalOfDomain } from './rules/stream-rules.ts'

/** Contacts that one transaction goes through. */
const pageSize = 1_000

/** Pages of one run; then others have their turn. */
const pagesPerRun = 100

/** Makes a message for each confirmed contact, page by page: a crash between two pages loses none and doubles none. */
export const expandCampaign = task({
  name: 'email/expand-campaign',
  pool: 'mail-campaign',
  payload: z.object({ campaignId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ campaignId }, { db, signal }) {
    for (let page = 0; page < pagesPerRun; page++) {
      signal.throwIfAborted()
      if (!(await db.transaction((tx) => expandPage(tx, campaignId)))) return
    }
    throw new Later(0, 'more contacts are to come')
  },
  async giveUp({ campaignId }, error, { db }) {
    await campaigns.pause(db, campaignId, `It stopped midway: ${error.name}. Send it again to go on.`)
  },
})

/** Sends a draft or goes on with a paused campaign; null when it is neither. */
export async function sendCampaign(tx: Db, orgId: string, id: string): Promise<campaigns.Campaign | null> {
  const campaign = await campaigns.begin(tx, orgId, id)
  if (!campaign) return null
  const { html, text } = campaign
  await contents.put(tx, { id, org_id: orgId, html, text, reply_to: null, headers: {}, attachments: [] })
  await enqueue(tx, expandCampaign, { campaignId: id }, { orgId })
  return campaign
}

/** Goes through one page of contacts; false when there is nothing more to do. */
async function expandPage(tx: Db, id: string): Promise<boolean> {
  const campaign = await campaigns.lock(tx, id)
  if (campaign?.status !== 'sending') return false
  const { org_id, from_email, last_contact, sandbox } = campaign
  const domain = await domains.find(tx, org_id, domainOf(from_email))
  const hindrance = await hindranceOf(tx, campaign, domain)
  if (hindrance !== undefined || !domain) {
    await campaigns.pause(tx, id, hindrance ?? '')
    return false
  }
  const page = await contacts.pageOf(tx, org_id, 'confirmed', last_contact, pageSize, sandbox)
  if (page.length === 0) {
    await campaigns.finish(tx, id)
    return false
  }
  const suppressed = await suppressedOf(tx, org_id, page)
  const wanted = page.filter(({ email }) => !suppressed.has(email))
  const granted = await (sandbox ? roomFor : take)(tx, org_id, wanted.length)
  // The plan's month may end within the page: the rest waits with all that follow.
  const next = wanted[granted]
  const reached = next ? page.slice(0, page.indexOf(next)) : page
  await recordMessages(
    tx,
    wanted.slice(0, granted).map((contact) => mailTo(contact, campaign, domain.id)),
  )
  await campaigns.advance(tx, id, {
    expanded: campaign.expanded + reached.length,
    blocked: withBlocked(campaign.blocked, reached, suppressed),
    last_contact: reached.at(-1)?.id ?? last_contact,
  })
  if (next) await campaigns.pause(tx, id, sandbox ? 'The sandbox keeps as many messages as it may.' : monthIsOver)
  return !next
}

/** Why the campaign cannot go on, in a sentence. */
async function hindranceOf(
  tx: Db,
  { org_id, from_email, sandbox }: campaigns.Campaign,
  domain: domains.EmailDomain | null,
): Promise<string | undefined> {
  const refusal = refusalOfDomain(domainOf(from_email), domain ?? undefined, undefined)
  if (refusal) return refusal.message
  if (sandbox || !(await reputation.pausedAmong(tx, [org_id])).has(org_id)) return undefined
  return 'Marketing was paused by the reputation gate.'
}

/** Why addresses of a page are not sent to. */
async function suppressedOf(tx: Db, orgId: string, page: readonly contacts.Contact[]) {
  const wanted = page.map(({ email }) => ({ org_id: orgId, email }))
  const found = await suppressions.findMany(tx, wanted)
  return new Map(found.map(({ email, reason }) => [email, reason]))
}

const take = async (tx: Db, orgId: string, messages: number): Promise<number> =>
  (await usage.take(tx, [{ org_id: orgId, messages }])).get(orgId) ?? 0

const roomFor = async (tx: Db, orgId: string, messages: number): Promise<number> =>
  Math.max(0, Math.min(messages, (await sandboxes.lockRoom(tx, orgId)).messages))

const monthIsOver = 'The plan’s messages of this month are used up.'

function withBlocked(
  before: Readonly<Record<string, number>>,
  page: readonly contacts.Contact[],
  suppressed: ReadonlyMap<string, suppressions.Reason>,
): Record<string, number> {
  const blocked = { ...before }
  for (const { email } of page) {
    const reason = suppressed.get(email)
    if (reason) blocked[reason] = (blocked[reason] ?? 0) + 1
  }
  return blocked
}

function mailTo(contact: contacts.Contact, campaign: campaigns.Campaign, domainId: string): NewMail {
  const { id: campaign_id, org_id, key_id, sandbox, from_email, from_name, subject } = campaign
  const id = newId()
  return {
    row: {
      id,
      org_id,
      key_id,
      sandbox,
      stream: 'subscribed',
      domain_id: domainId,
      from_email,
      from_name,
      subject,
      to_email: contact.email,
      content_id: campaign_id,
      campaign_id,
      contact_id: contact.id,
      template_id: null,
      message_id: `${id}@${domainOf(from_email)}`,
      status: 'queued',
      reason: null,
    },
    end: sandbox ? 'sent' : undefined,
  }
}
