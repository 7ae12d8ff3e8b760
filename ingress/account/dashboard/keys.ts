import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as secrets from '#sql/account/key-secrets.ts'
import * as keys from '#sql/account/keys.ts'
import { scopes as words } from '#tasks/account/rules/scopes.ts'
import { ago, count, instant } from '../../http/console/format.ts'
import { type Content, type Html, html } from '../../http/console/html.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { optional } from '../../http/dashboard/form.ts'
import { page } from '../../http/dashboard/page.ts'
import { actionButton, empty, older, trail } from '../../http/dashboard/parts.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { factList } from './fields.ts'

/** Where the navigation leads to. */
export const section = {
  title: 'Keys',
  path: '/app/keys',
  group: 'Developers',
  permission: 'keys:read',
} as const satisfies DashboardSection

const perPage = 100

/** `GET /app/keys`: the keys of the organisation, or those that are revoked. */
export const overview = page({
  path: '/keys',
  summary: 'API keys, newest first',
  section,
  permission: 'keys:read',
  query: z.object({ revoked: optional(z.enum(['true', 'false'])), before: Id.optional() }),
  async view({ db, member, may, query: { before, ...query } }) {
    const revoked = query.revoked === 'true'
    const found = await keys.listPage(db, member.orgId, { limit: perPage + 1, before, revoked })
    const shown = found.slice(0, perPage)
    const good = await secrets.listGood(
      db,
      shown.map(({ id }) => id),
    )
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`<div class="title"><h1>Keys</h1>${may('keys:test') && html`<a class="button primary" href="/app/keys/new">Make a key</a>`}</div>
<nav class="spans" aria-label="Which keys"><a href="/app/keys"${!revoked && html` aria-current="true"`}>Good</a><a href="/app/keys?revoked=true"${revoked && html` aria-current="true"`}>Revoked</a></nav>
${shown.length === 0 ? empty(revoked ? 'No key is revoked.' : 'Whatever your servers ask for carries a key. None is here yet.') : keyTable(shown, good)}
${last && older(section.path, { before: last.id, revoked: query.revoked })}`
    return { title: 'Keys', main }
  },
})

const keyTable = (shown: readonly keys.Key[], good: readonly secrets.Secret[]): Html => html`<table class="data stacks">
<caption class="unseen">Keys</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Begins with</th><th scope="col">Mode</th><th scope="col">Scopes</th><th scope="col">Locks</th><th scope="col">Used</th><th scope="col">Ends</th></tr></thead>
<tbody>${shown.map(
  (key) => html`<tr><th scope="row" class="break"><a href="/app/keys/${key.id}">${key.name}</a></th>
<td data-label="Begins with"><code>${startOf(key, good)}…</code></td><td data-label="Mode">${modeOf(key)}</td>
<td class="break" data-label="Scopes">${scopesInShort(key)}</td><td data-label="Locks">${Object.keys(key.locks).join(', ') || html`<span class="quiet">none</span>`}</td>
<td data-label="Used">${ago(key.last_used_at)}</td><td data-label="Ends">${endOf(key)}</td></tr>`,
)}</tbody></table>`

const startOf = (key: keys.Key, good: readonly secrets.Secret[]): string =>
  good.find(({ key_id }) => key_id === key.id)?.start ?? key.prefix

const modeOf = ({ mode, prefix }: keys.Key): Html =>
  html`${mode === 'live' ? 'live' : html`<span class="quiet">test</span>`}${prefix === 'bt_site_' && html` <span class="quiet">public</span>`}`

function scopesInShort({ scopes }: keys.Key): Content {
  const [first = '', second, ...more] = scopes
  if (more.length === 0) return [first, second].filter(Boolean).join(', ') || '–'
  return html`${first}, ${second} <span class="quiet">and ${more.length} more</span>`
}

function endOf({ expires_at, revoked_at }: keys.Key): Html {
  if (revoked_at) return html`<span class="bad">revoked</span> ${ago(revoked_at)}`
  if (expires_at && expires_at <= new Date()) return html`<span class="bad">expired</span> ${ago(expires_at)}`
  return expires_at ? ago(expires_at) : html`<span class="quiet">never</span>`
}

/** `GET /app/keys/{id}`: what a key may do, and its secrets. */
export const read = page({
  path: '/keys/{id}',
  summary: 'A key and its secrets',
  section,
  permission: 'keys:read',
  params: z.object({ id: pathId('key') }),
  async view({ db, member, may, params: { id } }) {
    const key = await mustFind(keys.find(db, member.orgId, id), 'key')
    const good = await secrets.listGood(db, [id])
    const changes = may(key.mode === 'live' ? 'keys:live' : 'keys:test') && key.revoked_at === null
    const link = (name: string, words: string) => html`<a class="button" href="/app/keys/${id}/${name}">${words}</a> `
    const main = html`${trail('Keys', section.path)}<div class="title"><h1>${key.name}</h1></div>
<div class="actions">${changes && [link('change', 'Change'), link('rotate', 'Rotate')]}${link('ask', 'Ask what it may do')}<a class="button" href="/app/requests?key=${id}">Its requests</a> ${changes && link('revoke', 'Revoke')}${changes && may('contents:read') && actionButton(member, `/app/keys/${id}/window`, 'Log bodies for 15 minutes')}</div>
${key.made_by_key !== null && key.revoked_at === null && madeByKey(member, key, may('owners'))}
${factList(factsOf(key))}
<section><h2>Scopes</h2><ul class="plain-list">${key.scopes.map((scope) => html`<li><code>${scope}</code> <span class="quiet">${Object.hasOwn(words, scope) && words[scope as keyof typeof words]}</span></li>`)}</ul></section>
<section><h2>Secrets</h2>${good.length === 0 ? empty('No secret of this key is good any more.') : secretTable(good)}</section>`
    return { title: key.name, main }
  },
})

const madeByKey = (
  member: Member,
  { id, made_by_key }: keys.Key,
  isOwner: boolean,
): Html => html`<p class="note">This key was created by <a href="/app/keys/${made_by_key}">another key</a> and ends with it.
${isOwner ? actionButton(member, `/app/keys/${id}/confirm`, 'Keep it independently') : 'An owner can keep it independently.'}</p>`

const factsOf = (key: keys.Key): (readonly [string, Content])[] => [
  ['Mode', modeOf(key)],
  ['Ends', endOf(key)],
  ['Last used', ago(key.last_used_at)],
  ['Made', `${instant(key.created_at)} UTC`],
  ['Requests a minute', key.rate_per_minute === null ? 'as the plan says' : `at most ${count(key.rate_per_minute)}`],
  ['Networks', key.networks?.join(', ') ?? 'any'],
  ...Object.entries(key.locks).map(([name, lock]) => [`Locked by ${name}`, [lock].flat().join(', ')] as const),
  ...(key.note ? [['Note', key.note] as const] : []),
]

const secretTable = (good: readonly secrets.Secret[]): Html => html`<table class="data stacks">
<caption class="unseen">Secrets that are good</caption>
<thead><tr><th scope="col">Begins with</th><th scope="col">Made</th><th scope="col">First used</th><th scope="col">Used</th><th scope="col">Ends</th></tr></thead>
<tbody>${good.map(
  (one) => html`<tr><th scope="row"><code>${one.start}…</code></th><td data-label="Made">${ago(one.created_at)}</td>
<td data-label="First used">${ago(one.first_used_at)}</td><td data-label="Used">${ago(one.last_used_at)}</td><td data-label="Ends">${endOfSecret(one, good)}</td></tr>`,
)}</tbody></table>`

function endOfSecret(one: secrets.Secret, all: readonly secrets.Secret[]): Content {
  if (one.expires_at) return ago(one.expires_at)
  const next = all.find(({ id, keep_hours }) => id > one.id && keep_hours !== null)
  if (next) return `${next.keep_hours} h after the new one is first used`
  return html`<span class="quiet">with the key</span>`
}
