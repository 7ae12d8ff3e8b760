import { z } from 'zod'
import { config } from '#lib/config.ts'
import { conflict } from '#lib/errors.ts'
import * as numbers from '#sql/voice/numbers.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../click-to-call.ts'
import { section } from './calls.ts'

const mostNumbers = 100

const unavailable = 'Calls are not available. Ask your operator to set up a SIP trunk.'

const seconds = optionalField(z.coerce.number())

export const { show: askForCall, submit: place } = formPage({
  path: '/calls/new',
  summary: 'Place a call',
  section,
  permission: 'areas:write',
  fields: z.object({
    from: z.string().trim().default(''),
    to: z.string().trim().default(''),
    caller_id: optionalField(z.string()),
    ring_timeout_seconds: seconds,
    max_duration_seconds: seconds,
  }),
  async view({ db, member, services, filled, fault }) {
    const own = await numbers.list(db, member.orgId, { before: undefined, limit: mostNumbers })
    const options = [
      ['', 'Default'] as const,
      ...own.map(
        ({ number, friendly_name }) => [number, friendly_name ? `${number}, ${friendly_name}` : number] as const,
      ),
    ]
    const sandbox = config.SIP_TRUNKS.some((trunk) => trunk.startsWith('sandbox='))
    const form = html`${sandbox && html`<p class="notice">This is the sandbox: no real phone rings. For example, call from +37251000001 to +37252000002. Every phone answers and plays a tone.</p>`}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'from', label: 'First phone', required: true, hint: 'Rings first. For example, +37251000001.' })}
${textField(filled, { name: 'to', label: 'Second phone', required: true, hint: 'Rings when the first phone has answered.' })}
${own.length > 0 && selectField(filled, { name: 'caller_id', label: 'Caller ID', options })}
${textField(filled, { name: 'ring_timeout_seconds', label: 'Ring time of each phone in seconds', type: 'number', hint: 'Optional. 10 to 60. Default: 30.' })}
${textField(filled, { name: 'max_duration_seconds', label: 'Maximum duration in seconds', type: 'number', hint: 'Optional. 1 to 14,400. Default: 3,600.' })}
<p class="hint">The call counts toward usage.</p>
<button>Place call</button></form>`
    const main = html`${parentLink('Calls', section.path)}<h1>Place a call</h1>${renderFault(fault)}
<p class="lead">Millrace calls the first phone, then the second one, and connects the two.</p>
${config.SIP_TRUNKS.length === 0 ? emptyState(unavailable) : form}
${apiCall(services, 'voice.click-to-call.create', { body: { from: '+37251000001', to: '+37252000002' } }, { title: 'Place a call with the API' })}`
    return { title: 'Place a call', main }
  },
  async submit({ ask, given }) {
    if (config.SIP_TRUNKS.length === 0) throw conflict(unavailable)
    const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    const { id } = await ask(create, { body }, z.object({ id: z.string() }))
    return { to: `${section.path}/${id}`, told: 'The call is being placed.' }
  },
})
