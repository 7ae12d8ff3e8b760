import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import type { Campaign } from '#sql/email/campaigns.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import * as topics from '#sql/email/topics.ts'
import { checkBoxes, type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

const text = z.string().max(60_000).default('')

export const campaignFormFields = z.object({
  name: text,
  from_email: text,
  from_name: text,
  segment_id: text,
  topic: text,
  subject: text,
  preheader: text,
  html: text,
  text,
  untracked: z.string().max(10).optional(),
})

type Given = z.output<typeof campaignFormFields>

/** Converts the form to the body of the API. Empty optional fields become null. */
export const toApiFields = ({ name, from_email, subject, html, ...more }: Given) => ({
  name: name.trim(),
  from_email: from_email.trim(),
  subject,
  html,
  from_name: more.from_name.trim() || null,
  preheader: more.preheader.trim() || null,
  text: more.text.trim() === '' ? null : more.text,
  segment_id: more.segment_id || null,
  topic: more.topic || null,
  track_opens: more.untracked ? false : null,
  track_clicks: more.untracked ? false : null,
})

export const toFormFields = (campaign: Campaign): Given => ({
  name: campaign.name,
  from_email: campaign.from_email,
  from_name: campaign.from_name ?? '',
  segment_id: campaign.segment_id ?? '',
  topic: campaign.topic ?? '',
  subject: campaign.subject,
  preheader: campaign.preheader ?? '',
  html: campaign.html,
  text: campaign.text ?? '',
  ...(campaign.track_opens === false && campaign.track_clicks === false && { untracked: 'yes' }),
})

const mostOffered = 200

export async function campaignForm(db: Db, orgId: string, filled: FormState, now: Partial<Given> = {}): Promise<Html> {
  const all = await segments.list(db, orgId, { before: undefined, limit: mostOffered })
  const offered: [string, string][] = [
    ['', 'all confirmed contacts'],
    ...all.map(({ id, name }): [string, string] => [id, name]),
  ]
  const topicOptions: [string, string][] = [
    ['', 'no topic'],
    ...(await topics.listAll(db, orgId)).map(({ key, name }): [string, string] => [key, name]),
  ]
  const otherwise = (name: keyof Given) => now[name] ?? ''
  return html`${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'Only visible to members.', otherwise: otherwise('name') })}
${textField(filled, { name: 'from_email', label: 'From', type: 'email', required: true, hint: 'An address in a verified domain.', otherwise: otherwise('from_email') })}
${textField(filled, { name: 'from_name', label: 'Sender name', otherwise: otherwise('from_name') })}
${selectField(filled, { name: 'segment_id', label: 'To', options: offered, otherwise: otherwise('segment_id') })}
${topicOptions.length > 1 && selectField(filled, { name: 'topic', label: 'Topic', options: topicOptions, otherwise: otherwise('topic'), hint: 'Contacts who are not subscribed to the topic receive nothing.' })}
${textField(filled, { name: 'subject', label: 'Subject', required: true, hint: 'You can use placeholders. For example, {{contact.name|"there"}}', otherwise: otherwise('subject') })}
${textField(filled, { name: 'preheader', label: 'Preheader', hint: 'Optional. Email clients show it next to the subject.', otherwise: otherwise('preheader') })}
${linesField(filled, { name: 'html', label: 'HTML', required: true, otherwise: otherwise('html'), hint: 'Placeholders: {{contact.name|"there"}}, {{contact.email}}, {{contact.attributes.city}}, {{unsubscribe_url}}. Up to 60 KB here, 1 MB in the API.' })}
${linesField(filled, { name: 'text', label: 'Text', otherwise: otherwise('text'), hint: 'Optional. Leave blank to create it from the HTML.' })}
${checkBoxes(filled, { name: 'untracked', label: 'Tracking', options: [['yes', 'Do not track opens and clicks']], otherwise: now.untracked ? ['yes'] : [] })}`
}
