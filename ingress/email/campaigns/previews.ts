import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { Address, toStoredForm, WrittenAddress } from '#lib/email-address.ts'
import { badRequest, type Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import * as contacts from '#sql/email/contacts.ts'
import { Status } from '#sql/email/messages.ts'
import { type AcceptResult, acceptMessages } from '#tasks/email/rules/accept-messages.ts'
import { toReason } from '#tasks/email/rules/campaigns/liquid-campaign.ts'
import type { Person } from '#tasks/email/rules/campaigns/merge-fields.ts'
import { type CampaignSample, renderLiquidSample, renderSample } from '#tasks/email/rules/campaigns/sample.ts'
import { createLimitProblem, createRefusal } from '../messages/refusals.ts'
import { createSandboxFull } from '../messages/sandbox.ts'
import { toUnavailable } from '../templates/rendering.ts'

const mostTests = 5

const Contact = Address.optional().describe(
  'Contact whose name and attributes are filled in. By default, the fallbacks are used.',
)

export const PreviewBody = z.strictObject({ contact: Contact }).optional()

export const Preview = z
  .object({
    contact: z.string().nullable(),
    subject: z.string(),
    preheader: z.string().nullable(),
    html: z.string(),
    text: z.string().nullable().describe('`null` if the plain text is created from the HTML'),
    empty_fields: z
      .array(z.string())
      .describe('Placeholders without a value or a fallback. They are replaced by an empty string.'),
  })
  .meta({ id: 'email.Preview' })

export const TestBody = z.strictObject({
  to: z.array(WrittenAddress).min(1).max(mostTests).describe('Recipients. They do not need to be contacts.'),
  contact: Contact,
})

export const TestReply = z
  .object({ messages: z.array(z.object({ id: Id, to: z.string(), status: Status })) })
  .meta({ id: 'email.CampaignTest' })

/** Unsubscribe URL of tests and previews. Its page does not unsubscribe anyone. */
const trialUrl = () => `${publicUrl()}/send/v1/unsubscribe/test`

/** Renders the campaign for a contact. Throws 400 if the contact does not exist. */
export async function renderPreview(
  db: Db,
  campaign: Campaign,
  email: string | undefined,
): Promise<z.input<typeof Preview>> {
  return { contact: email ?? null, ...(await sampleFor(db, campaign, email)) }
}

async function sampleFor(db: Db, campaign: Campaign, email: string | undefined): Promise<CampaignSample> {
  const found = email === undefined ? null : await contacts.find(db, campaign.org_id, email, campaign.sandbox)
  if (email !== undefined && !found)
    throw badRequest([{ field: 'body.contact', issue: 'must be one of your contacts' }])
  const person = found ?? { email: 'ann@example.net', name: null, attributes: {} }
  if (campaign.syntax === 'liquid') return await liquidSampleFor(db, campaign, person)
  const sample = renderSample(campaign, person, trialUrl())
  if (!sample)
    throw badRequest([
      {
        field: 'body.contact',
        issue: 'has attribute values that make the campaign too long. Use shorter values.',
      },
    ])
  return sample
}

async function liquidSampleFor(db: Db, campaign: Campaign, person: Person): Promise<CampaignSample> {
  const sample = await renderLiquidSample(db, campaign, person, trialUrl()).catch(toUnavailable)
  if (!('faults' in sample)) return sample
  throw badRequest([{ field: 'body.contact', issue: `cannot be shown the campaign: ${toReason(sample.faults)}` }])
}

export interface CampaignTestRequest {
  campaign: Campaign
  to: readonly string[]
  contact: string | undefined
  keyId: string | null
  sandbox: boolean
  fromDomains: readonly string[] | undefined
}

/**
 * Sends a campaign to a few addresses, marked as a test. The messages do not belong to the campaign, so they are not in
 * its counts. They use
 * the stream `transactional`, because the sender requested them.
 */
export async function sendTest(
  tx: Db,
  { campaign, contact, ...call }: CampaignTestRequest,
): Promise<z.input<typeof TestReply>> {
  const { org_id: orgId, id, from_email, from_name, track_opens, track_clicks } = campaign
  const { subject, html, text } = await sampleFor(tx, campaign, contact)
  const written = new Map(call.to.map((address) => [toStoredForm(address), address]))
  const to = [...written.keys()]
  const accepted = await acceptMessages(
    tx,
    to.map((address) => ({
      message: {
        org_id: orgId,
        key_id: call.keyId,
        sandbox: call.sandbox,
        stream: 'transactional' as const,
        track_opens,
        track_clicks,
      },
      content: { headers: { 'X-Millrace-Test': `campaign ${id}` } },
      fromDomains: call.fromDomains,
      from: { email: from_email, ...(from_name !== null && { name: from_name }) },
      to: address,
      written,
      subject: `[Test] ${subject}`.slice(0, 998),
      html,
      ...(text !== null && { text }),
    })),
  )
  const messages: z.input<typeof TestReply>['messages'] = []
  for (const [i, one] of accepted.entries()) {
    if (!('message' in one)) throw await whyNot(tx, orgId, one)
    messages.push({ id: one.message.id, to: to[i] ?? '', status: one.message.status })
  }
  return { messages }
}

async function whyNot(tx: Db, orgId: string, one: Exclude<AcceptResult, { message: unknown }>): Promise<Problem> {
  if ('refusal' in one) return createRefusal(one.refusal)
  if ('faults' in one) return badRequest(one.faults)
  return 'sandboxFull' in one ? createSandboxFull() : await createLimitProblem(tx, orgId)
}
