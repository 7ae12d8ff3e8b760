import { z } from 'zod'
import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as stock from '#sql/guard/stock.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'

/** Maximum age of a puzzle when it is issued, in milliseconds. */
const keptMs = 24 * 60 * 60_000

/** Duration of one run in milliseconds. The next run continues, on any machine. */
const spanMs = 45_000

/** Number of puzzles after which the stock is checked again, because other processes also add and take puzzles. */
const lookAfter = 64

/** Creates puzzles until the stock meets the demand. Deletes old puzzles. */
export const refill = task({
  name: 'guard/refill',
  pool: 'guard',
  payload: z.object({}),
  cron: '* * * * *',
  timeout: 2 * spanMs,
  async run(_, { db, signal, minter }) {
    await stock.removeOld(db, new Date(Date.now() - keptMs))
    const { missing, low } = await shortage(db)
    if (!low) return
    const end = Date.now() + spanMs
    let left = Math.min(missing, lookAfter)
    for await (const puzzles of minter.mint(signal)) {
      await stock.insertMany(db, puzzles)
      left -= puzzles.length
      if (left <= 0) left = Math.min((await shortage(db)).missing, lookAfter)
      if (left <= 0 || Date.now() > end) break
    }
  },
})

const shortage = (db: Db) => stock.getShortage(db, { low: config.GUARD_STOCK_LOW, high: config.GUARD_STOCK_HIGH })

/** Adds a job that checks the stock. Several calls add only one job. */
export async function enqueueRefill(db: Db): Promise<void> {
  await enqueue(db, refill, {}, { key: refill.name })
}

/** Refills the stock if less than half of its target size is left. */
export async function refillIfLow(db: Db): Promise<void> {
  if ((await shortage(db)).low) await enqueueRefill(db)
}
