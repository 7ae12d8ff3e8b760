import { z } from 'zod'
import * as rows from '#sql/sms/settings.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import {
  checkBoxes,
  linesField,
  optionalField,
  repeatedField,
  selectField,
  splitCommaWords,
  textField,
} from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { put } from '../settings.ts'
import { section, settingsPath } from './section.ts'

const text = optionalField(z.string())

export const { show, submit } = formPage({
  path: '/sms/settings',
  summary: 'Change the SMS settings',
  section,
  permission: 'areas:write',
  fields: z.object({
    countries: text,
    allow_premium: repeatedField(z.string()),
    stop_scope: text,
    ...{ stop_text: text, start_text: text, help_text: text },
  }),
  async view({ db, member, services, filled, fault }) {
    const now = await rows.find(db, member.orgId)
    const of = (value: string | null) => (value === null ? {} : { otherwise: value })
    const main = html`${parentLink('SMS', section.path)}<h1>Settings</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${linesField(filled, { name: 'countries', label: 'Countries', few: true, ...of(now.countries?.join(', ') ?? null), hint: 'Codes of the countries to which you send. For example, EE, FI. Leave blank for the country of the sender’s number.' })}
${checkBoxes(filled, { name: 'allow_premium', label: 'Costly numbers', options: [['yes', 'Also send to premium, shared cost, personal and company numbers']], otherwise: now.allow_premium ? ['yes'] : [] })}
${selectField(filled, {
  name: 'stop_scope',
  label: 'STOP applies to',
  options: [
    ['organisation', 'all your senders'],
    ['sender', 'the sender that received it'],
  ],
  otherwise: now.stop_scope,
})}
${textField(filled, { name: 'stop_text', label: 'Answer to STOP', ...of(now.stop_text), hint: 'Optional. Many providers send an answer themselves.' })}
${textField(filled, { name: 'start_text', label: 'Answer to START', ...of(now.start_text), hint: 'Optional.' })}
${textField(filled, { name: 'help_text', label: 'Answer to HELP', ...of(now.help_text), hint: 'Optional. For example, your name and your website.' })}
<button>Save</button></form>
${apiCall(services, 'sms.settings.put', { body: { countries: now.countries ?? ['EE'] } })}`
    return { title: 'SMS settings', main }
  },
  async submit({ ask, given }) {
    const { countries, allow_premium, stop_scope, ...answers } = given
    const codes = countries === undefined ? null : splitCommaWords(countries.toUpperCase())
    const body = { countries: codes, allow_premium: allow_premium.length > 0, stop_scope, ...answers }
    await ask(put, { body }, z.unknown())
    return { to: settingsPath, told: 'Settings saved.' }
  },
})
