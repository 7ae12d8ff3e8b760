/**
 * The policy by which organisations share a pool, as pure functions.
 *
 * The queue knows one order: its `priority` column, a smallint, and the time a job is due. Both meanings go into it:
 *
 *     column = 1000 × level + priority          level -1 … 31, priority 0 … 999
 *
 *   level      ⌊log2(1 + n)⌋, n = what the organisation already has waiting in the pool at this priority or a more urgent
 *              one. The first job of an organisation has level 0 whatever others have piled up, its 1,000th level 9.
 *   priority   what the caller asked for: orders the jobs of one level. As a job counts only what is no less urgent, an
 *              organisation's urgent job does not stand behind its own flood of others.
 *
 * A job keeps its level through retries, `Later` and crashes. A job that has been due for long goes to level -1: of
 * every `startsPerAged` starts one is given to the pool's oldest, so that no stream of fresher jobs holds it back for ever.
 */

/** Priorities that one level has room for. */
export const levelSize = 1_000

/** The level of jobs that have waited long. */
export const agedLevel = -1

const maxLevel = 31

/** Milliseconds after which a due job may be aged. */
export const agedAfterMs = 60_000

/** Starts of which one is the oldest job's. */
export const startsPerAged = 8

/** The level of a job that finds `waiting` of its organisation's before it. */
export const levelOf = (waiting: number): number => Math.min(maxLevel, 31 - Math.clz32(Math.max(0, waiting) + 1))

/** The queue's priority column of a job of an organisation. */
export const placed = (priority: number, waiting: number): number => levelSize * levelOf(waiting) + priority

/** The priority that was asked for, of whatever level the job is. */
export const priorityOf = (column: number): number => ((column % levelSize) + levelSize) % levelSize

/** Throws a RangeError for a priority that has no place within a level. */
export function checkPriority(priority: number): number {
  if (Number.isInteger(priority) && priority >= 0 && priority < levelSize) return priority
  throw new RangeError(`A priority is a whole number from 0 to ${levelSize - 1}, not ${priority}.`)
}

/** How many of a pool's oldest jobs may be aged after so many starts, and how many starts are left over for the next time. */
export function agedAfter(starts: number, most: number): { aged: number; left: number } {
  const due = Math.floor(starts / startsPerAged)
  return { aged: Math.min(most, due), left: starts % startsPerAged }
}

/**
 * Seconds after which an organisation is likely to have room again: the time its jobs over the limit take at the rate they
 * start, 1 to 60; 10 while no rate is known.
 */
export function retryAfter(over: number, startsPerSecond: number | undefined): number {
  if (startsPerSecond === undefined) return 10
  return Math.min(60, Math.max(1, Math.ceil(over / startsPerSecond)))
}
