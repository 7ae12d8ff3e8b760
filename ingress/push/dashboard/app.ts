import { z } from 'zod'
import type * as keys from '#sql/account/keys.ts'
import { everything } from '#sql/filters.ts'
import * as apps from '#sql/push/apps.ts'
import * as credentials from '#sql/push/credentials.ts'
import * as deviceCounts from '#sql/push/device-counts.ts'
import * as installations from '#sql/push/installations.ts'
import * as publicKeys from '#sql/push/public-keys.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './apps.ts'
import { credentialActions, renderCredentials } from './credential-table.ts'
import { renderDailyResults } from './daily.ts'
import { renderInstallationTable } from './installations.ts'
import { providerNames } from './providers.ts'
import { publicKeyPath } from './public-key-page.ts'

const newest = 10

/** Maximum number of public keys shown, which is the maximum number of keys of an organisation. */
const most = 100

export const read = page({
  path: '/push/{app_id}',
  summary: 'Show an app, its keys and devices',
  section,
  permission: 'log:read',
  params: z.object({ app_id: pathId('app') }),
  async view({ db, member, may, params }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const found = await credentials.listForApp(db, app.id)
    const devices = await deviceCounts.count(db, app.id)
    const latest = await installations.list(db, app.id, {
      where: everything,
      userId: undefined,
      before: undefined,
      limit: newest,
    })
    const shown = { before: undefined, limit: most }
    const theirs = may('keys:read') ? await publicKeys.list(db, member.orgId, app.id, shown) : []
    const write =
      may('areas:write') && html`<a class="button primary" href="/app/push/${app.id}/send">Send a message</a>`
    const main = html`${parentLink('Push', section.path)}<div class="title"><h1>${app.name}</h1>${write}</div>
${deviceTiles(devices)}
<section><h2>Keys</h2>${keyFacts(app, found)}</section>
<section><h2>Public keys</h2>${publicKeyList(theirs, app, may('keys:live'))}</section>
<section><div class="title"><h2>Last 30 days</h2><span><a href="/app/push/${app.id}/insights">Insights</a> · <a href="/app/push/${app.id}/messages">All messages</a></span></div>${await renderDailyResults(db, app.id)}</section>
<section><div class="title"><h2>Devices</h2>${latest.length > 0 && html`<a href="/app/push/${app.id}/installations">All devices</a>`}</div>
${latest.length === 0 ? emptyState('No devices yet.', 'Your server registers devices with the API and your own ID of the user. Web pages register browsers with a public key.') : renderInstallationTable(latest, may('areas:write'))}</section>
<section><h2>Providers</h2>${renderCredentials(found, may('areas:write') ? credentialActions(member, app.id) : undefined)}
${may('areas:write') && providerLinks(app.id, found)}</section>`
    return { title: app.name, main }
  },
})

function deviceTiles(devices: Awaited<ReturnType<typeof deviceCounts.count>>): Html {
  const sum = (which: (one: (typeof devices)[number]) => boolean) =>
    devices.filter(which).reduce((total, one) => total + one.count, 0)
  const by = installations.Provider.options.flatMap((provider): [string, string][] => {
    const active = sum((one) => one.provider === provider && one.status === 'active')
    return active > 0 ? [[providerNames[provider], count(active)]] : []
  })
  return renderTiles([
    ['devices', count(sum(({ status }) => status === 'active'))],
    ...by,
    ['invalidated', count(sum(({ status }) => status === 'invalidated'))],
  ])
}

function keyFacts({ id }: apps.App, found: readonly credentials.CredentialFacts[]): Html {
  const vapid = found.find(({ provider }) => provider === 'webpush')?.facts.public_key
  return html`<dl class="facts keys"><div><dt>App</dt><dd>${copyable(id, 'the app ID')}</dd></div>
<div><dt>VAPID public key (<code>applicationServerKey</code> in web pages)</dt><dd>${vapid === undefined ? quiet('none') : copyable(vapid, 'the VAPID public key')}</dd></div></dl>`
}

const publicKeyList = (
  found: readonly keys.Key[],
  app: apps.App,
  mayChange: boolean,
): Html => html`<p class="lead">Use public keys in web pages and apps. They register browsers and report receipts.</p>
${found.length === 0 ? html`<p class="quiet">No public keys yet.</p>` : publicKeyTable(found, app, mayChange)}
${mayChange && html`<p class="more"><a class="button" href="/app/push/${app.id}/public-key">Create a public key</a></p>`}`

const publicKeyTable = (found: readonly keys.Key[], app: apps.App, mayChange: boolean): Html =>
  dataTable('Public keys', found, {
    Key: ({ id, name }) => html`<a href="${publicKeyPath(app.id, id)}">${name}</a>`,
    Origins: [
      'break',
      ({ scopes, locks }) =>
        scopes.includes('push:subscribe') ? (locks.origins ?? []).join(' ') : quiet('receipts only'),
    ],
    Created: ({ created_at }) => ago(created_at),
    'Last used': ({ last_used_at }) => ago(last_used_at),
    Actions: mayChange && ['actions', (key) => publicKeyLinks(key, app)],
  })

const publicKeyLinks = ({ id, name, scopes }: keys.Key, app: apps.App): Html =>
  html`${scopes.includes('push:subscribe') && html`<a class="button" href="/app/push/${app.id}/public-keys/${id}/origins">Edit origins<span class="unseen"> of ${name}</span></a> `}<a class="button" href="/app/keys/${id}/rotate">Rotate<span class="unseen"> ${name}</span></a>`

function providerLinks(appId: string, found: readonly credentials.CredentialFacts[]): Html {
  const link = (provider: 'apns' | 'fcm') => {
    const words = found.some((one) => one.provider === provider) ? 'Replace the key of' : 'Set up'
    return html`<a class="button" href="/app/push/${appId}/credentials/${provider}">${words} ${providerNames[provider]}</a>`
  }
  return html`<p class="actions spaced">${link('apns')} ${link('fcm')}</p>`
}
