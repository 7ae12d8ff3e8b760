import { z } from 'zod'
import * as messages from '#sql/push/messages.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { describeTarget } from '#tasks/push/rules/target-of.ts'
import { page } from '../../http/dashboard/page.ts'
import { formatInstant } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './apps.ts'
import { previewMessage, renderPayloads } from './preview.ts'

const most = 100

export const read = page({
  path: '/push/messages/{message_id}',
  summary: 'Show a message and its deliveries',
  section,
  permission: 'log:read',
  params: z.object({ message_id: pathId('message') }),
  async view({ db, member, may, doer, region, params }) {
    const found = await mustFind(messages.find(db, member.orgId, params.message_id), 'message')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'push_message', id: found.id })
    const shown = contents ? await deliveries.listForMessage(db, found.id, { before: undefined, limit: most }) : []
    const providers = [...new Set(shown.map(({ provider }) => provider))]
    const stop =
      may('areas:write') &&
      canStop(found) &&
      actionButton(member, `/app/push/messages/${found.id}/cancel`, 'Cancel', { grave: true })
    const title = `Message to ${describeTarget(found)}`
    const main = html`${parentLink('App', `${section.path}/${found.app_id}`)}<div class="title"><h1>${title}</h1>${stop}</div>
<dl class="facts">${facts(found, contents).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${await region(`push-message/${found.id}`)}
${contents && html`<section><h2>Preview</h2>${previewMessage(found.content, providers)}</section>
<section><h2>Payload</h2><p class="lead">The JSON that each provider receives. Millrace adds the IDs and the receipt token for each device.</p>${renderPayloads(found.content, null, providers)}</section>`}`
    return { title, main }
  },
})

/** True if a message can be cancelled. It must be scheduled, or be for many recipients and not have ended. */
const canStop = ({ status, target, ended_at }: messages.Message): boolean =>
  status === 'scheduled' || (target !== 'user' && ended_at === null)

function facts(message: messages.Message, withContents: boolean) {
  const { id, status, content, created_at, expires_at, send_at, rate, quiet_hours } = message
  const { template } = content
  return [
    ['Message', copyable(id, 'the message ID')],
    ['Accepted', `${formatInstant(created_at)} UTC`],
    ...(status === 'scheduled' ? [['Scheduled for', `${formatInstant(send_at)} UTC`] as const] : []),
    ...(rate === null ? [] : [['Rate limit', `${rate} deliveries per second`] as const]),
    ...(quiet_hours
      ? [['Quiet hours', `${quiet_hours.from} to ${quiet_hours.to}, in each person’s time zone`] as const]
      : []),
    ['Expires', `${formatInstant(expires_at)} UTC`],
    ...(template
      ? [
          [
            'Template',
            html`<a href="/app/push/templates/${template.id}">version ${template.version}</a>`,
          ] as const,
        ]
      : []),
    ...(withContents ? [['Title', content.title ?? '–'] as const, ['Text', content.body ?? '–'] as const] : []),
  ] as const
}
