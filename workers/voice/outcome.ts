import type { Ending } from '#sql/voice/calls.ts'

/** One of the two ends of a call. */
export type Side = 'a' | 'b'

/** Thrown where a call comes to its end. */
export class Ended extends Error {
  override name = 'Ended'
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.reason)
    this.ending = ending
  }
}

/** What a final status to the INVITE of one side means for the call (RFC 3261 21). */
export function refusedBy(side: Side, status: number): Ending {
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
