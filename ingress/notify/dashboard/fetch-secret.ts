import { z } from 'zod'
import * as secrets from '#sql/notify/fetch-secrets.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { ago } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { rotate } from '../fetch-secret.ts'
import { section } from './section.ts'

export const { show: askForSecret, submit: rotateSecret } = formPage({
  path: '/notify/fetch-secret',
  summary: 'Create or replace the secret of fetch steps',
  section,
  permission: 'areas:write',
  fields: z.object({}),
  async view({ db, member, fault }) {
    const stored = await secrets.find(db, member.orgId)
    const previous = stored?.previous_until && stored.previous_until > new Date() ? stored.previous_until : undefined
    const main = html`${parentLink('Notifications', section.path)}<h1>Fetch secret</h1>${renderFault(fault)}
<p class="lead">Steps of the type “Fetch” call your server. The secret signs each request, so that your server can verify it.</p>
<dl class="facts"><div><dt>Secret</dt><dd>${stored ? html`replaced ${ago(stored.updated_at)}` : 'not created'}</dd></div>
${previous && html`<div><dt>Previous secret</dt><dd>valid until ${ago(previous)}</dd></div>`}</dl>
<form method="post">${tokenField(member)}<button${!stored && html` class="primary"`}>${stored ? 'Replace secret' : 'Create secret'}</button></form>
${stored && html`<p class="hint">Requests are also signed with the previous secret for ${secrets.previousHours} hours.</p>`}`
    return { title: 'Fetch secret', main }
  },
  async submit({ ask }) {
    const { secret } = await ask(rotate, { body: {} }, z.object({ secret: z.string() }))
    const main = html`${parentLink('Notifications', section.path)}<h1>Fetch secret</h1>
${showSecretOnce(secret, 'Millrace signs the requests of fetch steps with this secret. The secret is shown only once.')}
<p><a class="button" href="${section.path}">Back to the workflows</a></p>`
    return { view: { title: 'Fetch secret', main } }
  },
})
