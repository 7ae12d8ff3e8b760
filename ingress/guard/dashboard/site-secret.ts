import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as keys from '#sql/guard/site-keys.ts'
import * as rows from '#sql/guard/sites.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { copyable, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { rotateSecret } from '../sites.ts'
import { section } from './sites.ts'

const Made = z.object({ secret: z.string() })

export const { show: askForSecret, submit: createSecret } = formPage({
  path: '/guard/{site_id}/secret',
  summary: 'Create the secret of a site',
  section,
  permission: 'keys:live',
  stepUp: true,
  params: z.object({ site_id: pathId('site') }),
  fields: z.object({}),
  async view({ db, member, host, params: { site_id }, fault }) {
    const { name, id } = await mustFind(rows.find(db, member.orgId, site_id), 'site')
    const isReplaced = await keys.hasSecret(db, member.orgId, id)
    const button = isReplaced
      ? html`<button class="grave">Replace secret</button>`
      : html`<button class="primary">Create secret</button>`
    const main = html`${parentLink(name, `${section.path}/${id}`)}<h1>Secret</h1>${renderFault(fault)}
<p class="lead">Form plugins of reCAPTCHA, Turnstile and hCaptcha verify tokens with this secret. It verifies only tokens of this site.</p>
<dl class="facts keys"><div><dt>Verification URL</dt><dd>${copyable(`${config.PUBLIC_URL ?? host}/v1/guard/siteverify`, 'the URL')}</dd></div></dl>
<form class="form" method="post">${tokenField(member)}
${isReplaced && html`<p>The current secret stops working within 5 seconds.</p>`}
<p class="actions">${button} <a class="button plain" href="${section.path}/${id}">Cancel</a></p></form>`
    return { title: `Secret of ${name}`, main }
  },
  async submit({ db, member, ask, params: { site_id } }) {
    const { name, id } = await mustFind(rows.find(db, member.orgId, site_id), 'site')
    const { secret } = await ask(rotateSecret, { params: { site_id } }, Made)
    const main = html`${parentLink(name, `${section.path}/${id}`)}<h1>Secret</h1>
${showSecretOnce(secret, 'Put it into the settings of your form plugin. Never put it into a page.')}
<p><a class="button" href="${section.path}/${id}">Show site</a></p>`
    return { view: { title: `Secret of ${name}`, main } }
  },
})
