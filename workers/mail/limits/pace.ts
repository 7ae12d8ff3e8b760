/** Milliseconds in which a level of an MX set goes by. */
export const recoveryMs = 120_000

const firstIntervalMs = 1_000
const longestIntervalMs = 60_000

/**
 * Milliseconds between two messages to an MX set that was slowed: the levels halve its connections first, until one is left, and
 * then double the interval, from one second on.
 */
export function intervalOf(level: number, connections: number): number {
  const beyond = level - Math.ceil(Math.log2(connections))
  return beyond <= 0 ? 0 : Math.min(longestIntervalMs, firstIntervalMs * 2 ** (beyond - 1))
}
