import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import * as rules from '#tasks/webhooks/rules/manage.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { selectField, textField } from '../../http/html/form.ts'
import { counted, formatInstant } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { TestResult } from '../../webhooks/schemas.ts'
import * as deliveryRoutes from '../webhook-deliveries.ts'
import * as routes from '../webhooks.ts'
import { readInstant } from './input.ts'
import { section, webhookTitle } from './webhooks.ts'

const params = z.object({ id: pathId('webhook') })
const shared = {
  permission: 'webhooks:write',
  params,
  back: ({ id }: { id: string }) => `/app/webhooks/${id}`,
} as const

export const pause = action({
  ...shared,
  path: '/webhooks/{id}/pause',
  summary: 'Pause a webhook',
  async perform({ db, doer, params: { id } }) {
    await db.transaction((tx) => mustFind(rules.pauseEndpoint(tx, toAct(doer), id), 'webhook'))
    return { to: `/app/webhooks/${id}`, told: 'Webhook paused. Its events are queued until you resume it.' }
  },
})

export const resume = action({
  ...shared,
  path: '/webhooks/{id}/resume',
  summary: 'Resume a webhook',
  async perform({ db, doer, params: { id } }) {
    await db.transaction((tx) => mustFind(rules.resume(tx, toAct(doer), id), 'webhook'))
    return { to: `/app/webhooks/${id}`, told: 'Webhook resumed. Pending events are being delivered.' }
  },
})

export const sample = action({
  ...shared,
  path: '/webhooks/{id}/sample',
  summary: 'Send a sample event to a webhook',
  fields: z.object({ type: z.string().max(100) }),
  async perform({ ask, params: { id }, given: { type } }) {
    const to = `/app/webhooks/${id}`
    try {
      const { delivered, response_status, latency_ms, error } = await ask(
        routes.test,
        { params: { id }, body: { type } },
        TestResult,
      )
      const why = error ? `: ${error}` : ''
      const answer =
        response_status === null
          ? `The endpoint did not respond${why}.`
          : `The endpoint returned ${response_status}${why} in ${latency_ms} ms.`
      return {
        to,
        told: `${delivered ? 'The endpoint accepted the sample.' : 'The endpoint rejected the sample.'} ${answer}`,
      }
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status < 502) throw problem
      return { to, told: `The sample was not sent: ${problem.message}` }
    }
  },
})

export const replayOne = action({
  ...shared,
  path: '/webhooks/{id}/deliveries/{delivery_id}/replay',
  summary: 'Replay an event',
  params: params.extend({ delivery_id: pathId('delivery') }),
  async perform({ ask, params }) {
    await ask(deliveryRoutes.replay, { params }, z.unknown())
    return {
      to: `/app/webhooks/${params.id}/deliveries/${params.delivery_id}`,
      told: 'The event is being delivered again.',
    }
  },
})

const which = [
  ['failed', 'failed events'],
  ['all', 'all events, including delivered events'],
  ['missed', 'stored events that this webhook has not received'],
] as const

const Replayed = z.object({ replayed: z.number(), next_since: z.coerce.date().nullable() })

export const { show: askForReplay, submit: replaySince } = formPage({
  path: '/webhooks/{id}/replay',
  summary: 'Replay events since a time',
  section,
  permission: 'webhooks:write',
  params,
  fields: z.object({ since: z.string().max(100), status: z.enum(['failed', 'all', 'missed']) }),
  async view({ db, member, params: { id }, filled, fault }) {
    const found = await mustFind(endpoints.find(db, { orgId: member.orgId }, id), 'webhook')
    const main = html`${parentLink(webhookTitle(found), `/app/webhooks/${id}`)}<h1>Deliver events again</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'since', label: 'Since (UTC)', type: 'datetime-local', required: true, otherwise: new Date(Date.now() - 86_400_000).toISOString().slice(0, 16) })}
${selectField(filled, { name: 'status', label: 'Events', options: which, otherwise: 'failed' })}
<button>Deliver events again</button></form>`
    return { title: 'Deliver events again', main }
  },
  async submit({ ask, params: { id }, given: { since, status } }) {
    const body = { since: readInstant(since) ?? '', status }
    const { replayed, next_since } = await ask(deliveryRoutes.replaySince, { params: { id }, body }, Replayed)
    const more = next_since
      ? ` There are more events. To deliver them, repeat with ${formatInstant(next_since)} UTC as the start.`
      : ''
    return { to: `/app/webhooks/${id}`, told: `${counted(replayed, 'event')} will be delivered.${more}` }
  },
})
