import { z } from 'zod'
import { formatAmount } from '#lib/amount.ts'
import { Id } from '#lib/ids.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as windows from '#sql/account/usage/request-windows.ts'
import * as limits from '#sql/ai/key-limits.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import { scopes as words } from '#tasks/account/rules/scopes.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, linkButton, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { factList } from './fields.ts'
import { mcpClient } from './mcp-client.ts'

export const section = {
  title: 'API keys',
  path: '/app/keys',
  group: 'Developers',
  guide: 'authentication',
  permission: 'keys:read',
} as const satisfies DashboardSection

const perPage = 100

export const overview = page({
  path: '/keys',
  summary: 'List API keys, newest first',
  section,
  permission: 'keys:read',
  query: z.object({ revoked: optionalField(z.enum(['true', 'false'])), before: Id.optional() }),
  async view({ db, member, may, query: { before, ...query } }) {
    const revoked = query.revoked === 'true'
    const where = whereOf(keys.filters, { revoked })
    const found = await keys.listPage(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found, perPage)
    const good = await secrets.listActive(
      db,
      shown.map(({ id }) => id),
    )
    const main = html`<div class="title"><h1>API keys</h1>${may('keys:test') && html`<a class="button primary" href="/app/keys/new">Create API key</a>`}</div>
<nav class="spans" aria-label="Status"><a href="/app/keys"${!revoked && html` aria-current="true"`}>Active</a><a href="/app/keys?revoked=true"${revoked && html` aria-current="true"`}>Revoked</a></nav>
${shown.length === 0 ? emptyState(revoked ? 'No revoked API keys.' : 'No API keys yet.', !revoked && 'Your servers need a key for every request.', !revoked && may('keys:test') && linkButton('/app/keys/new', 'Create API key')) : keyTable(shown, good)}
${older(section.path, { revoked: query.revoked })}`
    return { title: 'API keys', main }
  },
})

const keyTable = (shown: readonly keys.Key[], good: readonly secrets.Secret[]): Html =>
  dataTable('API keys', shown, {
    Name: (key) =>
      html`<a href="/app/keys/${key.id}">${key.name}</a>${key.client_name && html` <span class="quiet">by device login</span>`}`,
    'First characters': (key) => html`<code>${startOf(key, good)}…</code>`,
    Mode: (key) => modeOf(key),
    Scopes: ['break', (key) => scopesInShort(key)],
    Locks: (key) => Object.keys(key.locks).join(', ') || quiet('none'),
    'Last used': (key) => ago(key.last_used_at),
    Expires: (key) => endOf(key),
  })

const startOf = (key: keys.Key, good: readonly secrets.Secret[]): string =>
  good.find(({ key_id }) => key_id === key.id)?.start ?? key.prefix

const modeOf = ({ mode, prefix }: keys.Key): Html =>
  html`${mode === 'live' ? 'live' : quiet('test')}${prefix === 'bt_site_' && html` <span class="quiet">public</span>`}`

function scopesInShort({ scopes }: keys.Key): Content {
  const [first = '', second, ...more] = scopes
  if (more.length === 0) return [first, second].filter(Boolean).join(', ') || '–'
  return html`${first}, ${second} <span class="quiet">and ${more.length} more</span>`
}

function endOf({ expires_at, revoked_at }: keys.Key): Html {
  if (revoked_at) return html`${statusBadge('revoked')} ${ago(revoked_at)}`
  if (expires_at && expires_at <= new Date()) return html`${statusBadge('expired')} ${ago(expires_at)}`
  return expires_at ? ago(expires_at) : quiet('never')
}

export const read = page({
  path: '/keys/{id}',
  summary: 'Show an API key and its secrets',
  section,
  permission: 'keys:read',
  params: z.object({ id: pathId('key') }),
  async view({ db, member, may, params: { id } }) {
    const key = await mustFind(keys.find(db, member.orgId, id), 'key')
    const good = await secrets.listActive(db, [id])
    const aiFacts = await listAiFacts(db, key)
    const logsUntil = await windows.findEnd(db, member.orgId, id)
    const changes = may(key.mode === 'live' ? 'keys:live' : 'keys:test') && key.revoked_at === null
    const link = (name: string, words: string) => html`<a class="button" href="/app/keys/${id}/${name}">${words}</a> `
    const main = html`${parentLink('API keys', section.path)}<div class="title"><h1>${key.name}</h1></div>
<div class="actions spaced">${changes && [link('change', 'Edit API key'), link('rotate', 'Rotate secret')]}${link('ask', 'Check operation')}<a class="button" href="/app/requests?key=${id}">Show requests</a> ${changes && html`<a class="button grave" href="/app/keys/${id}/revoke">Revoke API key</a> `}${changes && may('contents:read') && actionButton(member, `/app/keys/${id}/window`, 'Log bodies for 15 minutes')}</div>
${key.made_by_key !== null && key.revoked_at === null && madeByKey(member, key, may('owners'))}
${logsUntil && html`<p class="note">Bodies of <a href="/app/requests?key=${id}">requests</a> are logged until ${formatInstant(logsUntil)} UTC, with secrets masked.</p>`}
${factList([...factsOf(key), ...aiFacts])}
<section><h2>Scopes</h2><ul class="plain-list">${key.scopes.map((scope) => html`<li><code>${scope}</code> <span class="quiet">${Object.hasOwn(words, scope) && words[scope as keyof typeof words]}</span></li>`)}</ul></section>
<section><h2>Secrets</h2>${good.length === 0 ? emptyState('This API key has no active secrets.') : secretTable(good)}</section>
${key.revoked_at === null && mcpClient(key.name)}`
    return { title: key.name, main }
  },
})

const madeByKey = (member: Member, { id, made_by_key }: keys.Key, isOwner: boolean): Html =>
  html`<div class="note">This key was created by <a href="/app/keys/${made_by_key}">another key</a> and is revoked when that key is revoked. ${isOwner ? actionButton(member, `/app/keys/${id}/confirm`, 'Keep if the creating key is revoked') : 'An owner can keep this key if the creating key is revoked.'}</div>`

const factsOf = (key: keys.Key): (readonly [string, Content])[] => [
  ['Mode', modeOf(key)],
  ['Expires', endOf(key)],
  ['Last used', ago(key.last_used_at)],
  ['Created', `${formatInstant(key.created_at)} UTC`],
  ['Requests per minute', key.rate_per_minute === null ? 'plan limit' : `up to ${count(key.rate_per_minute)}`],
  ['Networks', key.networks?.join(', ') ?? 'any'],
  ...Object.entries(key.locks).map(([name, lock]) =>
    lock === false ? (['Calls', 'read only'] as const) : ([`Lock: ${name}`, [lock].flat().join(', ')] as const),
  ),
  ...(key.client_name ? [['Requested by', requestedBy(key.client_name)] as const] : []),
  ...(key.note ? [['Note', key.note] as const] : []),
]

const requestedBy = (clientName: string): Html =>
  html`${clientName} <span class="quiet">program, name not verified</span>`

/** Returns the AI limits of a key with the usage of its budgets. */
async function listAiFacts(db: DatabasePool, { id, ai }: keys.Key): Promise<(readonly [string, Content])[]> {
  if (!ai) return []
  const { models, budget } = ai
  const facts: (readonly [string, Content])[] = models ? [['AI models', models.join(', ') || 'none']] : []
  if (!budget) return facts
  const { currency, monthly, daily } = budget
  const spent = await limits.findSpent(db, id, currency)
  const shown = (used: number, limit: number) => `${formatAmount(used)} of ${formatAmount(limit)} ${currency} used`
  if (monthly !== undefined) facts.push(['AI budget this month', shown(spent.month, monthly)])
  if (daily !== undefined) facts.push(['AI budget today', shown(spent.day, daily)])
  return facts
}

const secretTable = (good: readonly secrets.Secret[]): Html =>
  dataTable('Active secrets', good, {
    'First characters': ['', (one) => html`<code>${one.start}…</code>`],
    Created: (one) => ago(one.created_at),
    'First used': (one) => ago(one.first_used_at),
    'Last used': (one) => ago(one.last_used_at),
    Expires: (one) => endOfSecret(one, good),
  })

function endOfSecret(one: secrets.Secret, all: readonly secrets.Secret[]): Content {
  if (one.expires_at) return ago(one.expires_at)
  const next = all.find(({ id, keep_hours }) => id > one.id && keep_hours !== null)
  if (next) return `${next.keep_hours} h after the first use of the new secret`
  return quiet('with the API key')
}
