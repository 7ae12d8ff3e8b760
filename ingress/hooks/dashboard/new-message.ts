import { z } from 'zod'
import { whereOf } from '#sql/filters.ts'
import * as eventTypes from '#sql/hooks/event-types.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { linesField, optionalField, selectField, splitCommaWords, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../messages.ts'
import { findApp, params } from './app.ts'
import { readJson } from './event-types.ts'
import { appPath, messagePath, section, typesPath } from './section.ts'

const text = optionalField(z.string())

/** Maximum number of event types in the list of the form. */
const maxTypes = 200

export const { show: write, submit: send } = formPage({
  path: '/hooks/apps/{app_id}/messages/new',
  summary: 'Send a message to an app',
  section,
  permission: 'webhooks:write',
  params,
  formBytes: 1024 * 1024,
  fields: z.object({ event_type: text, payload: text, event_id: text, tags: text, channels: text }),
  async view({ db, member, services, params: { app_id: id }, filled, fault }) {
    const app = await findApp(db, member, id)
    const where = whereOf(eventTypes.filters, { archived: false })
    const types = await eventTypes.list(db, member.orgId, { where, before: undefined, limit: maxTypes })
    const [first] = types
    if (!first) {
      const next = linkButton(`${typesPath}`, 'Show event types', { primary: true })
      const main = html`${parentLink(app.name, appPath(id))}<h1>Send a message</h1>${emptyState('Create an event type first.', 'Each message has one of your event types.', next)}`
      return { title: 'Send a message', main }
    }
    const sample = JSON.stringify(first.example ?? {}, null, 2)
    const main = html`${parentLink(app.name, appPath(id))}<h1>Send a message</h1>${renderFault(fault)}
<p class="lead">All endpoints of ${app.name} that subscribe to the event type receive the message.</p>
<form class="form long" method="post">${tokenField(member)}
${selectField(filled, { name: 'event_type', label: 'Event type', options: types.map(({ name }) => [name, name] as const) })}
${linesField(filled, { name: 'payload', label: 'Payload (JSON)', rows: 12, required: true, otherwise: sample, hint: 'JSON object of up to 256 KiB. It is sent unchanged.' })}
<div class="pair">${textField(filled, { name: 'event_id', label: 'Your ID', hint: 'Optional. A second message with this ID is rejected.' })}
${textField(filled, { name: 'tags', label: 'Tags', hint: 'Optional. Separated by commas.' })}</div>
${textField(filled, { name: 'channels', label: 'Channels', hint: 'Optional. Separated by commas.' })}
<div class="submit"><button class="primary">Send message</button> <a class="button plain" href="${appPath(id)}">Cancel</a></div></form>
${apiCall(services, 'hooks.messages.create', { path: { app: app.uid ?? id }, body: { event_type: first.name, payload: first.example ?? {} } })}`
    return { title: 'Send a message', main }
  },
  async submit({ ask, given, params: { app_id: id } }) {
    const { event_type = '', event_id, payload, tags = '', channels = '' } = given
    const body = {
      event_type,
      payload: readJson('payload', payload),
      ...(event_id !== undefined && { event_id }),
      tags: splitCommaWords(tags),
      channels: splitCommaWords(channels),
    }
    const sent = await ask(create, { params: { app: id }, body }, z.object({ id: z.string() }))
    return { to: messagePath(id, sent.id), told: 'Message accepted.' }
  },
})
