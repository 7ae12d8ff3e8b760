import { z } from 'zod'
import { domainOf } from '#lib/email-address.ts'
import { badRequest, conflict } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/campaigns.ts'
import * as domains from '#sql/email/domains.ts'
import * as reputation from '#sql/email/reputation.ts'
import * as segments from '#sql/email/segments.ts'
import * as usage from '#sql/email/usage.ts'
import { demandBudget } from '#tasks/account/rules/budget-reached.ts'
import { scheduleCampaign } from '#tasks/email/begin-campaign.ts'
import { sendCampaign } from '#tasks/email/expand-campaign.ts'
import { refusalOfDomain } from '#tasks/email/rules/stream-rules.ts'
import { cancelCampaign } from '#tasks/email/withdraw-campaign.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { campaignFields } from './campaign-fields.ts'
import { Preview, PreviewBody, previewOf, sendTest, TestBody, TestReply } from './campaign-previews.ts'
import { Campaign, CampaignSummary, present, summarize } from './present-campaign.ts'
import { reached, reachOf } from './reach.ts'
import { domainRefusals, limitReached, marketingPaused, overCap, refusal } from './refusals.ts'
import { isSandbox, sandboxLimit } from './sandbox.ts'

const params = z.object({ id: pathId('campaign') })

const notSendable = problem(409, 'campaign_not_sendable', 'it is being sent, is sent, or is cancelled')
const begun = problem(409, 'campaign_begun', 'some of it was sent already: what it says and to whom stays')
const noSegment = problem(409, 'segment_gone', 'the segment that it is for was deleted')

/** Adds a campaign; nothing is sent yet. */
export const create = route({
  method: 'POST',
  path: '/campaigns',
  summary: 'Create a campaign',
  description:
    'It goes to every confirmed contact, or those of a segment, on the subscribed stream, once it is sent. Its subject, HTML and text ' +
    'may name fields of the contact, each with a fallback: `{{contact.name|"there"}}`.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  bodyLimit: 3 * 1024 * 1024,
  body: z.strictObject(campaignFields),
  idempotent: true,
  status: 201,
  reply: CampaignSummary,
  problems: domainRefusals,
  example: {
    body: {
      name: 'November',
      subject: 'What is new in November',
      html: '<h1>News</h1>',
      from_email: 'news@example.com',
    },
  },
  async handle({ body, org, key, db }) {
    await demandDomain(db, { org, key }, body.from_email)
    await demandSegment(db, org.id, body.segment_id)
    const { text = null, from_name = null, preheader = null, segment_id = null, ...given } = body
    const about = { id: newId(), org_id: org.id, key_id: key.id, sandbox: isSandbox(key) }
    return summarize(await rows.insert(db, { ...given, ...about, text, from_name, preheader, segment_id }))
  },
})

/** The campaign, if the key reaches it; throws 404. */
const findReached = (db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<rows.Campaign> =>
  mustFind(reached(key, rows.find(db, org.id, id)), 'campaign')

async function demandDomain(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, from: string): Promise<void> {
  const name = domainOf(from)
  const domain = await domains.find(db, org.id, name)
  const refused = refusalOfDomain(name, domain ?? undefined, key.locks.from_domains)
  if (refused) throw refusal(refused)
}

async function demandSegment(db: Db, orgId: string, id: string | null | undefined): Promise<void> {
  if (id === null || id === undefined || (await segments.find(db, orgId, id))) return
  throw badRequest([{ field: 'body.segment_id', issue: 'is no segment of yours' }])
}

/** Changes a campaign of which nothing was sent yet. */
export const update = route({
  method: 'PATCH',
  path: '/campaigns/{id}',
  summary: 'Change a campaign that has not begun',
  description: 'A draft, or one that is scheduled: it then begins as it is by that time.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  bodyLimit: 3 * 1024 * 1024,
  params,
  body: z
    .strictObject(campaignFields)
    .partial()
    .refine((body) => Object.values(body).some((value) => value !== undefined), { error: 'must change something' }),
  status: 200,
  reply: Campaign,
  problems: ['not_found', ...domainRefusals, begun],
  async handle({ params, body, org, key, db }) {
    const before = await findReached(db, { org, key }, params.id)
    if (body.from_email !== undefined) await demandDomain(db, { org, key }, body.from_email)
    await demandSegment(db, org.id, body.segment_id)
    const changed = await rows.update(db, org.id, params.id, body)
    if (!changed) throw begun(`The campaign is ${before.status}.`, { status: before.status })
    return await present(db, changed)
  },
})

/** Shows a campaign as one contact would get it. */
export const preview = route({
  method: 'POST',
  path: '/campaigns/{id}/preview',
  repeatable: true,
  summary: 'See a campaign as a contact would get it',
  description: 'Returns the campaign with the merge fields of one contact filled in. Nothing is sent.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  body: PreviewBody,
  status: 200,
  reply: Preview,
  problems: ['not_found'],
  example: { body: { contact: 'ann@example.net' } },
  async handle({ params, body = {}, org, key, db }) {
    return await previewOf(db, await findReached(db, { org, key }, params.id), body.contact)
  },
})

/** Sends a campaign to a few addresses, marked as a test. */
export const test = route({
  method: 'POST',
  path: '/campaigns/{id}/test',
  summary: 'Send a test of a campaign',
  description:
    'To up to five addresses, with `[Test]` before its subject; it is in none of the campaign’s counts, and its link unsubscribes nobody.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  limit: { perMinute: 20, by: 'org' },
  params,
  body: TestBody,
  idempotent: true,
  status: 202,
  reply: TestReply,
  problems: ['not_found', ...domainRefusals, overCap, sandboxLimit],
  example: { body: { to: ['me@example.com'], contact: 'ann@example.net' } },
  async handle({ params, body: { to, contact }, org, key, db }) {
    const campaign = await findReached(db, { org, key }, params.id)
    const { sandbox } = campaign
    if (!sandbox) await demandBudget(db, org.id, 'email.messages', overCap.code)
    const call = { campaign, to, contact, keyId: key.id, sandbox, fromDomains: key.locks.from_domains }
    return await sendTest(db, call)
  },
})

/** Campaigns, newest first. */
export const list = listRoute({
  path: '/campaigns',
  summary: 'List campaigns, newest first',
  description: 'Returns campaigns with their status and their number of recipients.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  item: CampaignSummary,
  rows: ({ org, key, db }, page) => rows.list(db, org.id, { ...page, reach: reachOf(key) }),
  present: summarize,
})

/** One campaign: whom it has reached, and whom it is blocked from. */
export const read = route({
  method: 'GET',
  path: '/campaigns/{id}',
  summary: 'Read a campaign and its counts',
  description: 'Returns the campaign with its content, its progress and the number of messages in each status.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  status: 200,
  reply: Campaign,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    return await present(db, await findReached(db, { org, key }, params.id))
  },
})

/** Sends a draft, or goes on with a paused campaign. */
export const send = route({
  method: 'POST',
  path: '/campaigns/{id}/send',
  summary: 'Send a campaign',
  description:
    'Refused while marketing is paused. A campaign that was paused midway goes on where it stopped: nobody gets it twice.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  idempotent: true,
  status: 202,
  reply: Campaign,
  problems: ['not_found', ...domainRefusals, marketingPaused, notSendable, noSegment, overCap],
  async handle({ params, org, key, db }) {
    const campaign = await sendable(db, { org, key }, params.id)
    const sent = await sendCampaign(db, org.id, params.id)
    if (sent === 'no_segment') throw noSegment('The segment that the campaign is for was deleted: give it another one.')
    if (!sent) throw notSendable(`The campaign is ${campaign.status}.`, { status: campaign.status })
    return await present(db, sent)
  },
})

/** Has a campaign begin later; asked for once more before that, it changes the time. */
export const schedule = route({
  method: 'POST',
  path: '/campaigns/{id}/schedule',
  summary: 'Send a campaign later',
  description:
    'It begins at `send_at`, as it is by then, to whom its segment has by then; until that it may be changed, put off, sent at once or cancelled.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  body: z.strictObject({ send_at: InstantInput.describe('When it begins, within a year; what is past is now') }),
  idempotent: true,
  status: 202,
  reply: Campaign,
  problems: ['not_found', ...domainRefusals, marketingPaused, notSendable, overCap],
  example: { body: { send_at: '2027-01-31T09:00:00Z' } },
  async handle({ params, body, org, key, db }) {
    const at = new Date(body.send_at)
    if (at.getTime() > Date.now() + yearMs) {
      throw badRequest([{ field: 'body.send_at', issue: 'must lie within a year' }])
    }
    const campaign = await sendable(db, { org, key }, params.id)
    const scheduled = await scheduleCampaign(db, org.id, params.id, at)
    if (!scheduled) throw notSendable(`The campaign is ${campaign.status}.`, { status: campaign.status })
    return await present(db, scheduled)
  },
})

const yearMs = 366 * 86_400_000

/** A campaign that may be sent by a key, now: by its domain, the reputation gate, the plan and the budget. */
async function sendable(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<rows.Campaign> {
  const campaign = await findReached(db, { org, key }, id)
  await demandDomain(db, { org, key }, campaign.from_email)
  if (!campaign.sandbox) await demandRoom(db, org.id)
  return campaign
}

async function demandRoom(db: Db, orgId: string): Promise<void> {
  if ((await reputation.pausedAmong(db, [orgId])).has(orgId)) {
    throw marketingPaused('Marketing is paused by the reputation gate: GET /send/v1/status says why.')
  }
  const { messages, cap } = await usage.find(db, orgId)
  if (messages >= cap) throw await limitReached(db, orgId)
  await demandBudget(db, orgId, 'email.messages', overCap.code)
}

/** Cancels a campaign: what has not left yet never does. */
export const cancel = route({
  method: 'POST',
  path: '/campaigns/{id}/cancel',
  repeatable: true,
  summary: 'Cancel a campaign',
  description:
    'Messages that are with delivery and have not left end as `failed`, with the reply class `cancelled`. Cancelling twice is fine.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  status: 200,
  reply: Campaign,
  problems: ['not_found', 'conflict'],
  async handle({ params, org, key, db }) {
    return await db.transaction(async (tx) => {
      const before = await findReached(tx, { org, key }, params.id)
      const cancelled = await cancelCampaign(tx, org.id, before.id)
      if (!cancelled) throw conflict('The campaign is gone.')
      if (cancelled.status !== 'cancelled')
        throw conflict('The campaign has ended: nothing of it is left to be cancelled.')
      return await present(tx, cancelled)
    })
  },
})
