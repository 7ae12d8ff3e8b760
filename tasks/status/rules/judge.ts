import type { Reason, State } from '#sql/status/areas.ts'
import type { Waiting } from '#sql/status/facts.ts'

export interface Judgement {
  area: string
  state: State
  reason: Reason | null
}

/** Minimum number of failed requests in five minutes, and the shares at which an area is degraded and down. */
const [fewest, degradedShare, downShare] = [10, 0.05, 0.5]

/** Age of the oldest waiting job in seconds at which an area is late. The alerts of the queues use the same value. */
const lateSeconds = 900

/** Pools whose jobs can wait for a long time without a fault: bulk email and encoding. */
const patient = new Set(['mail-campaign', 'media'])

/** Areas of tasks whose folder has another name than the area of their operations. */
const areas: Readonly<Record<string, string>> = { work: 'jobs', knowledge: 'ai', jobs: '', sources: 'geo' }

export function judgeRequests(all: readonly { area: string; failed: number; total: number }[]): Judgement[] {
  return all.flatMap(({ area, failed, total }): Judgement[] => {
    if (failed < fewest || failed < total * degradedShare) return []
    return [{ area, state: failed >= total * downShare ? 'down' : 'degraded', reason: 'failing' }]
  })
}

export function judgeQueues(all: readonly Waiting[]): Judgement[] {
  return all.flatMap(({ pool, task, oldest_s, attempts, paused_s }): Judgement[] => {
    const [folder = ''] = task.split('/')
    const area = areas[folder] ?? folder
    if (paused_s !== null) {
      return paused_s < lateSeconds ? [] : [{ area, state: 'degraded', reason: 'paused' }]
    }
    if (oldest_s <= lateSeconds) return []
    if (attempts === 0) return [{ area, state: 'down', reason: 'stopped' }]
    return patient.has(pool) ? [] : [{ area, state: 'degraded', reason: 'waiting' }]
  })
}

const order: readonly State[] = ['ok', 'degraded', 'down']

/** Returns the worst judgement of each area. */
export function worstOf(all: readonly Judgement[]): Map<string, Judgement> {
  const worst = new Map<string, Judgement>()
  for (const one of all) {
    const known = worst.get(one.area)
    if (!known || order.indexOf(one.state) > order.indexOf(known.state)) worst.set(one.area, one)
  }
  return worst
}
