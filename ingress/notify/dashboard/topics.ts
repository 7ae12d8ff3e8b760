import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as topics from '#sql/notify/topics.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { put } from '../topics.ts'
import { faultAtField } from './path-faults.ts'
import { renderTabs, section, topicPath } from './section.ts'

export const overview = page({
  path: '/notify/topics',
  summary: 'List topics',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, services, query: { before } }) {
    const { shown, older } = cutPage(await topics.list(db, member.orgId, { before, limit: perPage + 1 }))
    const create = may('areas:write') && linkButton('/app/notify/create-topic', 'Create a topic', { primary: true })
    const main = html`${renderTabs('Topics', create)}
${shown.length === 0 ? emptyState('No topics yet. A topic is a group of people whom a broadcast notifies.', undefined, create) : topicTable(shown)}
${older('/app/notify/topics')}
${apiCall(services, 'notify.topic-people.add', { path: { key: shown[0]?.key ?? 'release-notes' } })}`
    return { title: 'Topics', main }
  },
})

const topicTable = (shown: readonly topics.Topic[]): Html =>
  dataTable('Topics', shown, {
    Topic: (one) => html`<a href="${topicPath(one.key)}">${one.name}</a>`,
    Key: ['break', (one) => html`<code>${one.key}</code>`],
    People: ['number', (one) => count(one.people)],
    Created: (one) => ago(one.created_at),
  })

export const { show: askForTopic, submit: create } = formPage({
  path: '/notify/create-topic',
  summary: 'Create a topic',
  section,
  permission: 'areas:write',
  fields: z.object({ key: z.string(), name: z.string() }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Topics', '/app/notify/topics')}<h1>Create a topic</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, Release notes.' })}
${textField(filled, { name: 'key', label: 'Key', required: true, hint: 'Key of the topic in the API. For example, release-notes.' })}
<button>Create topic</button></form>`
    return { title: 'Create a topic', main }
  },
  async submit({ ask, given: { key, name } }) {
    await ask(put, { params: { key }, body: { name } }, z.object({})).catch(faultAtField)
    return { to: topicPath(key), told: 'Topic created.' }
  },
})
