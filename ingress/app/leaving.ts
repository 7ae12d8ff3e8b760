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
import { ago, count, instant } from '../http/console/format.ts'
import { type Html, html } from '../http/console/html.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { textField } from '../http/dashboard/form.ts'
import { action, formPage, page } from '../http/dashboard/page.ts'
import { actionButton, empty, faultOf, tokenField, trail } from '../http/dashboard/parts.ts'
import type { Member } from '../http/dashboard/session.ts'
import { storage } from '../http/services.ts'

/** Where the navigation leads to. */
export const leaving = {
  title: 'Export and closure',
  path: '/app/leaving',
  group: 'Organisation',
  permission: 'closure',
} as const satisfies DashboardSection

const shownAtOnce = 50

/** `GET /app/leaving`: archives of all that the organisation has, and its end. */
export const overview = page({
  path: '/leaving',
  summary: 'Archives of the organisation, and its end',
  whileClosed: true,
  section: leaving,
  permission: 'closure',
  async view({ db, member }) {
    const [closure, made] = await Promise.all([
      closures.find(db, member.orgId),
      archives.list(db, member.orgId, { limit: shownAtOnce }),
    ])
    const main = html`<h1>Export and closure</h1>
<section><div class="title"><h2>Archives</h2>${actionButton(member, '/app/leaving/exports', 'Make an archive')}</div>
<p class="lead">All that the organisation has, as one archive that other programs read; kept for ${archives.exportDays} days.</p>
${made.length === 0 ? empty('No archive has been made.') : archiveTable(made, member)}</section>
<section><h2>Close the organisation</h2>${endOf(closure, member)}</section>`
    return { title: 'Export and closure', main }
  },
})

const archiveTable = (made: readonly archives.Export[], member: Member): Html => html`<table class="data stacks">
<caption class="unseen">Archives</caption>
<thead><tr><th scope="col">Asked for</th><th scope="col">By</th><th scope="col">State</th><th scope="col" class="number">Bytes</th><th scope="col">Ends</th><th scope="col"><span class="unseen">Fetch</span></th></tr></thead>
<tbody>${made.map(
  (
    one,
  ) => html`<tr><th scope="row">${ago(one.created_at)}</th><td data-label="By" class="break">${one.requested_by}</td>
<td data-label="State">${one.state}${one.error && html` <span class="bad break">${one.error}</span>`}</td><td data-label="Bytes" class="number">${one.bytes === null ? '–' : count(one.bytes)}</td>
<td data-label="Ends">${one.expires_at === null ? '–' : ago(one.expires_at)}</td>
<td class="actions">${one.state === 'ready' && actionButton(member, `/app/leaving/exports/${one.id}`, 'Fetch', { of: `the archive of ${instant(one.created_at)}` })}</td></tr>`,
)}</tbody></table>`

function endOf(closure: closures.Closure | null, member: Member): Html {
  if (closure?.state === 'waiting') {
    return html`<p class="lead">It is closed: keys are refused and nothing goes out. On ${instant(closure.due_at)} UTC all it has is deleted.</p>
${actionButton(member, '/app/leaving/closure/cancel', 'Open it again')}`
  }
  if (closure?.state === 'running') return html`<p class="lead">Its deletion has begun.</p>`
  return html`<p class="lead">Keys, webhooks and sign-ins stop at once; after ${config.CLOSURE_DAYS} days of grace all that the organisation has is deleted.</p>
<p><a class="button" href="/app/leaving/closure">Close the organisation</a></p>`
}

const back = () => leaving.path

/** A member who asks, for rules that only people may ask. Throws 403 for somebody who is no owner in this transaction. */
async function asOwner(tx: Db, doer: Doer, permission: 'export' | 'closure') {
  await demandOwner(tx, doer, permission, 'Owners export, close and open an organisation.')
  const { orgId, actor, requestId, network } = doer
  return { orgId, actor: { ...actor, kind: 'user' as const }, requestId, network }
}

/** Has an archive made. */
export const archive = action({
  path: '/leaving/exports',
  summary: 'Make an archive',
  whileClosed: true,
  permission: 'export',
  stepUp: true,
  back,
  async perform({ db, doer }) {
    await db.transaction(async (tx) => requestExport(tx, await asOwner(tx, doer, 'export')))
    return { to: leaving.path, told: 'The archive is being made; this page shows when it is ready.' }
  },
})

/** Leads to an archive's bytes. */
export const fetch = action({
  path: '/leaving/exports/{id}',
  summary: 'Fetch an archive',
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
        main: html`${trail('Export and closure', leaving.path)}<h1>The archive</h1><p><a class="button primary" href="${to}">Download it</a></p><p class="quiet">The link is good for a few minutes.</p>`,
      },
    }
  },
})

/** `/app/leaving/closure`: closes the organisation, by its name. */
export const { show: askToClose, submit: close } = formPage({
  path: '/leaving/closure',
  summary: 'Close the organisation',
  whileClosed: true,
  section: leaving,
  permission: 'closure',
  stepUp: true,
  fields: z.object({ name: z.string() }),
  async view({ member, filled, fault }) {
    const main = html`${trail('Export and closure', leaving.path)}<h1>Close ${member.orgName}?</h1>${faultOf(fault)}
<form class="form" method="post">${tokenField(member)}
<p>Its keys are refused at once, nothing of it goes out, its broadcasts, rooms and calls end, and everybody but owners is signed out. After ${config.CLOSURE_DAYS} days of grace all it has is deleted, and nobody can bring it back.</p>
${textField(filled, { name: 'name', label: `Its name, ${member.orgName}, to be sure`, required: true })}
<p class="actions"><button class="grave">Close it</button> <a class="button plain" href="${leaving.path}">Not now</a></p></form>`
    return { title: 'Close the organisation', main }
  },
  async submit({ db, doer, member, given }) {
    if (given.name.trim() !== member.orgName) return { to: '/app/leaving/closure', told: 'That is not its name.' }
    const { due_at } = await db.transaction(async (tx) => requestClosure(tx, await asOwner(tx, doer, 'closure')))
    return { to: leaving.path, told: `The organisation is closed. All it has is deleted on ${instant(due_at)} UTC.` }
  },
})

/** Takes a closure back. */
export const reopen = action({
  path: '/leaving/closure/cancel',
  summary: 'Open the organisation again',
  whileClosed: true,
  permission: 'closure',
  stepUp: true,
  back,
  async perform({ db, doer }) {
    await db.transaction(async (tx) => cancelClosure(tx, await asOwner(tx, doer, 'closure')))
    return { to: leaving.path, told: 'The organisation is open again.' }
  },
})
