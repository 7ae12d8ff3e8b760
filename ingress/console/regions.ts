import { poolNames } from '#tasks/pools.ts'
import type { Regions } from '../http/console/regions.ts'
import { failing } from './regions/failing.ts'
import { job } from './regions/job.ts'
import { queuePlots } from './regions/plots.ts'
import { fleet, pool } from './regions/queue.ts'
import { recent } from './regions/recent.ts'
import { running } from './regions/running.ts'
import { workers } from './regions/workers.ts'

const isPool = (name: string) => (poolNames as string[]).includes(name)

export const regions: Regions = {
  fleet: { everyMs: 2_000, read: fleet },
  pool: { everyMs: 2_000, read: pool, fits: ([name = '']) => isPool(name) },
  running: { everyMs: 2_000, read: running },
  failing: { everyMs: 4_000, read: failing },
  workers: { everyMs: 2_000, read: workers },
  recent: { everyMs: 4_000, read: recent },
  job: { everyMs: 2_000, read: job },
  plots: { everyMs: 15_000, read: queuePlots, fits: ([, name]) => name === undefined || isPool(name) },
}
