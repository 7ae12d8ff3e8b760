import type { Db } from '#sql/db.ts'
import * as connections from '#sql/email/connections.ts'
import type { ClassName } from '../classes.ts'

/**
 * How much an MX set is given, over all workers. `email.take_connection` (sql/migrations/0016_email_delivery.sql) decides it
 * under a lock of the set:
 * - From each address of ours, as its pool has it, at most the preset's number of connections is open at once. What another pool,
 *   another address or another set has does not count, nor what a worker has whose lease is over.
 * - Each slowing is a level that halves them, down to one; from there on each doubles the interval between messages (`intervalOf`). A
 *   level goes by every `recoveryMs`.
 * - An address from which the set is suspended is passed over: the breaker is open there. When it is from all of them, the caller is
 *   given the time; when one of them is but full, those that hold the connections wake the set as they end.
 */

/** Milliseconds in which a level of an MX set goes by. */
export const recoveryMs = 120_000

const firstIntervalMs = 1_000
const longestIntervalMs = 60_000

/** Levels at most: by then the interval is the longest one, whatever the preset. */
const mostLevels = 16

/** Connections from one address to an MX set of so many levels. */
export const connectionsAt = (level: number, most: number): number => Math.max(1, most >> level)

/**
 * Milliseconds between two messages to an MX set that was slowed: the levels halve its connections first, until one is left, and
 * then double the interval, from one second on.
 */
export function intervalOf(level: number, most: number): number {
  const beyond = level - Math.ceil(Math.log2(most))
  return beyond <= 0 ? 0 : Math.min(longestIntervalMs, firstIntervalMs * 2 ** (beyond - 1))
}

/** The level that a class of replies slows an MX set to at most: one connection is enough to see that a host is back. */
export const highestLevel = (replyClass: ClassName, most: number): number =>
  replyClass === 'unreachable' ? Math.ceil(Math.log2(most)) : mostLevels

/** Takes a connection by these rules. */
export const takeConnection = (
  db: Db,
  request: Omit<connections.ConnectionRequest, 'recovery'>,
): Promise<connections.ConnectionGrant> => connections.take(db, { ...request, recovery: recoveryMs })
