import { z } from 'zod'
import * as keys from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import * as credentials from '#sql/push/credentials.ts'
import * as installations from '#sql/push/installations.ts'
import { ago, count, counted } from '../../http/console/format.ts'
import { type Html, html } from '../../http/console/html.ts'
import { tilesOf } from '../../http/console/tiles.ts'
import { page } from '../../http/dashboard/page.ts'
import { actionButton, copyable, empty, trail } from '../../http/dashboard/parts.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './apps.ts'
import { becameOf } from './daily.ts'
import { installationTable } from './installations.ts'

const newest = 10

/** `GET /app/push/{app_id}`: an app with its keys, its devices and what became of what it sent. */
export const read = page({
  path: '/push/{app_id}',
  summary: 'An app, its keys and devices',
  section,
  permission: 'log:read',
  params: z.object({ app_id: pathId('app') }),
  async view({ db, member, may, params }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const found = await credentials.listOf(db, app.id)
    const devices = await installations.count(db, app.id)
    const latest = await installations.list(db, app.id, {
      status: undefined,
      provider: undefined,
      userId: undefined,
      before: undefined,
      limit: newest,
    })
    const publicKeys = may('keys:read') ? await publicKeysOf(db, member.orgId, app.id) : []
    const write =
      may('areas:write') && html`<a class="button primary" href="/app/push/${app.id}/send">Send a message</a>`
    const main = html`${trail('Push', section.path)}<div class="title"><h1>${app.name}</h1>${write}</div>
${deviceTiles(devices)}
<section><h2>Keys</h2>${keyFacts(app, found)}</section>
<section><h2>Public keys</h2>${publicKeyList(publicKeys, app, may('keys:live') && member)}</section>
<section><div class="title"><h2>Last 30 days</h2><a href="/app/push/${app.id}/messages">All messages</a></div>${await becameOf(db, app.id)}</section>
<section><div class="title"><h2>Devices</h2>${latest.length > 0 && html`<a href="/app/push/${app.id}/installations">All devices</a>`}</div>
${latest.length === 0 ? empty('No device is registered yet.', 'Devices register by the API, with the id by which you know their person.') : installationTable(latest, may('areas:write'))}</section>
<section><h2>Providers</h2>${credentialTable(found)}</section>`
    return { title: app.name, main }
  },
})

function deviceTiles(devices: Awaited<ReturnType<typeof installations.count>>): Html {
  const sum = (which: (one: (typeof devices)[number]) => boolean) =>
    devices.filter(which).reduce((total, one) => total + one.count, 0)
  const by = installations.Provider.options.flatMap((provider): [string, string][] => {
    const active = sum((one) => one.provider === provider && one.status === 'active')
    return active > 0 ? [[provider, count(active)]] : []
  })
  return tilesOf([
    ['devices', count(sum(({ status }) => status === 'active'))],
    ...by,
    ['invalidated', count(sum(({ status }) => status === 'invalidated'))],
  ])
}

function keyFacts({ id }: apps.App, found: readonly credentials.Facts[]): Html {
  const vapid = found.find(({ provider }) => provider === 'webpush')?.facts.public_key
  return html`<dl class="facts keys"><div><dt>App</dt><dd>${copyable(id, 'the id of the app')}</dd></div>
<div><dt>VAPID public key, <code>applicationServerKey</code> of pages that subscribe</dt><dd>${vapid === undefined ? html`<span class="quiet">none</span>` : copyable(vapid, 'the VAPID public key')}</dd></div></dl>`
}

/** The public keys that speak for an app: those that stand in its pages. */
const publicKeysOf = async (db: Db, orgId: string, appId: string): Promise<readonly keys.Key[]> =>
  (await keys.list(db, orgId)).filter(
    ({ prefix, locks, revoked_at }) => prefix === 'bt_site_' && locks.app_id === appId && revoked_at === null,
  )

const publicKeyList = (
  found: readonly keys.Key[],
  app: apps.App,
  maker: Member | false,
): Html => html`<p class="lead">They stand in pages and apps, and can do nothing but report what came and was opened.</p>
${
  found.length === 0
    ? html`<p class="quiet">None is bound to this app.</p>`
    : html`<ul class="groups">${found.map(({ name, created_at, last_used_at }) => html`<li>${name} <span class="quiet">made ${ago(created_at)}, used ${ago(last_used_at)}</span></li>`)}</ul>`
}
${maker && html`<p class="more">${actionButton(maker, `/app/push/${app.id}/public-key`, 'Make a public key')}</p>`}`

const credentialTable = (found: readonly credentials.Facts[]): Html => html`<table class="data stacks">
<caption class="unseen">Credentials with providers</caption>
<thead><tr><th scope="col">Provider</th><th scope="col">State</th><th scope="col">Set</th></tr></thead>
<tbody>${found.map(
  (
    one,
  ) => html`<tr><th scope="row">${one.provider}${one.environment === 'sandbox' && html` <span class="quiet">sandbox</span>`}</th>
<td class="break" data-label="State">${stateOf(one)}</td><td data-label="Set">${ago(one.created_at)}</td></tr>`,
)}</tbody></table>
<p class="more quiet">Keys of Apple and Google are set by the API: PUT /push/v1/apps/{app_id}/credentials/apns and /fcm.</p>`

function stateOf({ open_until, open_reason, failures, check_state, check_reason }: credentials.Facts): Html {
  if (open_until !== null) {
    return html`<span class="bad">refused</span> ${open_reason}, ${counted(failures, 'time')}; tried again ${ago(open_until)}`
  }
  if (check_state === 'failed') return html`<span class="bad">failed its check</span> ${check_reason}`
  return check_state === null ? html`<span class="quiet">not checked</span>` : html`${check_state}`
}
