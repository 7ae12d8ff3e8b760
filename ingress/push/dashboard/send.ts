import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { LocalTime } from '#lib/input-types.ts'
import * as apps from '#sql/push/apps.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create } from '../messages.ts'
import { section } from './apps.ts'

const kinds = [
  ['user', 'One person, by your ID'],
  ['users', 'Several people, one ID per line'],
  ['topic', 'Subscribers of a topic'],
  ['segment', 'Devices with all of these tags, one per line'],
  ['all', 'All devices'],
] as const

const number = optionalField(z.coerce.number())
const clock = optionalField(z.string())

const fields = z.object({
  kind: z.enum(['user', 'users', 'topic', 'segment', 'all']),
  to: z.string().default(''),
  title: z.string().trim().min(1, 'is required').max(1_000),
  body: optionalField(z.string().max(4_000)),
  url: optionalField(z.string()),
  send_at: optionalField(LocalTime),
  rate: number,
  quiet_from: clock,
  quiet_to: clock,
})

export const { show: write, submit: send } = formPage({
  path: '/push/{app_id}/send',
  summary: 'Send a message',
  section,
  permission: 'areas:write',
  params: z.object({ app_id: pathId('app') }),
  fields,
  async view({ db, member, params, filled, fault }) {
    const app = await mustFind(apps.find(db, member.orgId, params.app_id), 'app')
    const main = html`${parentLink(app.name, `/app/push/${app.id}`)}<h1>Send a message</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'kind', label: 'Target', options: kinds })}
${linesField(filled, { name: 'to', label: 'Recipients', few: true })}
${textField(filled, { name: 'title', label: 'Title', required: true })}
${linesField(filled, { name: 'body', label: 'Text', few: true, prose: true })}
${textField(filled, { name: 'url', label: 'URL to open on click, in browsers', type: 'url' })}
${textField(filled, { name: 'send_at', label: 'Send time (UTC)', type: 'datetime-local', hint: 'Optional. Leave blank to send now.' })}
${textField(filled, { name: 'rate', label: 'Maximum number of deliveries per second', type: 'number', hint: 'Optional. For messages to more than one person.' })}
${textField(filled, { name: 'quiet_from', label: 'Quiet hours from', hint: 'Optional. For example, 22:00 in each person’s time zone. Messages are queued until quiet hours end.' })}
${textField(filled, { name: 'quiet_to', label: 'Quiet hours to' })}
<button>Send</button></form>`
    return { title: 'Send a message', main }
  },
  async submit({ ask, params, given }) {
    const { title, body, url, send_at, rate, quiet_from, quiet_to } = given
    if ((quiet_from === undefined) !== (quiet_to === undefined)) {
      const [missing] = quiet_from === undefined ? ['quiet_from'] : ['quiet_to']
      throw badRequest([{ field: `form.${missing}`, issue: 'is required: quiet hours have a start and an end' }])
    }
    const message = {
      app_id: params.app_id,
      target: targetOf(given),
      title,
      ...(body !== undefined && { body }),
      ...(url !== undefined && { web: { url } }),
      ...(send_at !== undefined && { send_at: new Date(`${send_at}Z`).toISOString() }),
      ...(rate !== undefined && { rate }),
      ...(quiet_from !== undefined && { quiet_hours: { from: quiet_from, to: quiet_to } }),
    }
    const { id } = await ask(create, { body: message }, z.object({ id: Id }))
    return { to: `/app/push/messages/${id}`, told: 'Message accepted.' }
  },
})

function targetOf({ kind, to }: z.output<typeof fields>) {
  const lines = to.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))
  const [first = ''] = lines
  switch (kind) {
    case 'user':
    case 'topic':
      if (lines.length === 1) return { type: kind, id: first }
      throw badRequest([{ field: 'form.to', issue: lines.length === 0 ? 'is missing' : 'must be one line' }])
    case 'users':
      if (lines.length > 0) return { type: kind, ids: lines }
      throw badRequest([{ field: 'form.to', issue: 'is required' }])
    case 'segment':
      if (lines.length > 0) return { type: kind, tags: { all: lines } }
      throw badRequest([{ field: 'form.to', issue: 'is required' }])
    case 'all':
      if (lines.length === 0) return { type: kind }
      throw badRequest([{ field: 'form.to', issue: 'must be empty if the message goes to all devices' }])
  }
}
