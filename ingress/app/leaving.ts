import { z } from 'zod'
import { config } from '#lib/config.ts'
import { badRequest, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import * as archives from '#sql/account/exports.ts'
import type { Db } from '#sql/db.ts'
import { demandOwner } from '#tasks/account/rules/authority.ts'
import { cancelClosure, requestClosure } from '#tasks/account/rules/closure.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'
import { fetchExport, requestExport } from '#tasks/account/rules/export.ts'
import type { DashboardSection, OrgRegion } from '../http/dashboard/contents.ts'
import { action, formPage, page } from '../http/dashboard/page.ts'
import type { Member } from '../http/dashboard/session.ts'
import { dataTable } from '../http/html/data-table.ts'
import { textField } from '../http/html/form.ts'
import { ago, amountOf, counted, formatInstant } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { mark } from '../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../http/html/parts.ts'
import { storage } from '../http/services.ts'

export const leaving = {
  title: 'Export and closure',
  path: '/app/leaving',
  group: 'Organisation',
  guide: 'dashboard',
  permission: 'closure',
} as const satisfies DashboardSection

const shownAtOnce = 50

export const overview = page({
  path: '/leaving',
  summary: 'Show archives and the organisation’s closure',
  whileClosed: true,
  section: leaving,
  permission: 'closure',
  async view({ db, member, region }) {
    const closure = await closures.find(db, member.orgId)
    const main = html`<h1>Export and closure</h1>
<section><div class="title"><h2>Archives</h2>${actionButton(member, '/app/leaving/exports', 'Create archive')}</div>
<p class="lead">An archive contains all data of the organisation in open formats. It is available for ${archives.exportDays} days.</p>
${await region('archives')}</section>
<section><h2>Close the organisation</h2>${endOf(closure, member)}</section>`
    return { title: 'Export and closure', main }
  },
})

export const archiveRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'closure',
  whileClosed: true,
  async read(db, orgId) {
    const made = await archives.list(db, orgId, { limit: shownAtOnce })
    return made.length === 0 ? emptyState('Your archives appear here.') : archiveTable(made)
  },
}

const archiveTable = (made: readonly archives.Export[]): Html =>
  dataTable({ caption: 'Archives', key: ({ id }) => id }, made, {
    Requested: ['', (one) => ago(one.created_at)],
    By: ['break', (one) => one.requested_by],
    Status: (one) => html`${mark(one.state)}${one.error && html` <span class="bad break">${one.error}</span>`}`,
    Size: ['number', (one) => (one.bytes === null ? '–' : amountOf('bytes', one.bytes))],
    Expires: (one) => (one.expires_at === null ? '–' : ago(one.expires_at)),
    Actions: [
      'actions',
      (one) =>
        one.state === 'ready' &&
        html`<a class="button" href="/app/leaving/exports/${one.id}">Download<span class="unseen"> archive of ${formatInstant(one.created_at)}</span></a>`,
    ],
  })

function endOf(closure: closures.Closure | null, member: Member): Html {
  if (closure?.state === 'waiting') {
    return html`<p class="lead">The organisation is closed. API keys are rejected, nothing is sent, and only owners can sign in. All data will be deleted on ${formatInstant(closure.due_at)} UTC. Until then, you can export it or reopen the organisation.</p>
${actionButton(member, '/app/leaving/closure/cancel', 'Reopen organisation')}`
  }
  if (closure?.state === 'running') return html`<p class="lead">Deletion is in progress.</p>`
  return html`<ul class="plain-list">
<li>Immediately, API keys are rejected and nothing is sent. Broadcasts, rooms and calls end.</li>
<li>All members except owners are signed out. Owners can still export the data.</li>
<li>For ${counted(config.CLOSURE_DAYS, 'day')}, an owner can reopen the organisation. After that, all data is deleted permanently.</li>
<li>All owners receive an email now and a reminder before the deletion.</li></ul>
<p class="spaced"><a class="button grave" href="/app/leaving/closure">Close organisation</a></p>`
}

const back = () => leaving.path

/**
 * Returns the acting owner, for rules that only people can call. Throws 403 if the member is not an owner in this
 * transaction.
 */
async function asOwner(tx: Db, doer: Doer, permission: 'export' | 'closure') {
  await demandOwner(tx, doer, permission, 'Only owners can export, close and reopen an organisation.')
  const { orgId, actor, requestId, network } = doer
  return { orgId, actor: { ...actor, kind: 'user' as const }, requestId, network }
}

export const archive = action({
  path: '/leaving/exports',
  summary: 'Create an archive',
  whileClosed: true,
  permission: 'export',
  stepUp: true,
  back,
  async perform({ db, doer }) {
    await db.transaction(async (tx) => requestExport(tx, await asOwner(tx, doer, 'export')))
    return { to: leaving.path, told: 'Archive requested. This page shows when the archive is ready.' }
  },
})

export const { show: askToFetch, submit: fetch } = formPage({
  path: '/leaving/exports/{id}',
  summary: 'Download an archive',
  section: leaving,
  whileClosed: true,
  permission: 'export',
  stepUp: true,
  params: z.object({ id: Id }),
  fields: z.object({}),
  async view({ db, member, params: { id }, fault }) {
    const made = await archives.list(db, member.orgId, { limit: shownAtOnce })
    const found = made.find((one) => one.id === id)
    if (found?.state !== 'ready') throw notFound('archive')
    const main = html`${parentLink('Export and closure', leaving.path)}<h1>Archive of ${formatInstant(found.created_at)} UTC</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The archive contains all data of ${member.orgName}${found.bytes !== null && `, ${amountOf('bytes', found.bytes)}`}. The audit log records each download.</p>
<button>Get download link</button></form>`
    return { title: 'Archive', main }
  },
  async submit({ db, doer, params: { id }, services }) {
    const to = await db.transaction(async (tx) =>
      fetchExport(tx, services(storage), { ...(await asOwner(tx, doer, 'export')), id }),
    )
    if (!to) throw notFound('archive')
    return {
      view: {
        title: 'Archive',
        main: html`${parentLink('Export and closure', leaving.path)}<h1>Archive</h1><p><a class="button primary" href="${to}">Download archive</a></p><p class="quiet">The link expires in a few minutes.</p>`,
      },
    }
  },
})

export const { show: askToClose, submit: close } = formPage({
  path: '/leaving/closure',
  summary: 'Close the organisation',
  whileClosed: true,
  section: leaving,
  permission: 'closure',
  stepUp: true,
  fields: z.object({ name: z.string() }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Export and closure', leaving.path)}<h1>Close ${member.orgName}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>API keys are rejected immediately and nothing is sent. Broadcasts, rooms and calls end. All members except owners are signed out. After ${counted(config.CLOSURE_DAYS, 'day')}, all data is deleted permanently. Until then, an owner can export it or reopen the organisation.</p>
<p>All owners receive an email now and a reminder before the deletion.</p>
${textField(filled, { name: 'name', label: `Organisation name (${member.orgName})`, required: true })}
<p class="actions"><button class="grave">Close organisation</button> <a class="button plain" href="${leaving.path}">Cancel</a></p></form>`
    return { title: 'Close the organisation', main }
  },
  async submit({ db, doer, member, given }) {
    if (given.name.trim() !== member.orgName)
      throw badRequest([{ field: 'form.name', issue: `must be ${member.orgName}` }])
    const { due_at } = await db.transaction(async (tx) => requestClosure(tx, await asOwner(tx, doer, 'closure')))
    return { to: leaving.path, told: `Organisation closed. All data will be deleted on ${formatInstant(due_at)} UTC.` }
  },
})

export const reopen = action({
  path: '/leaving/closure/cancel',
  summary: 'Reopen the organisation',
  whileClosed: true,
  permission: 'closure',
  stepUp: true,
  back,
  async perform({ db, doer }) {
    await db.transaction(async (tx) => cancelClosure(tx, await asOwner(tx, doer, 'closure')))
    return { to: leaving.path, told: 'Organisation reopened.' }
  },
})
