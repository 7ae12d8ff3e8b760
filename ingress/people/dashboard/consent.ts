import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { isKnown } from '#sql/people/keys.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { put } from '../consent.ts'
import { params, personOf } from '../fields.ts'
import { channelTitles } from './person.ts'
import { personPath, section } from './section.ts'

const decision = optionalField(z.enum(['granted', 'denied']))

const options = [
  ['', 'No change'],
  ['granted', 'Granted'],
  ['denied', 'Denied'],
] as const

export const { show: askForConsent, submit: change } = formPage({
  path: '/person/{user_id}/consent',
  summary: 'Change the consent of a person',
  section,
  permission: 'people:write',
  params,
  fields: z.object({ email: decision, push: decision, whatsapp: decision, sms: decision, source: z.string() }),
  async view({ db, member, filled, fault, params: { user_id } }) {
    if (!(await isKnown(db, personOf(member.orgId, user_id)))) throw notFound('person')
    const path = personPath(user_id)
    const main = html`${parentLink(user_id, path)}<h1>Change consent</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'email', label: channelTitles.email, options, hint: 'Denied unsubscribes the person permanently.' })}
${selectField(filled, { name: 'push', label: channelTitles.push, options })}
${selectField(filled, { name: 'whatsapp', label: channelTitles.whatsapp, options })}
${selectField(filled, { name: 'sms', label: channelTitles.sms, options })}
${textField(filled, { name: 'source', label: 'Source', required: true, hint: 'For example, a letter of the person.' })}
<p class="actions"><button>Save consent</button> <a class="button plain" href="${path}">Cancel</a></p></form>`
    return { title: 'Change consent', main }
  },
  async submit({ ask, given, params: { user_id } }) {
    await ask(put, { params: { user_id }, body: given }, z.object({}))
    return { to: personPath(user_id), told: 'Consent saved.' }
  },
})
