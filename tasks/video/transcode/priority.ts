import type { Rungs } from './plan.ts'

/** Later than this no step of a film begins, behind the same organisation's others. */
const last = 999

/**
 * Where a step of a film stands among its organisation's own work, 0 to 999 and lower first: what makes films playable before what makes
 * them better, and short films before long ones (twice the length, some places later). Live has pools of its own.
 */
export function priorityOf(seconds: number, rungs: Rungs): number {
  const doublings = Math.log2(1 + seconds / 10)
  return Math.min(last, rungs === 'lowest' ? 10 + Math.round(20 * doublings) : 400 + Math.round(40 * doublings))
}
