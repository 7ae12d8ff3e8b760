import type { Call } from '#sql/voice/calls.ts'

/**
 * Returns the time in seconds for which the two sides were connected, to a tenth. Returns null until the call has
 * ended.
 */
export function getCallDuration({
  answered_at: from,
  ended_at: until,
}: Pick<Call, 'answered_at' | 'ended_at'>): number | null {
  if (!until) return null
  return from ? Math.round((until.getTime() - from.getTime()) / 100) / 10 : 0
}
