import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/campaigns.ts'
import * as reputation from '#sql/email/delivery/reputation.ts'
import * as usage from '#sql/email/usage.ts'
import { demandBudget } from '#tasks/account/rules/budget-reached.ts'
import { scheduleCampaign } from '#tasks/email/begin-campaign.ts'
import { sendCampaign } from '#tasks/email/expand-campaign.ts'
import { cancelCampaign } from '#tasks/email/withdraw-campaign.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { mergeContent, resolveUses } from './campaigns/content.ts'
import { demandDomain, demandSegment, demandTopic } from './campaigns/demands.ts'
import { campaignFields, withPlaceholderChecks } from './campaigns/fields.ts'
import { Campaign, CampaignSummary, present, summarize } from './campaigns/present.ts'
import { Preview, PreviewBody, renderPreview, sendTest, TestBody, TestReply } from './campaigns/previews.ts'
import { filterByReach, getReach } from './messages/reach.ts'
import { createLimitProblem, domainRefusals, marketingPaused, monthlyLimitKind } from './messages/refusals.ts'
import { isSandbox, sandboxLimit } from './messages/sandbox.ts'

const params = z.object({ id: pathId('campaign') })

const notSendable = problem(409, 'campaign_not_sendable', 'The campaign is being sent, has been sent or was cancelled.')
const begun = problem(409, 'campaign_begun', 'Some messages of the campaign have been sent, so it cannot be changed.')
const noSegment = problem(409, 'segment_gone', 'The segment of the campaign was deleted.')

export const create = route({
  method: 'POST',
  path: '/campaigns',
  summary: 'Create a campaign',
  description:
    'Creates a draft. When you send the campaign, it goes to all confirmed contacts or to a segment, on the `subscribed` stream. The subject, HTML and text can contain fields of the contact, each with a fallback: `{{contact.name|"there"}}`.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  bodyLimit: 3 * 1024 * 1024,
  body: withPlaceholderChecks(z.strictObject(campaignFields), 'placeholders'),
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
  prepare: ({ body, org, db }) => resolveUses(db, org.id, body),
  async handle({ body, org, key, prepared, db }) {
    await demandDomain(db, { org, key }, body.from_email)
    await demandSegment(db, org.id, body.segment_id)
    await demandTopic(db, org.id, body.topic)
    const {
      text = null,
      from_name = null,
      preheader = null,
      segment_id = null,
      topic = null,
      syntax = 'placeholders',
      ...given
    } = body
    const about = { id: newId(), org_id: org.id, key_id: key.id, sandbox: isSandbox(key) }
    const rest = { text, from_name, preheader, segment_id, topic, syntax, ...prepared }
    return summarize(await rows.insert(db, { ...given, ...about, ...rest }))
  },
})

/** Returns the campaign. Throws 404 if the key cannot access it. */
const findReached = (db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<rows.Campaign> =>
  mustFind(filterByReach(key, rows.find(db, org.id, id)), 'campaign')

export const update = route({
  method: 'PATCH',
  path: '/campaigns/{id}',
  summary: 'Update a campaign that has not started',
  description:
    'Updates a draft or a scheduled campaign. A scheduled campaign uses the content that it has when it starts.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  bodyLimit: 3 * 1024 * 1024,
  params,
  body: withPlaceholderChecks(
    z
      .strictObject(campaignFields)
      .partial()
      .refine((body) => Object.values(body).some((value) => value !== undefined), {
        error: 'must contain at least one field to change',
      }),
  ),
  status: 200,
  reply: Campaign,
  problems: ['not_found', ...domainRefusals, begun],
  async handle({ params, body, org, key, db }) {
    const before = await findReached(db, { org, key }, params.id)
    if (body.from_email !== undefined) await demandDomain(db, { org, key }, body.from_email)
    await demandSegment(db, org.id, body.segment_id)
    await demandTopic(db, org.id, body.topic)
    const uses = await resolveUses(db, org.id, mergeContent(before, body))
    const changed = await rows.update(db, org.id, params.id, { ...body, ...uses })
    if (!changed) throw begun(`The campaign is ${before.status}.`, { status: before.status })
    return await present(db, changed)
  },
})

export const preview = route({
  method: 'POST',
  path: '/campaigns/{id}/preview',
  repeatable: true,
  summary: 'Preview a campaign for a contact',
  description: 'Returns the campaign with the placeholders of one contact filled in. Nothing is sent.',
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
    return await renderPreview(db, await findReached(db, { org, key }, params.id), body.contact)
  },
})

export const test = route({
  method: 'POST',
  path: '/campaigns/{id}/test',
  summary: 'Send a test of a campaign',
  description:
    'Sends to up to five addresses, with `[Test]` before the subject. The test is not included in the counts of the campaign. The unsubscribe link in a test has no effect.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  limit: { perMinute: 20, by: 'org' },
  params,
  body: TestBody,
  idempotent: true,
  status: 202,
  reply: TestReply,
  problems: ['not_found', ...domainRefusals, monthlyLimitKind, sandboxLimit],
  example: { body: { to: ['me@example.com'], contact: 'ann@example.net' } },
  async handle({ params, body: { to, contact }, org, key, db }) {
    const campaign = await findReached(db, { org, key }, params.id)
    const { sandbox } = campaign
    if (!sandbox) await demandBudget(db, org.id, 'email.messages', monthlyLimitKind.code)
    const call = { campaign, to, contact, keyId: key.id, sandbox, fromDomains: key.locks.from_domains }
    return await sendTest(db, call)
  },
})

export const list = listRoute({
  path: '/campaigns',
  summary: 'List campaigns, newest first',
  description: 'Returns campaigns with their status and their number of recipients.',
  tool: { name: 'list_campaigns' },
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  item: CampaignSummary,
  rows: ({ org, key, db }, page) => rows.list(db, org.id, { ...page, reach: getReach(key) }),
  present: summarize,
})

const oneCampaign = {
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  status: 200,
  reply: Campaign,
} as const

export const read = route({
  method: 'GET',
  path: '/campaigns/{id}',
  summary: 'Read a campaign and its counts',
  description: 'Returns the campaign with its content, its progress and the number of messages in each status.',
  tool: { name: 'get_campaign' },
  ...oneCampaign,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    return await present(db, await findReached(db, { org, key }, params.id))
  },
})

export const send = route({
  method: 'POST',
  path: '/campaigns/{id}/send',
  summary: 'Send a campaign',
  description:
    'Sends a draft, or resumes a paused campaign where it stopped. No contact receives the campaign twice. Returns `403` while marketing is paused.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  idempotent: true,
  status: 202,
  reply: Campaign,
  problems: ['not_found', ...domainRefusals, marketingPaused, notSendable, noSegment, monthlyLimitKind],
  async handle({ params, org, key, db }) {
    const campaign = await sendable(db, { org, key }, params.id)
    const sent = await sendCampaign(db, org.id, params.id)
    if (sent === 'no_segment') throw noSegment('The segment of this campaign was deleted. Select a different segment.')
    if (!sent) throw notSendable(`The campaign is ${campaign.status}.`, { status: campaign.status })
    return await present(db, sent)
  },
})

export const schedule = route({
  method: 'POST',
  path: '/campaigns/{id}/schedule',
  summary: 'Schedule a campaign',
  description:
    'Starts the campaign at `send_at`, with the content and the segment that it has at that time. Until then, you can update it, reschedule it, send it immediately or cancel it.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params,
  body: z.strictObject({
    send_at: InstantInput.describe(
      'Start time, up to one year ahead. If the time is in the past, the campaign starts immediately.',
    ),
  }),
  idempotent: true,
  status: 202,
  reply: Campaign,
  problems: ['not_found', ...domainRefusals, marketingPaused, notSendable, monthlyLimitKind],
  example: { body: { send_at: '2027-01-31T09:00:00Z' } },
  async handle({ params, body, org, key, db }) {
    const at = new Date(body.send_at)
    if (at.getTime() > Date.now() + yearMs) {
      throw badRequest([{ field: 'body.send_at', issue: 'must be within one year' }])
    }
    const campaign = await sendable(db, { org, key }, params.id)
    const scheduled = await scheduleCampaign(db, org.id, params.id, at)
    if (!scheduled) throw notSendable(`The campaign is ${campaign.status}.`, { status: campaign.status })
    return await present(db, scheduled)
  },
})

const yearMs = 366 * 86_400_000

/** Returns a campaign that the key can send now. Checks its domain, reputation, plan and budget. */
async function sendable(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, id: string): Promise<rows.Campaign> {
  const campaign = await findReached(db, { org, key }, id)
  await demandDomain(db, { org, key }, campaign.from_email)
  if (!campaign.sandbox) await demandRoom(db, org.id)
  return campaign
}

async function demandRoom(db: Db, orgId: string): Promise<void> {
  if ((await reputation.pausedAmong(db, [orgId])).has(orgId)) {
    throw marketingPaused(
      'Marketing email is paused because of your sender reputation. GET /send/v1/status returns the reason.',
    )
  }
  const { messages, cap } = await usage.find(db, orgId)
  if (messages >= cap) throw await createLimitProblem(db, orgId)
  await demandBudget(db, orgId, 'email.messages', monthlyLimitKind.code)
}

export const cancel = route({
  method: 'POST',
  path: '/campaigns/{id}/cancel',
  repeatable: true,
  summary: 'Cancel a campaign',
  description: 'Unsent messages get the status `failed`, with the reply class `cancelled`. You can repeat this call.',
  ...oneCampaign,
  problems: ['not_found', 'conflict'],
  async handle({ params, org, key, db }) {
    return await db.transaction(async (tx) => {
      const before = await findReached(tx, { org, key }, params.id)
      const cancelled = await cancelCampaign(tx, org.id, before.id)
      if (!cancelled) throw conflict('The campaign no longer exists.')
      if (cancelled.status !== 'cancelled') throw conflict('The campaign has ended and cannot be cancelled.')
      return await present(tx, cancelled)
    })
  },
})
