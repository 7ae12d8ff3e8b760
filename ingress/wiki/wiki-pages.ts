import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import { statuses } from '#sql/wiki/articles.ts'
import { listUnproven } from '#sql/wiki/evidence.ts'
import * as overview from '#sql/wiki/overview.ts'
import { page } from '../http/console/page.ts'
import { dataTable } from '../http/html/data-table.ts'
import { filterForm } from '../http/html/filter-form.ts'
import { ago, count, formatInstant } from '../http/html/format.ts'
import { type Content, type Html, html, queryString } from '../http/html/html.ts'
import { cutPage, perPage } from '../http/html/paging.ts'
import { mustFind } from '../http/must-find.ts'

export const wikis = { title: 'Wiki', path: '/ops/wiki', group: 'Knowledge and trust' } as const

const find = (
  value = '',
  fault?: string,
): Html => html`${filterForm([{ name: 'find', label: 'Article ID or slug' }], { find: value }, { button: 'Find' })}
${fault && html`<p class="fault" role="alert">${fault}</p>`}`

export const list = page({
  path: '/wiki',
  summary: 'Show articles and their evidence',
  section: wikis,
  query: z.object({
    find: z.string().max(100).optional(),
    status: z.enum(statuses).optional().catch(undefined),
    before: Id.optional().catch(undefined),
  }),
  async view({ db, ctx, region, query: { find: wanted, status, before } }) {
    const found = wanted ? await overview.find(db, wanted.trim().toLowerCase()) : null
    if (found) {
      ctx.redirect(`/ops/wiki/articles/${found.id}`)
      return { title: 'Wiki', main: html`<h1>Wiki</h1>`, status: 303 }
    }
    const rows = await overview.articles(db, { status, before, limit: perPage + 1 })
    const { shown, older } = cutPage(rows)
    const choices = [undefined, ...statuses].map(
      (one) =>
        html`<a href="/ops/wiki${queryString({ status: one })}"${one === status && html` aria-current="true"`}>${one ?? 'all'}</a> `,
    )
    const main = html`<h1>Wiki</h1>
${find(wanted, wanted && 'This article does not exist.')}${await region('wiki')}
<section aria-labelledby="articles"><h2 id="articles">Articles</h2><nav class="spans" aria-label="Status">${choices}</nav>
${shown.length === 0 ? html`<p class="empty">No articles${before && ' before this'}.</p>` : articleTable(shown)}
${older('/ops/wiki', { status })}</section>`
    return { title: 'Wiki', main }
  },
})

const articleTable = (rows: readonly overview.Row[]): Html =>
  dataTable('Articles', rows, {
    Article: (row) => html`<a href="/ops/wiki/articles/${row.id}">${row.title}</a>`,
    Organisation: (row) => row.org,
    Status: (row) => row.status,
    Version: (row) => html`${row.version}${shownVersion(row)}`,
    Claims: (row) => claims(row),
    Changed: (row) => ago(row.updated_at),
  })

const shownVersion = ({ version, published_version }: overview.Row): Content =>
  published_version !== null &&
  published_version !== version &&
  html` <span class="quiet">readers see ${published_version}</span>`

const claims = (row: overview.Row): Content =>
  row.unproven === 0 ? count(row.claims) : html`${count(row.claims)}, <strong>${count(row.unproven)} unproven</strong>`

export const article = page({
  path: '/wiki/articles/{articleId}',
  summary: 'Show the history of an article',
  section: wikis,
  params: z.object({ articleId: Id }),
  query: z.object({ before: Id.optional() }),
  async view({ db, params: { articleId }, query: { before } }) {
    const found = await mustFind(overview.find(db, articleId), 'article')
    const rows = await versions.list(db, found.id, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(rows)
    const missing = await listUnproven(db, found.id)
    const facts: [string, Content][] = [
      ['Organisation', found.org],
      ['Status', found.status],
      ['Published version', found.published_version === null ? 'none' : `version ${found.published_version}`],
      ['Page', html`<a href="/wiki/${encodeURIComponent(found.slug)}">/wiki/${found.slug}</a>`],
      ['Claims', claims(found)],
      ['Created', html`${formatInstant(found.created_at)} UTC`],
      ...(found.withdrawn_at ? [['Withdrawn', found.withdrawal_reason] as [string, Content]] : []),
    ]
    const main = html`<p class="trail"><a href="/ops/wiki">Wiki</a></p><h1>${found.title}</h1><p class="id">${found.id}</p>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${missing.length > 0 && html`<section aria-labelledby="unproven"><h2 id="unproven">Unproven claims</h2><ul>${missing.map((one) => html`<li><span class="id">${one.claim_id}</span> ${one.property}: ${one.problem.replaceAll('_', ' ')}</li>`)}</ul></section>`}
<section aria-labelledby="versions"><h2 id="versions">Versions</h2>${versionTable(shown)}
${older(`/ops/wiki/articles/${found.id}`)}</section>`
    return { title: found.title, main }
  },
})

const versionTable = (rows: readonly versions.Entry[]): Html =>
  dataTable('Versions, newest first', rows, {
    Version: ['', (row) => row.number],
    Title: ['break', (row) => row.title],
    Comment: [
      'break',
      (row) =>
        html`${row.comment}${row.restored_from !== null && html` <span class="quiet">restores version ${row.restored_from}</span>`}`,
    ],
    Author: ['break', (row) => row.author],
    'Size in bytes': ['number', (row) => count(row.size)],
    Created: (row) => html`${formatInstant(row.created_at)} UTC`,
  })
