import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { everything } from '#sql/filters.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as rows from '#sql/whatsapp/templates.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { list } from '../templates.ts'
import { findAccount, numberPath, section, templatesPath } from './section.ts'
import { templateState } from './template-state.ts'

const most = 100

/** Minimum age in milliseconds at which a member can refresh the copy of the platform’s templates. */
const sharedAgeMs = 60_000

export const overview = page({
  path: '/whatsapp/templates',
  summary: 'List WhatsApp templates',
  section,
  permission: 'log:read',
  async view({ db, member, may, ask, region, services }) {
    const { own, accountId } = await findAccount(db, services, member.orgId)
    if (accountId !== undefined && (await rows.getCopyAge(db, accountId)) === null)
      await fetchCopy(() => ask(list, fresh, z.unknown()))
    const write = may('areas:write')
    const buttons =
      write &&
      html`<p class="actions">${actionButton(member, `${templatesPath}/refresh`, 'Refresh')} ${own && html`<a class="button primary" href="${templatesPath}/new">Submit a template</a>`}</p>`
    const shown = own
      ? await region('whatsapp-templates')
      : html`${templateTable(accountId === undefined ? [] : await listOf(db, accountId))}<p class="more quiet">These are the templates of the platform’s number. To have your own, <a href="${numberPath}">connect your number</a>.</p>`
    const main = html`${parentLink('WhatsApp', section.path)}<div class="title"><h1>WhatsApp templates</h1>${buttons}</div>
<p class="lead">With an approved template, you can write to people who have not written in the last 24 hours.</p>
${shown}`
    return { title: 'WhatsApp templates', main }
  },
})

const fresh = { query: { status: 'ALL', limit: '1' } }

/** Fetches the templates from WhatsApp. If WhatsApp does not respond, the page shows the old copy. */
async function fetchCopy(fetch: () => Promise<unknown>): Promise<string> {
  try {
    await fetch()
    return 'Templates are up to date.'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.message
  }
}

const listOf = (db: Parameters<typeof rows.list>[0], accountId: string) =>
  rows.list(db, accountId, { where: everything, before: undefined, limit: most })

/** Templates of an organisation’s own number, with the state of their reviews. */
export const templatesRegion: OrgRegion = {
  everyMs: 3_000,
  permission: 'log:read',
  async read(db, orgId) {
    const own = (await numbers.findByOrgs(db, [orgId])).get(orgId)
    return own ? templateTable(await listOf(db, own.account_id)) : null
  },
}

const templateTable = (shown: readonly rows.Template[]): Html =>
  shown.length === 0
    ? emptyState('No templates yet.', 'To reach people who have not written in the last 24 hours, you need a template.')
    : dataTable({ caption: 'Templates', key: ({ id }) => `template-${id}` }, shown, {
        Name: ({ provider_id, name }) =>
          html`<a href="${templatesPath}/${encodeURIComponent(provider_id)}">${name}</a>`,
        Language: ({ language }) => language,
        Category: ({ category }) => category.toLowerCase(),
        Review: ['break', templateState],
        'Last update': ({ noted_at }) => ago(noted_at),
      })

export const refresh = action({
  path: '/whatsapp/templates/refresh',
  summary: 'Fetch the templates from WhatsApp',
  permission: 'areas:write',
  back: () => templatesPath,
  async perform({ db, member, ask, services }) {
    const { own, accountId } = await findAccount(db, services, member.orgId)
    const age = accountId === undefined ? null : await rows.getCopyAge(db, accountId)
    // All organisations without a number share the platform’s account and its limits at WhatsApp.
    if (accountId !== undefined && (own || (age ?? 0) > sharedAgeMs)) await rows.markOutdated(db, accountId)
    return { to: templatesPath, told: await fetchCopy(() => ask(list, fresh, z.unknown())) }
  },
})
