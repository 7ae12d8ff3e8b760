import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as rows from '#sql/wiki/articles.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { recentUse } from '../../http/dashboard/recent-use.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { type FormState, linesField, optionalField, splitCommaWords, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../articles.ts'

export const section = {
  title: 'Wiki',
  path: '/app/wiki',
  group: 'Bots and knowledge',
  guide: 'wiki',
} as const satisfies DashboardSection

export const overview = page({
  path: '/wiki',
  summary: 'List wiki articles',
  section,
  query: z.object({ status: optionalField(z.enum(rows.statuses)), before: Id.optional() }),
  async view({ db, member, may, services, query: { status, before } }) {
    const where = whereOf(rows.filters, { status })
    const found = await rows.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const none =
      status || before
        ? emptyState('No articles match these filters.')
        : emptyState(
            'No articles yet.',
            'Create a draft. Each claim in an article is proven by a snapshot of its source.',
          )
    const main = html`<div class="title"><h1>Wiki</h1>${may('areas:write') && html`<a class="button primary" href="${section.path}/new">Create article</a>`}</div>
<p class="lead">Articles whose claims are proven by snapshots of their sources.</p>
${(shown.length > 0 || status) && filterForm(filters, { status })}
${shown.length === 0 ? none : articleTable(shown)}
${older(section.path, { status })}
${apiCall(services, 'wiki.articles.create', { body: { title: 'The bridge', body: 'It was opened in 1932.', tags: ['bridges'] } })}
${await recentUse(db, member.orgId, 'wiki')}`
    return { title: 'Wiki', main }
  },
})

const filters = [{ name: 'status', label: 'Status', any: 'All', options: rows.statuses }]

/** True if the newest version waits for its publication. */
const isWaiting = ({ version, published_version }: rows.Article): boolean => version !== published_version

const articleTable = (shown: readonly rows.ArticleView[]): Html =>
  dataTable('Articles', shown, {
    Article: ['break', (one) => html`<a href="${section.path}/${one.id}">${one.title}</a>`],
    Status: (one) => statusOf(one),
    'To review': (one) => (isWaiting(one) ? `version ${one.version}` : quiet('nothing')),
    Tags: ['break', (one) => one.tags.join(', ') || quiet('none')],
    Language: (one) => one.language,
    Updated: (one) => ago(one.updated_at),
  })

export const statusOf = ({ status }: Pick<rows.Article, 'status'>): Html => statusBadge(status)

export const textFields = {
  title: z.string(),
  summary: z.string().default(''),
  body: z.string(),
  tags: z.string().default(''),
  comment: optionalField(z.string()),
}

export const toBody = ({ tags, ...given }: z.output<z.ZodObject<typeof textFields>>) => ({
  ...given,
  tags: splitCommaWords(tags),
})

/** Maximum size of a form with an article in bytes. The form is percent-encoded. */
export const formBytes = 2 * 1024 ** 2

export const renderTextFields = (
  filled: FormState,
  now: Partial<Record<'title' | 'summary' | 'body' | 'tags', string>> = {},
): Html => html`${textField(filled, { name: 'title', label: 'Title', required: true, otherwise: now.title ?? '' })}
${textField(filled, { name: 'summary', label: 'Summary', otherwise: now.summary ?? '', hint: 'Optional. One or two sentences for lists and search engines.' })}
${linesField(filled, { name: 'body', label: 'Text', rows: 18, otherwise: now.body ?? '', prose: true, hint: html`Markdown. <code>[^ID of a claim]</code> cites a claim.` })}
${textField(filled, { name: 'tags', label: 'Tags', otherwise: now.tags ?? '', hint: 'Optional. Separate tags with commas.' })}`

export const { show: askForArticle, submit: make } = formPage({
  path: '/wiki/new',
  summary: 'Create a wiki article',
  section,
  permission: 'areas:write',
  formBytes,
  fields: z.object(textFields),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Wiki', section.path)}<h1>Create an article</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${renderTextFields(filled)}
<p class="actions"><button class="primary">Create draft</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    return { title: 'Create an article', main }
  },
  async submit({ ask, member, given }) {
    const body = { ...toBody(given), author: member.name || member.email }
    const { id } = await ask(create, { body }, z.object({ id: Id }))
    return { to: `${section.path}/${id}`, told: 'Draft created. Add claims with references, then publish the article.' }
  },
})
