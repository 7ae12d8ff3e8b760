import type { AreaState } from '#sql/status/areas.ts'
import type { Judgement } from './judge.ts'

/** Number of consecutive measurements until a problem is shown, and until it is over. */
const [showAfter, endAfter] = [2, 3]

/** Gap between measurements in milliseconds after which a problem must be seen again before it is shown. */
const longestGap = 5 * 60_000

/** Returns the next state of an area. A single bad minute is not shown. `known` is undefined for a new area. */
export function nextState(known: AreaState | undefined, { area, state, reason }: Judgement, at: Date): AreaState {
  const isFresh = known !== undefined && at.getTime() - known.measured_at.getTime() <= longestGap
  const shown = known?.state ?? 'ok'
  const counted = {
    area,
    measured_at: at,
    bad_minutes: state === 'ok' ? 0 : (isFresh ? known.bad_minutes : 0) + 1,
    good_minutes: state === 'ok' ? (known?.good_minutes ?? 0) + 1 : 0,
  }
  const unchanged = { ...counted, state: shown, reason: known?.reason ?? null, since: known?.since ?? at }
  if (state === 'ok') {
    const isOver = shown !== 'ok' && counted.good_minutes >= endAfter
    return isOver ? { ...counted, state, reason: null, since: at } : unchanged
  }
  if (shown === 'ok' && counted.bad_minutes < showAfter) return unchanged
  return { ...counted, state, reason, since: shown === state ? unchanged.since : at }
}
