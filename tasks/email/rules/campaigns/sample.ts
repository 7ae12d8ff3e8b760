import type { Fault } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import { isFault, loadPartials } from '../templates/bundle.ts'
import { renderCampaignParts, toLiquidFields } from './liquid-campaign.ts'
import {
  fieldNames,
  fillPart,
  fillSubject,
  findEmptyFields,
  getFieldValues,
  type Person,
  unsubscribeField,
  withPreheader,
} from './merge-fields.ts'

export interface CampaignSample {
  subject: string
  preheader: string | null
  html: string
  /** Null if the text is created from the HTML. */
  text: string | null
  /** Placeholders without a value and without a fallback. */
  empty_fields: string[]
}

/** Renders a Liquid campaign for a person. Returns what is wrong if that fails. */
export async function renderLiquidSample(
  db: Db,
  campaign: Campaign,
  person: Person,
  unsubscribeUrl: string,
): Promise<CampaignSample | { faults: Fault[] }> {
  const { org_id, subject, preheader, text, uses } = campaign
  const partials = await loadPartials(db, org_id, uses)
  if (isFault(partials)) return { faults: [partials] }
  const fields = toLiquidFields(person)
  const render = (sources: Parameters<typeof renderCampaignParts>[1]) =>
    renderCampaignParts(org_id, sources, partials, fields, unsubscribeUrl)
  const made = await render({ subject, html: withPreheader(campaign), text })
  const before = await render({ subject: preheader })
  if ('faults' in made) return made
  if ('faults' in before) return before
  return {
    subject: made.parts.subject ?? '',
    preheader: before.parts.subject,
    html: made.parts.html ?? '',
    text: made.parts.text,
    empty_fields: [],
  }
}

/** Fills in a campaign for a person. Returns null if the values make the campaign too long. */
export function renderSample(campaign: Campaign, person: Person, unsubscribeUrl: string): CampaignSample | null {
  const { subject, preheader, text } = campaign
  const whole = withPreheader(campaign)
  const fields = { ...getFieldValues(person, fieldNames(subject, whole, text)), [unsubscribeField]: unsubscribeUrl }
  const html = fillPart('html', whole, fields)
  const plain = text === null ? null : fillPart('text', text, fields)
  if (html === undefined || plain === undefined) return null
  return {
    subject: fillSubject(subject, fields),
    preheader: preheader === null ? null : fillSubject(preheader, fields),
    html,
    text: plain,
    empty_fields: findEmptyFields(fields, subject, whole, text),
  }
}
