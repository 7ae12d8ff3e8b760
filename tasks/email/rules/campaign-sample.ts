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

/** A campaign as one person would get it. */
export interface CampaignSample {
  subject: string
  preheader: string | null
  html: string
  /** Null where it is made from the HTML. */
  text: string | null
  /** Fields that have neither a value nor a fallback: nothing stands there. */
  empty_fields: string[]
}

/** A campaign as a person would get it now; null where that makes it too long. Its link to unsubscribe is the given one. */
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
