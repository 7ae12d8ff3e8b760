import type { Ending } from '#sql/voice/calls.ts'
import type { LegOutcome, Side } from '../engine.ts'

/** Returns the result of a final status to the INVITE of one side (RFC 3261 21). */
export function refusalEnding(side: Side, status: number): Ending {
  const [ends, reason] = meaning(status)
  return { status: ends, reason, ended_by: side }
}

function meaning(status: number): [Ending['status'], string] {
  if (status === 486 || status === 600) return ['busy', 'busy']
  if (status === 603) return ['busy', 'declined']
  if (status === 480 || status === 487) return ['no_answer', 'no_answer']
  if (status === 408) return ['failed', 'trunk_unreachable']
  if (status === 404 || status === 410 || status === 484 || status === 604) return ['failed', 'unknown_number']
  if (status === 401 || status === 403 || status === 407) return ['failed', 'trunk_refused']
  return ['failed', status === 488 || status === 606 ? 'media_refused' : 'trunk_error']
}

/** The side rang for the maximum time. If the trunk sent no response at all, it is unreachable. */
export const unansweredEnding = (side: Side, wasHeard: boolean): Ending =>
  wasHeard
    ? { status: 'no_answer', reason: 'no_answer', ended_by: side }
    : { status: 'failed', reason: 'trunk_unreachable', ended_by: side }

export const hangupEnding = (reason: string, by: Ending['ended_by'], isConnected: boolean): Ending => ({
  status: isConnected ? 'completed' : 'canceled',
  reason,
  ended_by: by,
})

export const mediaRefused: Ending = { status: 'failed', reason: 'media_refused', ended_by: 'a' }

/** A side that never acknowledges a 2xx ends the call (RFC 3261 13.3.1.4). */
export const unacknowledgedEnding = (side: Side): Ending => ({ status: 'completed', reason: 'no_ack', ended_by: side })

export const internalErrorEnding: Ending = { status: 'failed', reason: 'fault', ended_by: 'platform' }

export const noTrunk: Ending = { status: 'failed', reason: 'no_trunk', ended_by: 'platform' }

export const workerLost: Ending = { status: 'failed', reason: 'worker_lost', ended_by: 'platform' }

export const legEnding = ({ isAnswered, refused }: LegOutcome): Ending['status'] =>
  isAnswered ? 'completed' : (refused ?? 'canceled')
