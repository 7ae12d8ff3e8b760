import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as calls from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { duration, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { presentCall } from '../call-shape.ts'
import { hangUp } from '../calls.ts'
import { callState, section, words } from './calls.ts'
import { explainEnd } from './reasons.ts'

const params = z.object({ call_id: pathId('call') })

export const read = page({
  path: '/calls/{call_id}',
  summary: 'Show a call and both of its legs',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, region, params: { call_id: id } }) {
    const call = await mustFind(calls.find(db, member.orgId, id), 'call')
    const { from, to } = presentCall(call, (await legs.listByCalls(db, [id])).get(id) ?? [])
    const title = `Call from ${from || '–'} to ${to || '–'}`
    const stop =
      call.ended_at === null &&
      may('areas:write') &&
      actionButton(member, `${section.path}/${id}/hang-up`, 'Hang up', { grave: true })
    const main = html`${parentLink('Calls', section.path)}<div class="title"><h1>${title}</h1>${stop && html`<span data-while-open>${stop}</span>`}</div>
${await region(`call/${id}`)}
${may('contents:read') && Object.keys(call.metadata).length > 0 && html`<section><h2>Metadata</h2>${metadataTable(call.metadata)}</section>`}`
    return { title, main }
  },
})

/** State of a call with both legs. */
export const callRegion: OrgRegion = {
  everyMs: 1_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const call = id.success ? await calls.find(db, orgId, id.data) : null
    if (!call) return null
    const own = (await legs.listByCalls(db, [call.id])).get(call.id) ?? []
    const shown = presentCall(call, own)
    const advice = call.reason === null ? undefined : explainEnd(call.reason)
    return html`${advice && html`<p class="${call.status === 'failed' ? 'fault' : 'lead'}">${advice}</p>`}
<dl class="facts"${call.ended_at !== null && html` data-ended`}><div><dt>Status</dt><dd>${callState(shown)}</dd></div>
<div><dt>Caller ID</dt><dd>${call.caller_id}</dd></div>
<div><dt>Connected for</dt><dd>${shown.duration_seconds === null ? '–' : duration(shown.duration_seconds as number)}</dd></div>
<div><dt>Ended by</dt><dd>${endedBy(call)}</dd></div>
<div><dt>Created</dt><dd>${timeOf(call.created_at)}</dd></div>
<div><dt>Connected</dt><dd>${timeOf(call.answered_at)}</dd></div>
<div><dt>Ended</dt><dd>${timeOf(call.ended_at)}</dd></div>
<div><dt>Limits</dt><dd>rings ${duration(call.ring_timeout_seconds)}, lasts up to ${duration(call.max_duration_seconds)}</dd></div>
<div><dt>Call</dt><dd>${copyable(call.id, 'the call ID')}</dd></div></dl>
<section><h2>Legs</h2>${legTable(own)}</section>`
  },
}

const sides: Readonly<Record<string, string>> = {
  a: 'the first phone',
  b: 'the second phone',
  api: 'the API',
  limit: 'a limit',
  platform: 'Millrace',
}

const endedBy = ({ ended_by, ended_at }: calls.Call): string =>
  ended_at === null ? 'the call has not ended' : (sides[ended_by ?? ''] ?? '–')

const timeOf = (at: Date | null): Html => (at === null ? quiet('–') : html`${formatInstant(at)} UTC`)

const legTable = (own: readonly legs.Leg[]): Html =>
  dataTable({ caption: 'Legs', key: ({ leg }) => `leg-${leg}` }, own, {
    Phone: ({ leg, number }) => html`${number} <span class="quiet">rings ${leg === 'a' ? 'first' : 'second'}</span>`,
    Status: ({ status }) => statusBadge(status, { shown: words(status) }),
    'SIP status': ['number', ({ sip_status }) => sip_status ?? '–'],
    Ringing: ({ ringing_at }) => timeOf(ringing_at),
    Answered: ({ answered_at }) => timeOf(answered_at),
    Ended: ({ ended_at }) => timeOf(ended_at),
  })

const metadataTable = (metadata: Readonly<Record<string, string>>): Html =>
  dataTable('Metadata', Object.entries(metadata), { Name: ([name]) => name, Value: ['break', ([, value]) => value] })

export const stop = action({
  path: '/calls/{call_id}/hang-up',
  summary: 'Hang up a call',
  permission: 'areas:write',
  params,
  back: ({ call_id }) => `${section.path}/${call_id}`,
  async perform({ ask, params }) {
    await ask(hangUp, { params }, z.unknown())
    return { to: `${section.path}/${params.call_id}`, told: 'The call is being hung up.' }
  },
})
