import { z } from 'zod'
import { config } from '#lib/config.ts'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import * as archives from '#sql/account/exports.ts'
import type { Db } from '#sql/db.ts'
import { demandOwner } from '#tasks/account/rules/authority.ts'
import { cancelClosure, requestClosure } from '#tasks/account/rules/closure.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'
import { fetchExport, requestExport } from '#tasks/account/rules/export.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { action, formPage, page } from '../http/dashboard/page.ts'
import type { Member } from '../http/dashboard/session.ts'
import { dataTable } from '../http/html/data-table.ts'
import { textField } from '../http/html/form.ts'
import { ago, count, formatInstant } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
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
  async view({ db, member }) {
    const [closure, made] = await Promise.all([
      closures.find(db, member.orgId),
      archives.list(db, member.orgId, { limit: shownAtOnce }),
    ])
    const main = html`<h1>Export and closure</h1>
<section><div class="title"><h2>Archives</h2>${actionButton(member, '/app/leaving/exports', 'Create archive')}</div>
<p class="lead">An archive contains all data of the organisation in open formats. It is available for ${archives.exportDays} days.</p>
${made.length === 0 ? emptyState('Your archives appear here.') : archiveTable(made, member)}</section>
<section><h2>Close the organisation</h2>${endOf(closure, member)}</section>`
    return { title: 'Export and closure', main }
  },
})

const archiveTable = (made: readonly archives.Export[], member: Member): Html =>
  dataTable('Archives', made, {
    Requested: ['', (one) => ago(one.created_at)],
    By: ['break', (one) => one.requested_by],
    Status: (one) => html`${one.state}${one.error && html` <span class="bad break">${one.error}</span>`}`,
    Size: ['number', (one) => (one.bytes === null ? '–' : count(one.bytes))],
    Expires: (one) => (one.expires_at === null ? '–' : ago(one.expires_at)),
    Actions: [
      'actions',
      (one) =>
        one.state === 'ready' &&
        actionButton(member, `/app/leaving/exports/${one.id}`, 'Download archive', {
          of: `archive of ${formatInstant(one.created_at)}`,
        }),
    ],
  })

function endOf(closure: closures.Closure | null, member: Member): Html {
  if (closure?.state === 'waiting') {
    return html`<p class="lead">The organisation is closed. API keys are rejected and nothing is sent. All data will be deleted on ${formatInstant(closure.due_at)} UTC.</p>
${actionButton(member, '/app/leaving/closure/cancel', 'Reopen organisation')}`
  }
  if (closure?.state === 'running') return html`<p class="lead">Deletion is in progress.</p>`
  return html`<p class="lead">API keys, webhooks and sign-ins stop immediately. After ${config.CLOSURE_DAYS} days, all data of the organisation is deleted.</p>
<p><a class="button" href="/app/leaving/closure">Close organisation</a></p>`
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

export const fetch = action({
  path: '/leaving/exports/{id}',
  summary: 'Download an archive',
  whileClosed: true,
  permission: 'export',
  stepUp: true,
  params: z.object({ id: Id }),
  back,
  async perform({ db, doer, params: { id }, services }) {
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
<p>API keys are rejected immediately and nothing is sent. Broadcasts, rooms and calls end. All members except owners are signed out. After ${config.CLOSURE_DAYS} days, all data is deleted permanently.</p>
${textField(filled, { name: 'name', label: `Organisation name (${member.orgName})`, required: true })}
<p class="actions"><button class="grave">Close organisation</button> <a class="button plain" href="${leaving.path}">Cancel</a></p></form>`
    return { title: 'Close the organisation', main }
  },
  async submit({ db, doer, member, given }) {
    if (given.name.trim() !== member.orgName) return { to: '/app/leaving/closure', told: 'The name does not match.' }
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
