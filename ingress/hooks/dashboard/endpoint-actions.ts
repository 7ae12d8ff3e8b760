import { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { counted, formatInstant } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { pathId } from '../../http/request/validate.ts'
import { TestResult } from '../../webhooks/schemas.ts'
import { test } from '../endpoints.ts'
import { missing, recover, resend } from '../replays.ts'
import { findEndpoint, type Place, params } from './endpoint.ts'
import { listTypes } from './endpoint-form.ts'
import { endpointPath, messagePath, section } from './section.ts'

const shared = { section, permission: 'webhooks:write', params } as const
const back = ({ app_id, endpoint_id }: Place) => endpointPath(app_id, endpoint_id)
const toParams = ({ app_id, endpoint_id }: Place) => ({ app: app_id, id: endpoint_id })

export const { show: askForTest, submit: sendTest } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/endpoints/{endpoint_id}/test',
  summary: 'Send a test message to an endpoint of an app',
  fields: z.object({ event_type: optionalField(z.string().max(100)) }),
  async view({ db, member, params: place, filled, fault }) {
    const { found } = await findEndpoint(db, member, place)
    const types = await listTypes(db, member.orgId)
    const main = html`${parentLink(found.url, back(place))}<h1>Send test</h1>${renderFault(fault)}
<p class="lead">Millrace sends the example of the event type once and shows the response.</p>
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'event_type', label: 'Event type', options: [['', 'webhooks.test'], ...types.map(({ name }) => [name, name] as const)] })}
<div class="submit"><button class="primary">Send test</button> <a class="button plain" href="${back(place)}">Cancel</a></div></form>`
    return { title: 'Send test', main }
  },
  async submit({ ask, params: place, given }) {
    const to = back(place)
    try {
      return { to, told: told(await ask(test, { params: toParams(place), body: given }, TestResult)) }
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status < 502) throw problem
      return { to, told: `The test was not sent: ${problem.message}` }
    }
  },
})

function told({ delivered, response_status, latency_ms, error }: z.output<typeof TestResult>): string {
  const why = error ? `: ${error}` : ''
  const answer =
    response_status === null
      ? `The endpoint did not respond${why}.`
      : `The endpoint returned ${response_status}${why} in ${latency_ms} ms.`
  return `${delivered ? 'The endpoint accepted the test.' : 'The endpoint rejected the test.'} ${answer}`
}

const which = [
  ['failed', 'failed messages'],
  ['missing', 'messages that were never sent to this endpoint'],
] as const

const Replayed = z.object({ replayed: z.number(), next_since: z.coerce.date().nullable() })

export const { show: askForRecovery, submit: replay } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/endpoints/{endpoint_id}/recover',
  summary: 'Send messages of a period to an endpoint again',
  fields: z.object({ since: z.string().max(100), which: z.enum(['failed', 'missing']) }),
  async view({ db, member, params: place, filled, fault }) {
    const { found } = await findEndpoint(db, member, place)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 16)
    const main = html`${parentLink(found.url, back(place))}<h1>Recover messages</h1>${renderFault(fault)}
<p class="lead">Millrace sends failed or missing messages of a period to the endpoint, oldest first.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'since', label: 'Since (UTC)', type: 'datetime-local', required: true, otherwise: yesterday })}
${selectField(filled, { name: 'which', label: 'Messages', options: which, otherwise: 'failed' })}
<div class="submit"><button class="primary">Send messages</button> <a class="button plain" href="${back(place)}">Cancel</a></div></form>`
    return { title: 'Recover messages', main }
  },
  async submit({ ask, params: place, given }) {
    const operation = given.which === 'failed' ? recover : missing
    const body = { since: readSince(given.since) }
    const { replayed, next_since } = await ask(operation, { params: toParams(place), body }, Replayed)
    const more = next_since
      ? ` There are more messages. To send them, repeat with ${formatInstant(next_since)} UTC as the start.`
      : ''
    return { to: back(place), told: `${counted(replayed, 'message')} will be sent.${more}` }
  },
})

/** Returns the instant of a field without a time zone. Throws 400 if it is not a time. */
function readSince(text: string): string {
  const at = new Date(`${text}Z`)
  if (Number.isNaN(at.getTime())) throw badRequest([{ field: 'form.since', issue: 'must be a date and time' }])
  return at.toISOString()
}

const ofMessage = z.object({ app_id: pathId('app'), message_id: pathId('message') })

export const resendOne = action({
  permission: 'webhooks:write',
  params: ofMessage,
  fields: z.object({ endpoint_id: pathId('endpoint') }),
  path: '/hooks/apps/{app_id}/messages/{message_id}/resend',
  summary: 'Send a message to an endpoint of an app again',
  back: ({ app_id, message_id }) => messagePath(app_id, message_id),
  async perform({ ask, params: { app_id, message_id }, given: { endpoint_id } }) {
    await ask(resend, { params: { app: app_id, id: message_id, endpoint_id } }, z.unknown())
    return { to: messagePath(app_id, message_id), told: 'The message is being sent again.' }
  },
})
