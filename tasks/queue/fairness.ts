/**
 * The policy by which organisations share a pool, as pure functions.
 *
 * The queue has one order: its `priority` column, a smallint, and the time a job is due. Both meanings are stored in
 * it:
 *
 *   column = 1000 × level + priority          level -1 … 31, priority 0 … 999
 *
 *   level      ⌊log2(1 + n)⌋, n = the number of waiting jobs of the organisation in the pool at this priority or a more
 *              urgent one. The first job of an organisation has level 0 regardless of other organisations, its 1,000th
 *              level 9.
 *   priority   set by the caller. It orders the jobs of one level. A job counts only jobs that are not less urgent, so
 *              an urgent job does not wait behind many other jobs of its organisation.
 *
 * A job keeps its level through retries, `Later` and crashes. A job that has been due for long moves to level -1: of
 * every `startsPerAged` starts, one is for the pool’s oldest job, so newer jobs cannot delay it indefinitely.
 */

export const levelSize = 1_000

export const agedLevel = -1

const maxLevel = 31

export const agedAfterMs = 60_000

/** One in this number of starts is for the oldest job. */
export const startsPerAged = 8

export const getLevel = (waiting: number): number => Math.min(maxLevel, 31 - Math.clz32(Math.max(0, waiting) + 1))

export const getPriorityColumn = (priority: number, waiting: number): number => levelSize * getLevel(waiting) + priority

/** Returns the caller’s priority from a value of the column, for any level. */
export const getPriority = (column: number): number => ((column % levelSize) + levelSize) % levelSize

export function checkPriority(priority: number): number {
  if (Number.isInteger(priority) && priority >= 0 && priority < levelSize) return priority
  throw new RangeError(`The priority must be an integer from 0 to ${levelSize - 1}, not ${priority}.`)
}

/**
 * Returns how many of a pool’s oldest jobs can be aged after this number of starts, and the number of starts that carry
 * over.
 */
export function countAged(starts: number, most: number): { aged: number; left: number } {
  const due = Math.floor(starts / startsPerAged)
  return { aged: Math.min(most, due), left: starts % startsPerAged }
}

/**
 * Returns the time in seconds after which an organisation probably has room again, 1 to 60. In this time, its jobs over
 * the limit start at the current rate. Returns 10 if the rate is unknown.
 */
export function retryAfter(over: number, startsPerSecond: number | undefined): number {
  if (startsPerSecond === undefined) return 10
  return Math.min(60, Math.max(1, Math.ceil(over / startsPerSecond)))
}
