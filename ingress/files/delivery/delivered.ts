import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { add, type DeliveryDay } from '#sql/files/delivery-days.ts'
import { service } from '../../http/container.ts'

export interface DeliveryCounter {
  /** Counts a response. It is stored within ten seconds. */
  count(delivered: Pick<DeliveryDay, 'object_id' | 'org_id' | 'bytes'>): void
  flush(): Promise<void>
}

/** Number of objects and days in memory. Further ones are delivered, but not counted. */
const most = 50_000
const atOnce = 1_000
const everyMs = 10_000

export const deliveryCounter = service<DeliveryCounter>({
  name: 'files.delivery-counter',
  open: ({ db }) => createDeliveryCounter(db),
  close: (counter) => counter.flush(),
})

/** Sums deliveries in memory and stores the sums. A crash loses up to ten seconds of them. */
function createDeliveryCounter(db: DatabasePool): DeliveryCounter {
  const waiting = new Map<string, DeliveryDay>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  function sum(one: DeliveryDay): void {
    const key = `${one.object_id} ${one.day}`
    const known = waiting.get(key)
    if (known) {
      known.requests += one.requests
      known.bytes += one.bytes
    } else if (waiting.size < most) waiting.set(key, { ...one })
    timer ??= setTimeout(() => void flush(), everyMs).unref()
  }

  async function write(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, atOnce)
      for (const [key] of batch) waiting.delete(key)
      const rows = batch.map(([, row]) => row)
      try {
        await add(db, rows)
      } catch (error) {
        log.warn({ err: describe(error), count: rows.length }, 'deliveries could not be counted')
        for (const row of rows) sum(row)
        return
      }
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    await writing
  }

  return {
    count: (delivered) => sum({ ...delivered, day: new Date().toISOString().slice(0, 10), requests: 1 }),
    flush,
  }
}
