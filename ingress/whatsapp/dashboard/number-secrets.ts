import { z } from 'zod'
import { badRequest, conflict } from '#lib/errors.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { secretField } from '../../http/html/secret-field.ts'
import { rotate } from '../numbers.ts'
import { keepForm } from './refusal.ts'
import { numberPath, section } from './section.ts'

const text = z.string().trim().default('')

export const { show: askForSecrets, submit: replaceSecrets } = formPage({
  path: '/whatsapp/number/secrets',
  summary: 'Replace the secrets of a number',
  section,
  permission: 'areas:write',
  fields: z.object({ access_token: text, app_secret: text }),
  async view({ db, member, filled, fault }) {
    const number = (await numbers.findByOrgs(db, [member.orgId])).get(member.orgId)
    const form = html`<p class="lead">Meta checks the new secrets before they take effect. A blank field keeps its secret.</p>
<form class="form" method="post">${tokenField(member)}
${secretField(filled, { name: 'access_token', label: 'Access token', hint: 'Optional. Token of a system user.' })}
${secretField(filled, { name: 'app_secret', label: 'App secret', hint: 'Optional. See Settings → Basic in the Meta app.' })}
<button>Replace secrets</button></form>`
    const connect = html`<a class="button primary" href="${numberPath}/new">Connect a number</a>`
    const main = html`${parentLink('Your number', numberPath)}<h1>Replace secrets</h1>${renderFault(fault)}
${number ? form : emptyState('No number is connected.', connect)}`
    return { title: 'Replace secrets', main }
  },
  async submit({ db, member, ask, given: { access_token, app_secret } }) {
    const number = (await numbers.findByOrgs(db, [member.orgId])).get(member.orgId)
    if (!number) throw conflict('No number is connected.')
    if (access_token === '' && app_secret === '')
      throw badRequest([{ field: 'form.access_token', issue: 'is required, or an app secret' }])
    const body = { ...(access_token !== '' && { access_token }), ...(app_secret !== '' && { app_secret }) }
    await keepForm(ask(rotate, { params: { id: number.id }, body }, z.unknown()))
    return { to: numberPath, told: 'Secrets replaced.' }
  },
})
