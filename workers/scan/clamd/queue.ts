import { engines } from '../../runtime/gauges.ts'
import { type Address, sendCommand } from './connection.ts'

/**
 * With each scrape, exports the number of scans that clamd has accepted but not started, for all its clients. Returns a
 * function that stops the export.
 */
export const observeQueue = (address: Address): (() => void) =>
  engines.queued.watch(async () => [
    { labels: { engine: 'clamd' }, value: queuedIn(await sendCommand(address, 'STATS')) },
  ])

/** Returns the number of queued scans in clamd's response to STATS (clamd(8)). clamd has one queue per thread pool. */
function queuedIn(told: string): number {
  const queues = [...told.matchAll(/^QUEUE: (\d+) items/gm)]
  if (queues.length === 0) throw new Error('clamd reports no queue')
  return queues.reduce((sum, [, items]) => sum + Number(items), 0)
}
