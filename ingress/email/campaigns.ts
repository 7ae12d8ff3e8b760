import { z } from 'zod'
import { Address, domainOf } from '#lib/email-address.ts'
import { conflict } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/email/campaigns.ts'
import * as domains from '#sql/email/domains.ts'
import * as reputation from '#sql/email/reputation.ts'
import * as usage from '#sql/email/usage.ts'
import { demandBudget } from '#tasks/account/rules/budget-reached.ts'
import { sendCampaign } from '#tasks/email/expand-campaign.ts'
import { refusalOfDomain } from '#tasks/email/rules/stream-rules.ts'
import { cancelCampaign } from '#tasks/email/withdraw-campaign.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { DisplayName, line, Part, Subject } from './fields.ts'
import { Campaign, CampaignSummary, present, summarize } from './present-campaign.ts'
import { domainRefusals, limitReached, marketingPaused, overCap, refusal } from './refusals.ts'

const params = z.object({ id: pathId('campaign') })

const notSendable = problem(409, 'campaign_not_sendable', 'it is being sent, is sent, or is cancelled')
const isSandbox = problem(403, 'sandbox_key', 'a sandbox key sends only campaigns that one has made')

/** Adds a campaign; nothing is sent yet. */
export const create = route({
  method: 'POST',
  path: '/campaigns',
  summary: 'Create a campaign',
  description: 'It goes to every confirmed contact, on the subscribed stream, once it is sent.',
  scope: 'email:manage',
  bodyLimit: 3 * 1024 * 1024,
  body: z.strictObject({
    name: line(200).min(1),
    subject: Subject,
    html: Part,
    text: Part.optional().describe('Without it, the plain part is made from the HTML'),
    from_email: Address,
    from_name: DisplayName.optional(),
  }),
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
    const { text = null, from_name = null, ...given } = body
    const about = { id: newId(), org_id: org.id, key_id: key.id, sandbox: key.prefix === 'snd_test_' }
    return summarize(await rows.insert(db, { ...given, ...about, text, from_name }))
  },
})

async function demandDomain(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, from: string): Promise<void> {
  const name = domainOf(from)
  const domain = await domains.find(db, org.id, name)
  const refused = refusalOfDomain(name, domain ?? undefined, key.locks.from_domains)
  if (refused) throw refusal(refused)
}

/** Campaigns, newest first. */
export const list = listRoute({
  path: '/campaigns',
  summary: 'List campaigns, newest first',
  scope: 'email:manage',
  item: CampaignSummary,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: summarize,
})

/** One campaign: whom it has reached, and whom it is blocked from. */
export const read = route({
  method: 'GET',
  path: '/campaigns/{id}',
  summary: 'Read a campaign and its counts',
  scope: 'email:manage',
  params,
  status: 200,
  reply: Campaign,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    return await present(db, await mustFind(rows.find(db, org.id, params.id), 'campaign'))
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
  params,
  idempotent: true,
  status: 202,
  reply: Campaign,
  problems: ['not_found', ...domainRefusals, marketingPaused, notSendable, isSandbox, overCap],
  async handle({ params, org, key, db }) {
    const campaign = await mustFind(rows.find(db, org.id, params.id), 'campaign')
    if (key.prefix === 'snd_test_' && !campaign.sandbox) {
      throw isSandbox('A sandbox key sends only campaigns that a sandbox key has made.')
    }
    await demandDomain(db, { org, key }, campaign.from_email)
    if (!campaign.sandbox) await demandRoom(db, org.id)
    const begun = await sendCampaign(db, org.id, params.id)
    if (!begun) throw notSendable(`The campaign is ${campaign.status}.`, { status: campaign.status })
    return await present(db, begun)
  },
})

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
  params,
  status: 200,
  reply: Campaign,
  problems: ['not_found', 'conflict'],
  async handle({ params, org, db }) {
    return await db.transaction(async (tx) => {
      const before = await mustFind(rows.find(tx, org.id, params.id), 'campaign')
      const cancelled = await cancelCampaign(tx, org.id, before.id)
      if (!cancelled) throw conflict('The campaign is gone.')
      return await present(tx, cancelled)
    })
  },
})
