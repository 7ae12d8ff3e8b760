import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as settings from '#sql/work/settings.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { formatInstant } from '../../http/html/format.ts'
import { html, quiet } from '../../http/html/html.ts'
import { linkButton, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import * as routes from '../settings.ts'
import * as secrets from '../signing-secret.ts'
import { toNumber } from './job-fields.ts'
import { section, settingsPath } from './section.ts'

export const { show: askForSettings, submit: saveSettings } = formPage({
  path: '/jobs/settings',
  summary: 'Change the settings of jobs',
  section,
  permission: 'webhooks:read',
  fields: z.object({ retention_days: optionalField(z.string()) }),
  async view({ db, member, may, filled, fault }) {
    const now = await settings.find(db, member.orgId)
    const write = may('areas:write')
    const main = html`${parentLink('Jobs', section.path)}<h1>Settings</h1>${renderFault(fault)}
<section><h2>Signing secret</h2><p class="lead">Millrace signs each request of a job with this secret. Your server verifies the signature.</p>
<dl class="facts"><div><dt>Secret</dt><dd>${now ? '•••••••• stored encrypted' : quiet('created with your first job')}</dd></div>
${now?.rotated_at && html`<div><dt>Rotated</dt><dd>${formatInstant(now.rotated_at)} UTC</dd></div>`}
${now?.previous_until && now.previous_until > new Date() && html`<div><dt>Previous secret</dt><dd>expires ${formatInstant(now.previous_until)} UTC</dd></div>`}</dl>
${write && html`<p class="actions">${linkButton(`${settingsPath}/secret`, 'Show secret')} ${linkButton(`${settingsPath}/rotate`, 'Rotate secret')}</p>`}</section>
${
  write &&
  html`<section><h2>Data retention</h2><form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'retention_days', label: 'Days that ended jobs are kept', type: 'number', otherwise: now?.retention_days ? String(now.retention_days) : '', hint: `Optional. Default: ${config.CALL_HISTORY_DAYS}.` })}
<button>Save</button></form></section>`
}`
    return { title: 'Job settings', main }
  },
  async submit({ ask, given: { retention_days } }) {
    await ask(routes.put, { body: { retention_days: toNumber(retention_days) ?? null } }, z.unknown())
    return { to: settingsPath, told: 'Settings saved.' }
  },
})

const Secret = z.object({ secret: z.string() })

export const { show: askForSecret, submit: showSecret } = formPage({
  path: '/jobs/settings/secret',
  summary: 'Show the signing secret of jobs',
  section,
  permission: 'areas:write',
  stepUp: true,
  fields: z.object({}),
  async view({ member, fault }) {
    const main = html`${parentLink('Settings', settingsPath)}<h1>Show the signing secret</h1>${renderFault(fault)}
<p class="lead">Everyone who has the secret can sign requests to your server in the name of Millrace.</p>
<form class="form" method="post">${tokenField(member)}<button>Show secret</button></form>`
    return { title: 'Show the signing secret', main }
  },
  async submit({ ask }) {
    const { secret } = await ask(secrets.get, {}, Secret)
    return { view: secretView(secret, 'Store it as a secret of your server. You can show it here again.') }
  },
})

const secretView = (secret: string, words: string) => ({
  title: 'Signing secret',
  main: html`${parentLink('Settings', settingsPath)}<h1>Signing secret</h1>
${showSecretOnce(secret, words)}`,
})

export const { show: askForRotation, submit: rotateSecret } = formPage({
  path: '/jobs/settings/rotate',
  summary: 'Rotate the signing secret of jobs',
  section,
  permission: 'areas:write',
  stepUp: true,
  fields: z.object({ keep_hours: z.string().max(20) }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Settings', settingsPath)}<h1>Rotate secret</h1>${renderFault(fault)}
<p class="lead">Until the previous secret expires, each request has two signatures.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'keep_hours', label: 'Hours until the previous secret expires', type: 'number', required: true, otherwise: '24', hint: '0 to 168' })}
<button>Rotate secret</button></form>`
    return { title: 'Rotate secret', main }
  },
  async submit({ ask, given: { keep_hours } }) {
    const { secret } = await ask(secrets.rotate, { body: { keep_hours: toNumber(keep_hours) } }, Secret)
    return { view: secretView(secret, 'Store it as a secret of your server, next to the previous one.') }
  },
})
