import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { type FaultContext, waitUntil } from '../chaos/fault.ts'
import { longestGap } from './door.ts'

const Longest = z.object({ gap: z.number().nullable() })

/**
 * Starts to measure the longest time without an accepted request over HTTP, and without an effect of a job. `end`
 * returns both.
 */
export async function startSilenceMeasurement(arena: FaultContext) {
  const { stage, acceptedAt } = arena
  const since = await waitUntil('the database returns the time', () =>
    stage.db.oneFirst(sql.type(z.object({ now: z.date() }))`select clock_timestamp() as now`),
  )
  const from = since.toISOString()
  const times = [performance.now()]
  let over = false
  const running = (async () => {
    while (!over) {
      const at = acceptedAt()
      if (at > (times.at(-1) as number)) times.push(at)
      await pause(10)
    }
  })()
  async function stop(): Promise<void> {
    over = true
    await running
  }
  return {
    stop,
    async end(): Promise<{ accepted: number; effects: number }> {
      await stop()
      const gap = await waitUntil('the effects can be read', () =>
        stage.db.one(sql.type(Longest)`
          select extract(epoch from max(at - before)) * 1000 as gap
          from (
            select at, lag(at) over (order by at) as before
            from (select at from chaos.effects where at >= ${from}::timestamptz union all select ${from}::timestamptz) as seen
          ) as e`),
      )
      return { accepted: longestGap([...times, performance.now()]), effects: gap.gap ?? 0 }
    },
  }
}
