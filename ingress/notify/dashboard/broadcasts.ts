import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as broadcasts from '#sql/notify/broadcasts.ts'
import * as topics from '#sql/notify/topics.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create as createOperation } from '../broadcasts.ts'
import { TopicKey } from '../fields.ts'
import { parseData } from './example-data.ts'
import { broadcastPath, renderTabs, section, topicPath } from './section.ts'

export const overview = page({
  path: '/notify/broadcasts',
  summary: 'List broadcasts',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, region, services, query: { before } }) {
    const create = may('areas:write') && linkButton('/app/notify/create-broadcast', 'Notify people', { primary: true })
    const found = await list(db, member.orgId, before)
    const { shown, older } = cutPage(found)
    const main = html`${renderTabs('Broadcasts', create)}
${before === undefined ? await region('notify-broadcasts') : broadcastTable(shown)}
${older('/app/notify/broadcasts')}
${apiCall(services, 'notify.broadcasts.create')}`
    return { title: 'Broadcasts', main }
  },
})

const list = (db: Parameters<typeof broadcasts.list>[0], orgId: string, before?: string) =>
  broadcasts.list(db, orgId, { where: everything, before, limit: perPage + 1 })

/** Shows the first page of the list of broadcasts. */
export const broadcastsRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId) {
    const { shown } = cutPage(await list(db, orgId))
    return shown.length === 0
      ? emptyState('No broadcasts yet. A broadcast notifies the people of a topic, or all people.')
      : broadcastTable(shown)
  },
}

const broadcastTable = (shown: readonly broadcasts.Broadcast[]): Html =>
  dataTable({ caption: 'Broadcasts', key: ({ id }) => id }, shown, {
    Broadcast: ['break', (one) => html`<a href="${broadcastPath(one.id)}">${one.title}</a>`],
    To: (one) => renderAudience(one),
    State: (one) => statusBadge(one.status),
    Notified: ['number', (one) => `${count(one.told)} of ${count(one.total)}`],
    Created: (one) => ago(one.created_at),
  })

export function renderAudience({ audience, topic, sandbox }: broadcasts.Broadcast): Html {
  const to =
    topic !== null
      ? html`topic <a href="${topicPath(topic)}">${topic}</a>`
      : audience === 'all'
        ? 'all people'
        : 'a list'
  return html`${to}${sandbox && html` ${statusBadge('test', { shown: 'test key' })}`}`
}

const text = optionalField(z.string())

export const { show: askForBroadcast, submit: create } = formPage({
  path: '/notify/create-broadcast',
  summary: 'Notify many people',
  section,
  permission: 'areas:write',
  query: z.object({ topic: TopicKey.optional() }),
  fields: z.object({
    ...{ audience: z.string(), recipients: text, product_key: z.string(), type: z.string(), title: z.string() },
    ...{ body: text, url: text, data: text },
  }),
  async view({ db, member, filled, fault, query }) {
    const known = await topics.list(db, member.orgId, { before: undefined, limit: 100 })
    const options = [
      ...known.map(({ key, name, people }) => [`topic:${key}`, `Topic ${name} (${count(people)})`] as const),
      ['all', 'All people in the directory'] as const,
      ['recipients', 'The listed people'] as const,
    ]
    const main = html`${parentLink('Broadcasts', '/app/notify/broadcasts')}<h1>Notify people</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'audience', label: 'To', options, ...(query.topic && { otherwise: `topic:${query.topic}` }), hint: 'Each person gets an event, according to their preferences.' })}
${linesField(filled, { name: 'recipients', label: 'Listed people', few: true, hint: 'Only for “The listed people”: your own IDs, one in each line.' })}
<div class="pair">${textField(filled, { name: 'product_key', label: 'Product', required: true, hint: 'For example, shop.' })}
${textField(filled, { name: 'type', label: 'Event type', required: true, hint: 'For example, release.published.' })}</div>
${textField(filled, { name: 'title', label: 'Title', required: true })}
${linesField(filled, { name: 'body', label: 'Body', few: true, prose: true, hint: 'Optional.' })}
${textField(filled, { name: 'url', label: 'URL', type: 'url', hint: 'Optional. URL to open, such as https://example.com/news.' })}
${linesField(filled, { name: 'data', label: 'Data (JSON)', few: true, hint: 'Optional. Values for your app, such as {"version": "2"}.' })}
<p class="actions"><button>Notify people</button> <a class="button plain" href="/app/notify/broadcasts">Cancel</a></p></form>`
    return { title: 'Notify people', main }
  },
  async submit({ ask, given: { audience, recipients, data: json, ...content } }) {
    const data = parseData(json)
    const to = audience.startsWith('topic:')
      ? { topic: audience.slice('topic:'.length) }
      : audience === 'all'
        ? { all: true }
        : { recipients: (recipients ?? '').split('\n').flatMap((line) => line.trim() || []) }
    const body = { ...to, ...content, ...(Object.keys(data).length > 0 && { data }) }
    const { id } = await ask(createOperation, { body }, z.object({ id: z.string() }))
    return { to: broadcastPath(id), told: 'Broadcast started. This page updates by itself.' }
  },
})
