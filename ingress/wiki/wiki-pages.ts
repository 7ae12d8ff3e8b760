import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import { statuses } from '#sql/wiki/articles.ts'
import { listUnproven } from '#sql/wiki/evidence.ts'
import * as overview from '#sql/wiki/overview.ts'
import { page } from '../http/console/page.ts'
import { ago, count, formatInstant } from '../http/html/format.ts'
import { type Content, type Html, html, queryString } from '../http/html/html.ts'
import { mustFind } from '../http/must-find.ts'

export const wikis = { title: 'Wiki', path: '/ops/wiki', group: 'Knowledge and trust' } as const

const perPage = 50

const find = (value = '', fault?: string): Html => html`<form class="filter" action="/ops/wiki" role="search">
<div class="wide"><label for="article">Article ID or slug</label>
<input id="article" name="find" value="${value}"></div><div class="send"><button>Find</button></div></form>
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
    const shown = rows.slice(0, perPage)
    const last = rows.length > perPage ? shown.at(-1) : undefined
    const choices = [undefined, ...statuses].map(
      (one) =>
        html`<a href="/ops/wiki${queryString({ status: one })}"${one === status && html` aria-current="true"`}>${one ?? 'all'}</a> `,
    )
    const main = html`<h1>Wiki</h1>
${find(wanted, wanted && 'This article does not exist.')}${await region('wiki')}
<section aria-labelledby="articles"><h2 id="articles">Articles</h2><p>${choices}</p>
${shown.length === 0 ? html`<p class="empty">No articles${before && ' before this'}.</p>` : articleTable(shown)}
${last && html`<p class="more"><a href="/ops/wiki${queryString({ status, before: last.id })}">Older</a></p>`}</section>`
    return { title: 'Wiki', main }
  },
})

const articleTable = (rows: readonly overview.Row[]): Html => html`<table class="data stacks">
<caption class="unseen">Articles</caption>
<thead><tr><th scope="col">Article</th><th scope="col">Organisation</th><th scope="col">Status</th><th scope="col">Version</th><th scope="col">Claims</th><th scope="col">Changed</th></tr></thead>
<tbody>${rows.map(
  (
    row,
  ) => html`<tr><th scope="row" class="break"><a href="/ops/wiki/articles/${row.id}">${row.title}</a></th><td data-label="Organisation">${row.org}</td>
<td data-label="Status">${row.status}</td><td data-label="Version">${row.version}${shownVersion(row)}</td>
<td data-label="Claims">${claims(row)}</td><td data-label="Changed">${ago(row.updated_at)}</td></tr>`,
)}</tbody></table>`

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
    const [shown, missing] = [rows.slice(0, perPage), await listUnproven(db, found.id)]
    const last = rows.length > perPage ? shown.at(-1) : undefined
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
${last && html`<p class="more"><a href="/ops/wiki/articles/${found.id}${queryString({ before: last.id })}">Older</a></p>`}</section>`
    return { title: found.title, main }
  },
})

const versionTable = (rows: readonly versions.Entry[]): Html => html`<table class="data stacks">
<caption class="unseen">Versions, newest first</caption>
<thead><tr><th scope="col">Version</th><th scope="col">Title</th><th scope="col">Comment</th><th scope="col">Author</th><th scope="col" class="number">Size in bytes</th><th scope="col">Created</th></tr></thead>
<tbody>${rows.map(
  (row) => html`<tr><th scope="row">${row.number}</th><td class="break" data-label="Title">${row.title}</td>
<td class="break" data-label="Comment">${row.comment}${row.restored_from !== null && html` <span class="quiet">restores version ${row.restored_from}</span>`}</td>
<td class="break" data-label="Author">${row.author}</td><td class="number" data-label="Size in bytes">${count(row.size)}</td><td data-label="Created">${formatInstant(row.created_at)} UTC</td></tr>`,
)}</tbody></table>`
