import type { Campaign } from '#sql/email/campaigns.ts'
import {
  emptyFields,
  fieldNames,
  fieldsOf,
  htmlOf,
  type Person,
  personalPart,
  personalSubject,
  unsubscribeField,
} from './merge-fields.ts'

export interface CampaignSample {
  subject: string
  preheader: string | null
  html: string
  /** Null if it is created from the HTML. */
  text: string | null
  /** Placeholders without a value and without a fallback. */
  empty_fields: string[]
}

/** Fills in a campaign for a person. Returns null if the values make it too long. */
export function sampleOf(campaign: Campaign, person: Person, unsubscribeUrl: string): CampaignSample | null {
  const { subject, preheader, text } = campaign
  const whole = htmlOf(campaign)
  const fields = { ...fieldsOf(person, fieldNames(subject, whole, text)), [unsubscribeField]: unsubscribeUrl }
  const html = personalPart('html', whole, fields)
  const plain = text === null ? null : personalPart('text', text, fields)
  if (html === undefined || plain === undefined) return null
  return {
    subject: personalSubject(subject, fields),
    preheader: preheader === null ? null : personalSubject(preheader, fields),
    html,
    text: plain,
    empty_fields: emptyFields(fields, subject, whole, text),
  }
}
