import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as rows from '#sql/hooks/event-types.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { type FormState, linesField, optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { create, remove, update } from '../event-types.ts'
import { section, typesPath } from './section.ts'

const newTypePath = `${section.path}/new-event-type`

const typePath = (name: string): string => `${typesPath}/${encodeURIComponent(name)}`

export const list = page({
  path: '/hooks/event-types',
  summary: 'List the event types of customer webhooks',
  section,
  permission: 'webhooks:read',
  query: z.object({ archived: optionalField(z.enum(['true', 'false'])), before: Id.optional() }),
  async view({ db, member, may, query: { archived, before } }) {
    const where = whereOf(rows.filters, { archived: archived === undefined ? undefined : archived === 'true' })
    const { shown, older } = cutPage(await rows.list(db, member.orgId, { where, before, limit: perPage + 1 }))
    const add = may('webhooks:write') && linkButton(newTypePath, 'Create event type', { primary: true })
    const states = [
      ['false', 'active'],
      ['true', 'archived'],
    ] as const
    const main = html`${parentLink('Customer webhooks', section.path)}<div class="title"><h1>Event types</h1>${shown.length > 0 && add}</div>
${(shown.length > 0 || archived) && filterForm([{ name: 'archived', label: 'Status', options: states }], { archived }, { button: 'Filter event types' })}
${shown.length > 0 ? html`${typeTable(shown)}${older(typesPath, { archived })}` : emptyState('Your event types appear here.', 'Each message has an event type, such as invoice.paid.', add)}`
    return { title: 'Event types', main }
  },
})

const typeTable = (shown: readonly rows.EventType[]): Html =>
  dataTable('Event types', shown, {
    'Event type': (one) =>
      html`<a href="${typePath(one.name)}">${one.name}</a>${one.description && html` <span class="quiet">${one.description}</span>`}`,
    'Feature group': (one) => one.feature_group ?? quiet('none'),
    Schema: (one) => (one.schema ? 'checked' : quiet('none')),
    Status: (one) => statusBadge(one.archived_at ? 'archived' : 'active'),
    Created: (one) => ago(one.created_at),
  })

const text = optionalField(z.string())

const fields = { description: text, feature_group: text, schema: text, example: text }

const inputs = (filled: FormState, now?: rows.EventType): Html =>
  html`${textField(filled, { name: 'description', label: 'Description', otherwise: now?.description ?? '', hint: 'Optional. Your customers see it in the portal.' })}
${textField(filled, { name: 'feature_group', label: 'Feature group', otherwise: now?.feature_group ?? '', hint: 'Optional. A portal link can be limited to groups.' })}
${linesField(filled, { name: 'schema', label: 'JSON Schema', rows: 14, otherwise: jsonOf(now?.schema), hint: 'Optional. Payloads must match this schema (draft 2020-12).' })}
${linesField(filled, { name: 'example', label: 'Example payload', rows: 8, otherwise: jsonOf(now?.example), hint: 'Optional. JSON object that test messages contain.' })}`

const jsonOf = (value: object | null | undefined): string => (value ? JSON.stringify(value, null, 2) : '')

/** Returns the fields as the API accepts them. Throws 400 if a field is not JSON. */
const toBody = ({ description, feature_group, schema, example }: z.output<z.ZodObject<typeof fields>>) => ({
  description: description ?? null,
  feature_group: feature_group ?? null,
  schema: readJson('schema', schema),
  example: readJson('example', example),
})

export function readJson(field: string, given: string | undefined): unknown {
  if (given === undefined) return null
  try {
    return JSON.parse(given)
  } catch (error) {
    const issue = error instanceof SyntaxError ? `must be JSON. ${error.message}` : 'must be JSON'
    throw badRequest([{ field: `form.${field}`, issue }])
  }
}

export const { show: askForType, submit: add } = formPage({
  path: '/hooks/new-event-type',
  summary: 'Create an event type for customer webhooks',
  section,
  permission: 'webhooks:write',
  formBytes: 512 * 1024,
  fields: z.object({ name: text, ...fields }),
  async view({ member, services, filled, fault }) {
    const main = html`${parentLink('Event types', typesPath)}<h1>Create an event type</h1>${renderFault(fault)}
<form class="form long" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, invoice.paid.' })}
${inputs(filled)}
<div class="submit"><button class="primary">Create event type</button> <a class="button plain" href="${typesPath}">Cancel</a></div></form>
${apiCall(services, 'hooks.event-types.create', { body: { name: 'invoice.paid', description: 'An invoice was paid.' } })}`
    return { title: 'Create an event type', main }
  },
  async submit({ ask, given: { name = '', ...rest } }) {
    await ask(create, { body: { name: name.trim(), ...toBody(rest) } }, z.unknown())
    return { to: typePath(name.trim()), told: 'Event type created.' }
  },
})

const params = z.object({ name: z.string().max(100) })

const find = (db: DatabasePool, { orgId }: Member, name: string) => mustFind(rows.find(db, orgId, name), 'event type')

export const { show: askForChange, submit: change } = formPage({
  path: '/hooks/event-types/{name}',
  summary: 'Show and edit an event type of customer webhooks',
  section,
  permission: 'webhooks:read',
  params,
  formBytes: 512 * 1024,
  fields: z.object(fields),
  async view({ db, member, may, params: { name }, filled, fault }) {
    const found = await find(db, member, name)
    const writes = may('webhooks:write')
    const state = found.archived_at ? quiet('archived') : null
    const main = html`${parentLink('Event types', typesPath)}<h1>${name} ${state}</h1>${renderFault(fault)}
${writes && html`<div class="actions">${actionButton(member, `${typePath(name)}/archive`, found.archived_at ? 'Use again' : 'Archive event type', { fields: { archived: String(!found.archived_at) } })} ${actionButton(member, `${typePath(name)}/remove`, 'Delete event type', { grave: true })}</div>`}
${
  writes
    ? html`<form class="form long" method="post">${tokenField(member)}${inputs(filled, found)}
<div class="submit"><button class="primary">Save event type</button> <a class="button plain" href="${typesPath}">Cancel</a></div></form>`
    : view(found)
}`
    return { title: name, main }
  },
  async submit({ ask, given, params: { name } }) {
    await ask(update, { params: { name }, body: toBody(given) }, z.unknown())
    return { to: typePath(name), told: 'Event type saved.' }
  },
})

const view = ({ description, schema, example }: rows.EventType): Html =>
  html`<p class="lead">${description ?? quiet('no description')}</p>
<section><h2>JSON Schema</h2>${schema ? html`<pre tabindex="0" aria-label="JSON Schema">${jsonOf(schema)}</pre>` : quiet('none')}</section>
<section><h2>Example payload</h2>${example ? html`<pre tabindex="0" aria-label="Example payload">${jsonOf(example)}</pre>` : quiet('none')}</section>`

export const archive = action({
  path: '/hooks/event-types/{name}/archive',
  summary: 'Archive an event type of customer webhooks',
  permission: 'webhooks:write',
  params,
  fields: z.object({ archived: z.enum(['true', 'false']) }),
  back: ({ name }) => typePath(name),
  async perform({ ask, params: { name }, given: { archived } }) {
    await ask(update, { params: { name }, body: { archived: archived === 'true' } }, z.unknown())
    return { to: typePath(name), told: archived === 'true' ? 'Event type archived.' : 'Event type in use again.' }
  },
})

export const drop = action({
  path: '/hooks/event-types/{name}/remove',
  summary: 'Delete an event type of customer webhooks',
  permission: 'webhooks:write',
  params,
  back: ({ name }) => typePath(name),
  async perform({ ask, params: { name } }) {
    await ask(remove, { params: { name } }, z.unknown())
    return { to: typesPath, told: `${name} deleted.` }
  },
})
