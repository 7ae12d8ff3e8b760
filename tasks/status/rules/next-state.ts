import type { AreaState } from '#sql/status/areas.ts'
import type { Judgement } from './judge.ts'

/** Number of consecutive measurements until a problem is shown, and until it is over. */
const [showAfter, endAfter] = [2, 3]

/** Gap between measurements in milliseconds after which a problem must be seen again before it is shown. */
const longestGap = 5 * 60_000

/** Returns the next state of an area. A single bad minute is not shown. `known` is undefined for a new area. */
export function nextState(known: AreaState | undefined, { area, state, reason }: Judgement, at: Date): AreaState {
  const before = known ?? { state: 'ok', reason: null, since: at, bad_minutes: 0, good_minutes: 0, measured_at: at }
  const isFresh = at.getTime() - before.measured_at.getTime() <= longestGap
  const isGood = state === 'ok'
  const counted = {
    area,
    measured_at: at,
    bad_minutes: isGood ? 0 : (isFresh ? before.bad_minutes : 0) + 1,
    good_minutes: isGood ? before.good_minutes + 1 : 0,
  }
  const isShown = isGood ? counted.good_minutes >= endAfter : before.state !== 'ok' || counted.bad_minutes >= showAfter
  if (!isShown || before.state === state) return { ...counted, ...pick(before, isGood ? before.reason : reason) }
  return { ...counted, state, reason, since: at }
}

/** Keeps the state and its start. The reason of a problem can change. */
const pick = ({ state, since }: Pick<AreaState, 'state' | 'since'>, reason: AreaState['reason']) => ({
  state,
  since,
  reason: state === 'ok' ? null : reason,
})
