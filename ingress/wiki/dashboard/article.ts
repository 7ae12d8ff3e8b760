import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import * as versions from '#sql/wiki/article-versions.ts'
import * as rows from '#sql/wiki/articles.ts'
import * as reviews from '#sql/wiki/reviews.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago, counted } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { pageUrl } from '../article-fields.ts'
import { remove, update } from '../articles.ts'
import { presentEvidence } from '../present-article.ts'
import { create as createReview } from '../reviews.ts'
import { formBytes, renderTextFields, section, statusOf, textFields, toBody } from './articles.ts'

const params = z.object({ id: pathId('article') })

const pathOf = (id: string): string => `${section.path}/${id}`

const shownVersions = 20

export const read = page({
  path: '/wiki/{id}',
  summary: 'Show a wiki article, its evidence and versions',
  section,
  params,
  async view({ db, member, may, host, services, params: { id } }) {
    const article = await mustFind(rows.find(db, member.orgId, id), 'article')
    const newest = await mustFind(versions.findByNumber(db, id, article.version), 'version')
    const history = await versions.list(db, id, { before: undefined, limit: shownVersions })
    const evidence = await presentEvidence(db, id)
    const writes = may('areas:write')
    const main = html`${parentLink('Wiki', section.path)}<div class="title"><h1>${newest.title}</h1>${writes && html`<a class="button" href="${pathOf(id)}/edit">Edit</a>`}</div>
<dl class="facts"><div><dt>Status</dt><dd>${statusOf(article)}</dd></div>
${article.withdrawal_reason && html`<div><dt>Reason</dt><dd>${article.withdrawal_reason}</dd></div>`}
${article.status === 'published' && html`<div><dt>Page</dt><dd><a href="${pageUrl(host, article.slug)}">Open page</a></dd></div>`}
<div><dt>Version</dt><dd>${article.version}${article.published_version !== null && `, published: ${article.published_version}`}</dd></div>
<div><dt>Evidence</dt><dd>${evidence.claims === 0 ? 'no claims yet' : `${evidence.supported} of ${counted(evidence.claims, 'claim')} proven`}</dd></div>
<div><dt>Language</dt><dd>${article.language}</dd></div></dl>
${writes && html`<p class="actions spaced">${article.version !== article.published_version && actionButton(member, `${pathOf(id)}/publish`, `Publish version ${article.version}`)} ${article.status === 'published' && html`<a class="button" href="${pathOf(id)}/withdraw">Withdraw</a>`} <a class="button" href="${pathOf(id)}/remove">Delete</a></p>`}
<section aria-labelledby="text"><h2 id="text">Text</h2><p class="said">${newest.body || quiet('No text yet.')}</p></section>
<section aria-labelledby="claims"><h2 id="claims">Claims</h2>
${evidence.unproven.length > 0 ? html`<ul class="groups">${evidence.unproven.map(({ claim_id, problem }) => html`<li><span class="id">${claim_id}</span> ${statusBadge(problem, { as: 'failed' })}</li>`)}</ul>` : evidence.claims === 0 ? emptyState('No claims yet. An article can be published when it has a claim and each claim is proven.') : html`<p>All claims are proven.</p>`}
<p class="hint">Add evidence with three calls: create a source, capture a snapshot, then create a claim that quotes it.</p>
${apiCall(services, 'wiki.sources.create', { body: { uri: 'https://example.org/report' } })}
${apiCall(services, 'wiki.claims.create', { body: { article_ids: [id] } })}</section>
${await reviewPart(db, member, { article, version: newest, writes })}
<section aria-labelledby="versions"><h2 id="versions">Versions</h2>${versionTable(history, article.published_version)}</section>`
    return { title: newest.title, main }
  },
})

interface Reviewed {
  article: rows.Article
  version: versions.Version
  writes: boolean
}

async function reviewPart(db: DatabasePool, member: Member, { article, version, writes }: Reviewed): Promise<Html> {
  const { id } = article
  const found = await reviews.list(db, id, version.number, { before: undefined, limit: shownVersions })
  const table = dataTable(`Reviews of version ${version.number}`, found, {
    Decision: ['', ({ decision }) => statusBadge(decision)],
    Reviewer: ['break', ({ reviewer }) => reviewer ?? quiet('not named')],
    Comment: ['break', ({ comment }) => comment ?? quiet('none')],
    Time: ({ created_at }) => ago(created_at),
  })
  const form = html`<form class="form" method="post" action="${pathOf(id)}/review">${tokenField(member)}<input type="hidden" name="version" value="${version.id}">
${textField({ given: {}, faults: {} }, { name: 'comment', label: 'Comment', hint: 'Optional. The author sees the comment.' })}
<p class="actions"><button name="decision" value="approved">Approve</button> <button name="decision" value="rejected" class="grave">Reject</button></p></form>`
  return html`<section aria-labelledby="reviews"><h2 id="reviews">Reviews of version ${version.number}</h2>
${found.length === 0 ? html`<p class="quiet">No reviews yet.</p>` : table}
${writes && version.number !== article.published_version && form}</section>`
}

const versionTable = (history: readonly versions.Entry[], published: number | null): Html =>
  dataTable('Versions', history, {
    Version: ['', ({ number }) => html`${number}${number === published && html` ${statusBadge('published')}`}`],
    Title: ['break', ({ title }) => title],
    Author: ['break', ({ author }) => author ?? quiet('API')],
    Comment: ['break', ({ comment }) => comment ?? quiet('none')],
    Created: ({ created_at }) => ago(created_at),
  })

export const { show: askToEdit, submit: edit } = formPage({
  path: '/wiki/{id}/edit',
  summary: 'Edit a wiki article',
  section,
  permission: 'areas:write',
  params,
  formBytes,
  fields: z.object({ ...textFields, base_version: z.coerce.number().int() }),
  async view({ db, member, params: { id }, filled, fault }) {
    const article = await mustFind(rows.find(db, member.orgId, id), 'article')
    const { title, summary, body, tags } = await mustFind(versions.findByNumber(db, id, article.version), 'version')
    const main = html`${parentLink(title, pathOf(id))}<h1>Edit ${title}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}<input type="hidden" name="base_version" value="${String(filled.given.base_version ?? article.version)}">
${renderTextFields(filled, { title, summary, body, tags: tags.join(', ') })}
${textField(filled, { name: 'comment', label: 'What changed', hint: 'Optional. The list of versions shows it.' })}
<p class="actions"><button class="primary">Save new version</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: `Edit ${title}`, main }
  },
  async submit({ ask, member, params: { id }, given: { base_version, ...given } }) {
    const body = { ...toBody(given), base_version, author: member.name || member.email }
    await ask(update, { params: { id }, body }, z.unknown())
    return { to: pathOf(id), told: 'New version saved. Readers see it after you publish it.' }
  },
})

export const publish = action({
  path: '/wiki/{id}/publish',
  summary: 'Publish a wiki article',
  permission: 'areas:write',
  params,
  back: ({ id }) => pathOf(id),
  async perform({ db, ask, member, params: { id } }) {
    const { version } = await mustFind(rows.find(db, member.orgId, id), 'article')
    await ask(update, { params: { id }, body: { status: 'published', base_version: version } }, z.unknown())
    return { to: pathOf(id), told: 'Article published.' }
  },
})

export const review = action({
  path: '/wiki/{id}/review',
  summary: 'Review a wiki article',
  permission: 'areas:write',
  params,
  fields: z.object({
    version: pathId('version'),
    decision: z.enum(['approved', 'rejected']),
    comment: z.string().trim().max(4_000).default(''),
  }),
  back: ({ id }) => pathOf(id),
  async perform({ ask, member, params: { id }, given: { version: versionId, decision, comment } }) {
    const body = { decision, reviewer: member.name || member.email, ...(comment !== '' && { comment }) }
    await ask(createReview, { params: { id, versionId }, body }, z.unknown())
    return { to: pathOf(id), told: `Version ${decision}.` }
  },
})

export const { show: askToWithdraw, submit: withdraw } = formPage({
  path: '/wiki/{id}/withdraw',
  summary: 'Withdraw a wiki article',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ reason: z.string() }),
  async view({ db, member, params: { id }, filled, fault }) {
    await mustFind(rows.find(db, member.orgId, id), 'article')
    const main = html`${parentLink('Article', pathOf(id))}<h1>Withdraw this article?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'reason', label: 'Reason', required: true, hint: 'Readers who open the article see the reason.' })}
<p class="actions"><button class="grave">Withdraw article</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Withdraw article', main }
  },
  async submit({ ask, params: { id }, given: { reason } }) {
    await ask(update, { params: { id }, body: { status: 'withdrawn', reason } }, z.unknown())
    return { to: pathOf(id), told: 'Article withdrawn.' }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/wiki/{id}/remove',
  summary: 'Delete a wiki article',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { id }, fault }) {
    const { status } = await mustFind(rows.find(db, member.orgId, id), 'article')
    const first = html`<p>The article is published. <a href="${pathOf(id)}/withdraw">Withdraw it</a> before you delete it.</p>`
    const main = html`${parentLink('Article', pathOf(id))}<h1>Delete this article?</h1>${renderFault(fault)}
${status === 'published' ? first : deletion(member, id)}`
    return { title: 'Delete article', main }
  },
  async submit({ ask, params: { id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: section.path, told: 'Article deleted.' }
  },
})

const deletion = (
  member: Member,
  id: string,
): Html => html`<form class="form" method="post">${tokenField(member)}<p>All versions are deleted. You cannot undo this.</p>
<p class="actions"><button class="grave">Delete article</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
