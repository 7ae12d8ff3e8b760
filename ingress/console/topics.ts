import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { poolNames } from '#tasks/queue/pools.ts'
import { type Html, html } from './html.ts'
import { failing } from './regions/failing.ts'
import { job } from './regions/job.ts'
import { queuePlots } from './regions/plots.ts'
import { playback } from './regions/quality.ts'
import { fleet, pool } from './regions/queue.ts'
import { recent } from './regions/recent.ts'
import { running } from './regions/running.ts'
import { scanner } from './regions/scanner.ts'
import { workers } from './regions/workers.ts'

/** A region of pages that is kept as it is on the server: what it shows, and how often that is looked at. */
export interface Topic {
  everyMs: number
  read(db: DatabasePool): Promise<Html>
}

interface Declared {
  everyMs: number
  /** What a region with these words after its name shows; null when there is no such thing. */
  read(db: DatabasePool, words: readonly string[]): Promise<Html | null>
  /** Whether there may be a region with these words; asked before anything is read. */
  fits?(words: readonly string[]): boolean
}

const declared: Readonly<Record<string, Declared>> = {
  fleet: { everyMs: 2_000, read: fleet },
  pool: { everyMs: 2_000, read: pool, fits: ([name = '']) => isPool(name) },
  running: { everyMs: 2_000, read: running },
  failing: { everyMs: 4_000, read: failing },
  workers: { everyMs: 2_000, read: workers },
  recent: { everyMs: 4_000, read: recent },
  scanner: { everyMs: 15_000, read: scanner },
  job: { everyMs: 2_000, read: job },
  quality: { everyMs: 15_000, read: playback, fits: ([, assetId]) => assetId === undefined || isId(assetId) },
  plots: { everyMs: 15_000, read: queuePlots, fits: ([, name]) => name === undefined || isPool(name) },
}

const isId = (text: string) => Id.safeParse(text).success
const isPool = (name: string) => (poolNames as string[]).includes(name)

/** The topic of a region's name, which is a declared one and words after slashes: `plots/24h/media`. */
export function findTopic(name: string): Topic | undefined {
  const [head = '', ...words] = name.split('/')
  const found = Object.hasOwn(declared, head) ? declared[head] : undefined
  if (!found || found.fits?.(words) === false) return undefined
  const { everyMs, read } = found
  return {
    everyMs,
    read: async (db) => (await read(db, words)) ?? html`<p class="empty">There is nothing here any more.</p>`,
  }
}

/** A region of a page, as it is now; the page's script keeps it so. */
export async function region(db: DatabasePool, name: string): Promise<Html> {
  const topic = findTopic(name)
  return html`<div class="region" data-live="${name}">${topic && (await topic.read(db))}</div>`
}
