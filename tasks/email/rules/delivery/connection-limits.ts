import type { Db } from '#sql/db.ts'
import * as connections from '#sql/email/delivery/connections.ts'
import type { ClassName } from '../replies/classes.ts'

/**
 * Limits of an MX set over all workers. `email.take_connection` (sql/migrations/0074_email_delivery.sql) decides under
 * a lock of the set:
 * - Each of our addresses can have the preset's number of open connections. Other pools, addresses and sets are not
 *   counted, nor workers whose lease has expired.
 * - Each slowing adds a level. A level halves the connections, down to one. Further levels double the interval between
 *   messages (`getInterval`). A level ends every `recoveryMs`.
 * - Addresses from which the set is suspended are skipped (the circuit breaker is open). If all are suspended, the
 *   caller gets the time of the next attempt. If an address has no free connection, the jobs that hold its
 *   connections start the next job when they finish.
 */

/** Time in milliseconds after which a level ends. */
export const recoveryMs = 120_000

const firstIntervalMs = 1_000
const longestIntervalMs = 60_000

/** At this level, the interval has its maximum for every preset. */
const mostLevels = 16

export const getConnectionLimit = (level: number, most: number): number => Math.max(1, most >> level)

/**
 * Returns the interval between messages to a slowed MX set in milliseconds. Levels first halve the connections, then
 * double the interval, starting at one second.
 */
export function getInterval(level: number, most: number): number {
  const beyond = level - Math.ceil(Math.log2(most))
  return beyond <= 0 ? 0 : Math.min(longestIntervalMs, firstIntervalMs * 2 ** (beyond - 1))
}

/** Returns the highest level for a class of replies. One connection is enough to detect that a host has recovered. */
export const getHighestLevel = (replyClass: ClassName, most: number): number =>
  replyClass === 'unreachable' ? Math.ceil(Math.log2(most)) : mostLevels

export const takeConnection = (
  db: Db,
  request: Omit<connections.ConnectionRequest, 'recovery'>,
): Promise<connections.ConnectionGrant> => connections.take(db, { ...request, recovery: recoveryMs })
