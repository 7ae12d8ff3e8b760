import type { Campaign } from '#sql/email/campaigns.ts'
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
