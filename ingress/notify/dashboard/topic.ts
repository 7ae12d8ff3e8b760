import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as members from '#sql/notify/topic-people.ts'
import * as topics from '#sql/notify/topics.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import * as people from '../topic-people.ts'
import { params, remove as removeTopic } from '../topics.ts'
import { personPath, section, topicPath } from './section.ts'

export const one = page({
  path: '/notify/topics/{key}',
  summary: 'Show a topic and its people',
  section,
  permission: 'log:read',
  params,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, params: { key }, query: { before } }) {
    const topic = await mustFind(topics.find(db, member.orgId, key), 'topic')
    const { shown, older } = cutPage(await members.list(db, topic.id, { before, limit: perPage + 1 }))
    const mayChange = may('areas:write')
    const buttons =
      mayChange &&
      html`<div class="actions">${linkButton(`${topicPath(key)}/add`, 'Add people', { primary: true })}${linkButton(`/app/notify/create-broadcast?topic=${key}`, 'Notify people')}<a class="button" data-confirm href="${topicPath(key)}/delete">Delete<span class="unseen"> topic</span></a></div>`
    const main = html`${parentLink('Topics', '/app/notify/topics')}<div class="title"><h1>${topic.name}</h1>${buttons}</div>
<dl class="facts"><div><dt>Key</dt><dd><code>${key}</code></dd></div><div><dt>People</dt><dd>${count(topic.people)}</dd></div>
<div><dt>Created</dt><dd>${ago(topic.created_at)}</dd></div></dl>
<section><h2>People</h2>
${shown.length === 0 ? emptyState('No people yet. People of the topic appear here.') : peopleTable(member, key, shown, mayChange)}
${older(topicPath(key))}</section>`
    return { title: topic.name, main }
  },
})

export const { show: askForPeople, submit: add } = formPage({
  path: '/notify/topics/{key}/add',
  summary: 'Add people to a topic',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ user_ids: z.string() }),
  async view({ db, member, filled, fault, params: { key } }) {
    const { name } = await mustFind(topics.find(db, member.orgId, key), 'topic')
    const main = html`${parentLink(name, topicPath(key))}<h1>Add people</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${linesField(filled, { name: 'user_ids', label: 'People', required: true, rows: 10, hint: 'Your own IDs of up to 1,000 people, one in each line.' })}
<p class="actions"><button>Add people</button> <a class="button plain" href="${topicPath(key)}">Cancel</a></p></form>`
    return { title: 'Add people', main }
  },
  async submit({ ask, given, params: { key } }) {
    const user_ids = given.user_ids.split('\n').flatMap((line) => line.trim() || [])
    const reply = z.object({ added: z.int() })
    const { added } = await ask(people.add, { params: { key }, body: { user_ids } }, reply).catch(atLines)
    return { to: topicPath(key), told: `${added === 1 ? '1 person' : `${count(added)} people`} added.` }
  },
})

/** Names faults of single IDs as a fault of the field. */
function atLines(error: unknown): never {
  if (!(error instanceof Problem) || !Array.isArray(error.details)) throw error
  const [first] = error.details as Fault[]
  const line = /^body\.user_ids\.(\d+)$/.exec(first?.field ?? '')?.[1]
  const issue = line === undefined ? first?.issue : `has an invalid line ${Number(line) + 1}: it ${first?.issue}`
  throw badRequest([{ field: 'form.user_ids', issue: issue ?? 'is invalid' }])
}

const peopleTable = (member: Member, key: string, shown: readonly members.Member[], mayChange: boolean): Html =>
  dataTable('People', shown, {
    Person: ['break', (row) => html`<a href="${personPath(row.subject)}">${row.subject}</a>`],
    Added: (row) => ago(row.created_at),
    Actions: mayChange && [
      'actions',
      (row) =>
        actionButton(member, `${topicPath(key)}/remove`, 'Remove', {
          of: row.subject,
          grave: true,
          fields: { user_id: row.subject },
        }),
    ],
  })

export const removePerson = action({
  path: '/notify/topics/{key}/remove',
  summary: 'Remove a person from a topic',
  permission: 'areas:write',
  params,
  fields: z.object({ user_id: z.string() }),
  back: ({ key }) => topicPath(key),
  async perform({ ask, params: { key }, given: { user_id } }) {
    await ask(people.remove, { params: { key }, body: { user_ids: [user_id] } }, z.object({}))
    return { to: topicPath(key), told: 'Person removed from the topic.' }
  },
})

export const { show: askToDelete, submit: remove } = formPage({
  path: '/notify/topics/{key}/delete',
  summary: 'Delete a topic',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, fault, params: { key } }) {
    const topic = await mustFind(topics.find(db, member.orgId, key), 'topic')
    const main = html`${parentLink(topic.name, topicPath(key))}${renderFault(fault)}
<form class="question" id="question" method="post" action="${topicPath(key)}/delete">${tokenField(member)}
<h1 id="confirm-title">Delete ${topic.name}?</h1>
<p>The topic has ${topic.people === 1 ? '1 person' : `${count(topic.people)} people`}. They stay in the directory. A running broadcast to the topic notifies nobody else.</p>
<p class="actions"><button class="grave">Delete topic</button> <a class="button plain" data-back href="${topicPath(key)}">Cancel</a></p></form>`
    return { title: `Delete ${topic.name}`, main }
  },
  async submit({ ask, params: { key } }) {
    await ask(removeTopic, { params: { key } }, z.object({}))
    return { to: '/app/notify/topics', told: 'Topic deleted.' }
  },
})
