import type { Call } from '#sql/voice/calls.ts'

/** Seconds for which the two sides of a call were connected, to a tenth; null while it is not over. */
export function durationOf({
  answered_at: from,
  ended_at: until,
}: Pick<Call, 'answered_at' | 'ended_at'>): number | null {
  if (!until) return null
  return from ? Math.round((until.getTime() - from.getTime()) / 100) / 10 : 0
}
