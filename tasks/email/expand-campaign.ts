import { z } from 'zod'
import { getDomain } from '#lib/email-address.ts'
import { Later } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { listPlaceholders } from '#lib/placeholders.ts'
import type { Db } from '#sql/db.ts'
import * as reservations from '#sql/email/campaign-reservations.ts'
import * as campaigns from '#sql/email/campaigns.ts'
import type { Segment } from '#sql/email/contacts/segment-conditions.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import * as contacts from '#sql/email/contacts.ts'
import * as contents from '#sql/email/contents.ts'
import * as merges from '#sql/email/delivery/merges.ts'
import * as sandboxes from '#sql/email/sandbox.ts'
import * as topics from '#sql/email/topics.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { endCampaign } from './end-campaign.ts'
import { emitCampaignEvent } from './rules/campaigns/events.ts'
import { findDomainOrFault } from './rules/campaigns/hindrance.ts'
import { hold } from './rules/campaigns/hold.ts'
import { toLiquidFields } from './rules/campaigns/liquid-campaign.ts'
import {
  fieldNames,
  fillSubject,
  getFieldValues,
  type MergeFields,
  withPreheader,
} from './rules/campaigns/merge-fields.ts'
import { prepareLiquid } from './rules/campaigns/prepare-liquid.ts'
import { getTopicRefusal } from './rules/consent/topic-rules.ts'
import { type NewMail, recordMessages } from './rules/record-messages.ts'
import { isFault, loadPartials } from './rules/templates/bundle.ts'

/** Number of contacts per transaction. Marketing messages to single recipients wait for its daily counts. */
const pageSize = 100

/**
 * Maximum number of messages that are counted in advance, in a separate transaction. A page does not lock the usage of
 * the organisation, because single messages would wait for the whole page: 60 ms with 100 contacts.
 */
const reservedAtOnce = 1_000

/**
 * Number of pages per run, about 10 seconds. A job whose worker dies in three runs in succession is given up, so a long
 * run would pause the campaign when workers are replaced.
 */
const pagesPerRun = 100

/**
 * Creates a message for each recipient of a campaign, page by page. A crash between pages neither loses nor repeats
 * messages.
 */
export const expandCampaign = task({
  name: 'email/expand-campaign',
  pool: 'mail-campaign',
  payload: z.object({ campaignId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  async run({ campaignId }, { db, signal }) {
    let isShort = false
    for (let page = 0; page < pagesPerRun; page++) {
      signal.throwIfAborted()
      const expanded = await db.transaction((tx) => expandPage(tx, campaignId, isShort))
      if (expanded === 'ended') return
      isShort = expanded === 'unreserved' && !(await db.transaction((tx) => reserve(tx, campaignId)))
    }
    throw new Later(0, 'more contacts follow')
  },
  async giveUp({ campaignId }, error, { db }) {
    await db.transaction((tx) => hold(tx, campaignId, `The campaign stopped: ${error.name}. Send it again to resume.`))
  },
})

/**
 * Sends a draft or resumes a paused campaign. Returns null if the campaign is neither, and `no_segment` if its segment
 * was deleted.
 */
export async function sendCampaign(
  tx: Db,
  orgId: string,
  id: string,
): Promise<campaigns.Campaign | null | 'no_segment'> {
  const before = await campaigns.lock(tx, id)
  if (before?.org_id !== orgId) return null
  const segment = before.started_at ? before.segment : await segmentOf(tx, before)
  if (segment === 'no_segment') return segment
  const campaign = await campaigns.startSending(tx, orgId, id, segment)
  if (!campaign) return null
  const { text } = campaign
  await contents.upsert(tx, {
    id,
    org_id: orgId,
    html: withPreheader(campaign),
    text,
    reply_to: null,
    headers: {},
    attachments: [],
    ...(campaign.syntax === 'liquid' && { partials: await partialsOf(tx, campaign) }),
  })
  await enqueue(tx, expandCampaign, { campaignId: id }, { orgId })
  return campaign
}

async function segmentOf(tx: Db, { org_id, segment_id }: campaigns.Campaign): Promise<Segment | null | 'no_segment'> {
  if (segment_id === null) return null
  const found = await segments.find(tx, org_id, segment_id)
  if (!found) return 'no_segment'
  const { match, conditions, groups } = found
  return { match, conditions, groups }
}

/** Counts the next messages of a campaign. Returns false if the plan or a budget grants fewer than wanted. */
async function reserve(tx: Db, id: string): Promise<boolean> {
  const campaign = await campaigns.lock(tx, id)
  if (campaign?.status !== 'sending') return true
  const wanted = Math.max(pageSize, Math.min(reservedAtOnce, campaign.recipients - campaign.expanded))
  return (await reservations.reserve(tx, campaign, wanted)) === wanted
}

/**
 * Processes one page of contacts. Returns `ended` if no contacts are left or the campaign has stopped. Returns
 * `unreserved`, without an effect, if more messages must be reserved first. With `isShort`, the limit is reached.
 */
async function expandPage(tx: Db, id: string, isShort: boolean): Promise<'more' | 'unreserved' | 'ended'> {
  const campaign = await campaigns.lock(tx, id)
  if (campaign?.status !== 'sending') return 'ended'
  const { org_id, last_contact, sandbox, segment } = campaign
  const domain = await findDomainOrFault(tx, campaign)
  if (typeof domain === 'string') {
    await hold(tx, id, domain)
    return 'ended'
  }
  const { page, end } = await contacts.listPage(tx, org_id, segment, last_contact, pageSize, sandbox)
  if (end === null) {
    await finish(tx, id)
    return 'ended'
  }
  const suppressed = await suppressedOf(tx, campaign, page)
  const wanted = page.filter(({ email }) => !suppressed.has(email))
  const room = sandbox ? await roomFor(tx, org_id) : await reservations.getReserved(tx, campaign)
  const granted = Math.min(wanted.length, room)
  if (granted < wanted.length && !sandbox && !isShort) return 'unreserved'
  // The month’s allowance can run out within a page. The rest of the page is processed later, with the following pages.
  const next = wanted[granted]
  const reached = next ? page.slice(0, page.indexOf(next)) : page
  const fault = await record(tx, campaign, domain.id, wanted.slice(0, granted))
  if (fault !== undefined) {
    await hold(tx, id, fault)
    return 'ended'
  }
  await campaigns.advance(tx, id, {
    expanded: campaign.expanded + reached.length,
    blocked: withBlocked(campaign.blocked, reached, suppressed),
    last_contact: next ? (reached.at(-1)?.id ?? last_contact) : end,
    reserved: sandbox ? campaign.reserved : campaign.reserved - granted,
  })
  if (!next) return 'more'
  await hold(tx, id, sandbox ? 'The sandbox is full of messages.' : monthIsOver)
  return 'ended'
}

/** A fault of loading has no partials. The first message then reports what is missing. */
async function partialsOf(tx: Db, { org_id, uses }: campaigns.Campaign): Promise<contents.Content['partials']> {
  const found = await loadPartials(tx, org_id, uses)
  return isFault(found) ? {} : (found as contents.Content['partials'])
}

/**
 * Stores a message for each contact, with the current values of its placeholders. Returns a reason to pause the campaign
 * if it cannot be rendered. Then nothing is stored.
 */
async function record(
  tx: Db,
  campaign: campaigns.Campaign,
  domainId: string,
  wanted: readonly contacts.Contact[],
): Promise<string | undefined> {
  const { subject, text } = campaign
  if (campaign.syntax === 'liquid') {
    const made = await prepareLiquid(tx, campaign, wanted)
    if ('fault' in made) return `The campaign cannot be rendered: ${made.fault}.`
    await recordAll(
      tx,
      campaign,
      wanted.map((contact, i) => ({
        mail: mailTo(contact, campaign, domainId, made.subjects[i] ?? ''),
        fields: toLiquidFields(contact),
      })),
      true,
    )
    return undefined
  }
  const html = withPreheader(campaign)
  const isPersonal = listPlaceholders(html, text).length > 0
  const [inSubject, inBody] = [fieldNames(subject), fieldNames(html, text)]
  const mails = wanted.map((contact) => ({
    mail: mailTo(contact, campaign, domainId, fillSubject(subject, getFieldValues(contact, inSubject))),
    fields: getFieldValues(contact, inBody),
  }))
  await recordAll(tx, campaign, mails, isPersonal)
  return undefined
}

async function recordAll(
  tx: Db,
  { sandbox }: campaigns.Campaign,
  mails: readonly { mail: NewMail; fields: MergeFields }[],
  isPersonal: boolean,
): Promise<void> {
  await recordMessages(
    tx,
    mails.map(({ mail }) => mail),
  )
  if (!isPersonal || sandbox) return
  await merges.insertMany(
    tx,
    mails.map(({ mail: { row }, fields }) => ({ message_id: row.id, org_id: row.org_id, fields })),
  )
}

async function finish(tx: Db, id: string): Promise<void> {
  const sent = await campaigns.finish(tx, id)
  if (!sent) return
  await reservations.giveBack(tx, sent)
  await emitCampaignEvent(tx, 'sent', sent)
  await enqueue(tx, endCampaign, { campaignId: id, since: Date.now() }, { orgId: sent.org_id })
}

/** Returns the contacts that get no message, with the reason: a suppression, or the topic. */
async function suppressedOf(
  tx: Db,
  { org_id, topic: key }: campaigns.Campaign,
  page: readonly contacts.Contact[],
): Promise<ReadonlyMap<string, string>> {
  const topic = key === null ? null : await topics.find(tx, org_id, key)
  const unwanted = topic ? page.filter((contact) => getTopicRefusal(topic, contact)) : []
  const found = await suppressions.findMany(
    tx,
    page.map(({ email }) => ({ org_id, email })),
  )
  return new Map([
    ...unwanted.map(({ email }) => [email, 'topic'] as const),
    ...found.map(({ email, reason }) => [email, reason] as const),
  ])
}

const roomFor = async (tx: Db, orgId: string): Promise<number> =>
  Math.max(0, (await sandboxes.lockRoom(tx, orgId)).messages)

const monthIsOver = 'The plan’s messages for this month are used up.'

function withBlocked(
  before: Readonly<Record<string, number>>,
  page: readonly contacts.Contact[],
  suppressed: ReadonlyMap<string, string>,
): Record<string, number> {
  const blocked = { ...before }
  for (const { email } of page) {
    const reason = suppressed.get(email)
    if (reason) blocked[reason] = (blocked[reason] ?? 0) + 1
  }
  return blocked
}

function mailTo(contact: contacts.Contact, campaign: campaigns.Campaign, domainId: string, subject: string): NewMail {
  const { id: campaign_id, org_id, key_id, sandbox, from_email, from_name, topic, track_opens, track_clicks } = campaign
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
      to_written: contact.written,
      content_id: campaign_id,
      campaign_id,
      topic,
      contact_id: contact.id,
      template_id: null,
      message_id: `${id}@${getDomain(from_email)}`,
      status: 'queued',
      reason: null,
      track_opens,
      track_clicks,
    },
    end: sandbox ? 'sent' : undefined,
  }
}
