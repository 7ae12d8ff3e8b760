import { z } from 'zod'
import { config, publicUrl } from '#lib/config.ts'
import { notFound } from '#lib/errors.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as apps from '#sql/push/apps.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { copyableCode } from '../../http/html/copyable-code.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './apps.ts'

export const publicKeyPath = (appId: string, keyId: string): string => `${section.path}/${appId}/public-keys/${keyId}`

export const read = page({
  path: '/push/{app_id}/public-keys/{key_id}',
  summary: 'Show a public key with the code for web pages',
  section,
  permission: 'keys:read',
  params: z.object({ app_id: pathId('app'), key_id: pathId('key') }),
  async view({ db, member, may, host, services, params }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const key = await mustFind(keys.find(db, member.orgId, params.key_id), 'key')
    if (key.locks.app_id !== app.id || key.prefix !== 'bt_site_') throw notFound('key')
    const text = key.revoked_at === null ? await secrets.findPublicText(db, key.id) : null
    const base = config.PUBLIC_URL === undefined ? host : publicUrl()
    const registers = key.scopes.includes('push:subscribe')
    const main = html`${parentLink(app.name, `${section.path}/${app.id}`)}<h1>${key.name}</h1>
<p class="lead">Anyone can see a public key in your web pages and apps. ${registers ? 'This key registers browsers and reports receipts.' : 'This key only reports receipts, because it has no origin.'}</p>
<dl class="facts keys"><div><dt>Public key</dt><dd>${keyText(key, text)}</dd></div>
${registers && html`<div><dt>Origins</dt><dd class="break">${(key.locks.origins ?? []).join(' ')}</dd></div>`}
<div><dt>Created</dt><dd>${ago(key.created_at)}</dd></div><div><dt>Last used</dt><dd>${ago(key.last_used_at)}</dd></div></dl>
${may('keys:live') && key.revoked_at === null && html`<p class="actions spaced">${registers && html`<a class="button" href="${publicKeyPath(app.id, key.id)}/origins">Edit origins</a> `}<a class="button" href="/app/keys/${key.id}/rotate">Rotate</a> <a class="button" href="/app/keys/${key.id}">Details and revocation</a></p>`}
${registers && text !== null && browserCode(base, text)}
${registers && may('areas:write') && apiCall(services, 'push.user-tokens.create', { body: { app_id: app.id, user_id: 'user-17' } }, { title: 'Your server creates the user token' })}`
    return { title: key.name, main }
  },
})

function keyText(key: keys.Key, text: string | null): Html {
  if (key.revoked_at !== null) return statusBadge('revoked')
  if (text !== null) return copyable(text, 'the public key')
  return quiet('not stored: the key was created by an earlier release. Rotate it to see the new key here.')
}

const browserCode = (base: string, key: string): Html => html`<section><h2>Code for your web pages</h2>
<p class="lead">1. Serve this file as <code>/sw.js</code> from your own site. It is the service worker that shows messages.</p>
${copyableCode(`importScripts('${base}/push/v1/worker.js')`, 'js', 'the service worker')}
<p class="lead">2. Add this code to the page. <code>USER_TOKEN</code> is a token from your server for the signed-in person. Without a token, the browser is anonymous.</p>
${copyableCode(
  `<button id="notify">Notify me</button>
<script type="module">
  import { connect } from '${base}/push/v1/client.js'
  const push = connect({ key: '${key}', worker: '/sw.js' })
  document.querySelector('#notify').addEventListener('click', () =>
    push.subscribe({ userToken: 'USER_TOKEN' }).then(
      ({ installationId }) => console.log('subscribed', installationId),
      (error) => console.error(error.message),
    ))
</script>`,
  'html',
  'the code of the page',
)}</section>`
