import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as calls from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import { getCallDuration } from '#tasks/voice/rules/duration.ts'
import { Instant } from '../http/instant.ts'

const Leg = z.object({
  leg: z.enum(['a', 'b']),
  number: z.string(),
  status: z.enum(legs.legStatuses),
  sip_status: z.int().nullable().describe('Final SIP status of the leg. `null` if there is none.'),
  ringing_at: Instant.nullable(),
  answered_at: Instant.nullable(),
  ended_at: Instant.nullable(),
})

export const Call = z
  .object({
    id: Id,
    status: z.enum(calls.statuses),
    from: z.string().describe('Number that rings first. The caller number if the call speaks to one phone.'),
    to: z.string(),
    caller_id: z.string().describe('Caller number that both people see'),
    legs: z.array(Leg),
    ring_timeout_seconds: z.int(),
    max_duration_seconds: z.int(),
    metadata: z.record(z.string(), z.string()),
    reason: z
      .string()
      .nullable()
      .describe(
        'Reason why the call ended. For example, `hung_up`, `spoken`, `max_duration`, `busy`, `declined`, `no_answer`, `unknown_number` or `trunk_unreachable`.',
      ),
    ended_by: z.enum(['a', 'b', 'api', 'limit', 'platform']).nullable().describe('Side that ended the call'),
    hangup_requested_at: Instant.nullable(),
    duration_seconds: z.number().nullable().describe('Connection time in seconds. `null` until the call has ended.'),
    created_at: Instant,
    answered_at: Instant.nullable().describe('Time at which the two phones were connected'),
    ended_at: Instant.nullable(),
    sandbox: z
      .literal(true)
      .optional()
      .describe('Present for calls of a test key: the call is recorded as placed, and no phone rings'),
  })
  .meta({ id: 'voice.Call' })

export function presentCall(call: calls.Call, ofCall: readonly legs.Leg[]): z.input<typeof Call> {
  const { org_id: _, key_id: __, switchboard_id: ___, speech, ...shown } = call
  // A call that speaks to one phone comes from the caller number itself.
  const [first = '', second = ''] = ofCall.map(({ number }) => number)
  const [from, to] = speech ? [call.caller_id, first] : [first, second]
  return {
    ...shown,
    from,
    to,
    legs: ofCall.map(({ call_id: _, trunk: __, dialog: ___, ...leg }) => leg),
    duration_seconds: getCallDuration(call),
  }
}
