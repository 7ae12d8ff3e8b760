import { engines } from '../../runtime/gauges.ts'
import { type Address, command } from './connection.ts'

/** Shows, at each scrape, how many scans of all its clients clamd has accepted and not begun; returns how to stop. */
export const observeQueue = (address: Address): (() => void) =>
  engines.queued.watch(async () => [{ labels: { engine: 'clamd' }, value: queuedIn(await command(address, 'STATS')) }])

/** All that wait by clamd's answer to STATS (clamd(8)), which tells of a queue for each pool of threads. */
function queuedIn(told: string): number {
  const queues = [...told.matchAll(/^QUEUE: (\d+) items/gm)]
  if (queues.length === 0) throw new Error('clamd reports no queue')
  return queues.reduce((sum, [, items]) => sum + Number(items), 0)
}
