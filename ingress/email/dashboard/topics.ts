import { z } from 'zod'
import { TopicState } from '#sql/email/contacts.ts'
import * as topics from '#sql/email/topics.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { TopicKey } from '../fields.ts'
import { create, remove, update } from '../topics.ts'

export const section = {
  title: 'Email topics',
  path: '/app/email-topics',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const params = z.object({ topic_key: TopicKey })

export const overview = page({
  path: '/email-topics',
  summary: 'List email topics',
  section,
  permission: 'log:read',
  async view({ db, member, may, services }) {
    const all = await topics.listAll(db, member.orgId)
    const counts = all.length > 0 ? await topics.countChoices(db, member.orgId) : new Map()
    const main = html`<div class="title"><h1>Email topics</h1>${may('areas:write') && html`<a class="button primary" href="/app/email-topics/new">Create topic</a>`}</div>
${all.length === 0 ? emptyState('No email topics yet.', 'With topics, contacts choose which email they receive.', may('areas:write') && linkButton('/app/email-topics/new', 'Create topic')) : topicTable(all, counts)}
${counts === null && html`<p class="quiet">Too many contacts to count.</p>`}
${apiCall(services, 'email.preferences-tokens.create', { path: { email: 'ann@example.net' } }, { title: 'API: Link a contact to the preference page' })}`
    return { title: 'Email topics', main }
  },
})

const stateWords: Record<TopicState, string> = { subscribed: 'subscribed', unsubscribed: 'not subscribed' }

const topicTable = (all: readonly topics.Topic[], counts: topics.TopicCounts | null): Html =>
  dataTable('Email topics', all, {
    Name: (one) => html`<a href="/app/email-topics/${one.key}/edit">${one.name}</a>`,
    Key: (one) => html`<code>${one.key}</code>`,
    'By default': (one) => stateWords[one.default_state],
    Visibility: (one) => one.visibility,
    Subscribed: counts !== null && ['number', (one) => count(counts.get(one.key)?.subscribed ?? 0)],
    Unsubscribed: counts !== null && ['number', (one) => count(counts.get(one.key)?.unsubscribed ?? 0)],
  })

const text = z.string().max(5_000)

const fields = z.object({
  name: text.default(''),
  description: text.default(''),
  default_state: TopicState.default('subscribed'),
  visibility: topics.table.Row.shape.visibility.default('public'),
})

const formFields = (filled: FormState, now?: topics.Topic): Html =>
  html`${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: now?.name ?? '', hint: 'The preference page shows it. For example, Product news.' })}
${linesField(filled, { name: 'description', label: 'Description', few: true, prose: true, otherwise: now?.description ?? '', hint: 'Optional.' })}
${selectField(filled, {
  name: 'default_state',
  label: 'Contacts who have not chosen',
  options: [
    ['subscribed', 'are subscribed'],
    ['unsubscribed', 'are not subscribed'],
  ],
  otherwise: now?.default_state ?? 'subscribed',
})}
${selectField(filled, {
  name: 'visibility',
  label: 'Visibility',
  options: [
    ['public', 'public: all contacts see the topic'],
    ['private', 'private: only subscribed contacts see the topic'],
  ],
  otherwise: now?.visibility ?? 'public',
})}`

const toBody = ({ name, description, ...more }: z.output<typeof fields>) => ({
  name: name.trim(),
  description: description.trim().replaceAll(/\s+/g, ' ') || null,
  ...more,
})

export const { show: askForTopic, submit: add } = formPage({
  path: '/email-topics/new',
  summary: 'Create an email topic',
  section,
  permission: 'areas:write',
  fields: fields.extend({ key: text.default('') }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Email topics', section.path)}<h1>Create an email topic</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'key', label: 'Key', required: true, hint: 'For example, product-news. You cannot change it later.' })}
${formFields(filled)}
<button>Create topic</button></form>`
    return { title: 'Create an email topic', main }
  },
  async submit({ ask, given: { key, ...given } }) {
    await ask(create, { body: { key: key.trim(), ...toBody(given) } }, z.unknown())
    return { to: section.path, told: 'Topic created.' }
  },
})

export const { show: askForChanges, submit: change } = formPage({
  path: '/email-topics/{topic_key}/edit',
  summary: 'Update an email topic',
  section,
  permission: 'areas:write',
  params,
  fields,
  async view({ db, member, params, filled, fault }) {
    const found = await mustFind(topics.find(db, member.orgId, params.topic_key), 'topic')
    const main = html`${parentLink('Email topics', section.path)}<h1>Edit ${found.name}</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${formFields(filled, found)}
<p class="actions"><button>Save topic</button> <a class="button plain" href="/app/email-topics/${found.key}/remove">Delete</a></p></form>`
    return { title: `Edit ${found.name}`, main }
  },
  async submit({ ask, params, given }) {
    await ask(update, { params: { key: params.topic_key }, body: toBody(given) }, z.unknown())
    return { to: section.path, told: 'Topic saved.' }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/email-topics/{topic_key}/remove',
  summary: 'Delete an email topic',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { key, name } = await mustFind(topics.find(db, member.orgId, params.topic_key), 'topic')
    const main = html`${parentLink(name, `/app/email-topics/${key}/edit`)}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>Contacts keep their choices. A new topic with the key <code>${key}</code> uses them again.</p>
<p class="actions"><button class="grave">Delete topic</button> <a class="button plain" href="/app/email-topics/${key}/edit">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ ask, params }) {
    await ask(remove, { params: { key: params.topic_key } }, z.unknown())
    return { to: section.path, told: 'Topic deleted.' }
  },
})
