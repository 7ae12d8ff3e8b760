import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as areas from '#sql/status/areas.ts'
import * as days from '#sql/status/days.ts'
import * as facts from '#sql/status/facts.ts'
import * as incidents from '#sql/status/incidents.ts'
import { task } from '../queue/task.ts'
import { ended, texts, titles } from './rules/incident-texts.ts'
import { judgeQueues, judgeRequests, worstOf } from './rules/judge.ts'
import { nextState } from './rules/next-state.ts'

/**
 * Measures the state of each area once per minute, for any number of workers. Counts the minutes of the day, and opens
 * and ends incidents.
 */
export const measure = task({
  name: 'status/measure',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      const at = await areas.claimMinute(tx)
      if (!at) return
      const judged = worstOf([...judgeRequests(await facts.requests(tx, at)), ...judgeQueues(await facts.waiting(tx))])
      const known = new Map((await areas.list(tx)).map((row) => [row.area, row]))
      const names = new Set([...known.keys(), ...judged.keys()])
      const next = [...names].map((area) =>
        nextState(known.get(area), judged.get(area) ?? { area, state: 'ok', reason: null }, at),
      )
      await areas.write(tx, next)
      await days.addMinute(
        tx,
        at,
        next.filter(({ state }) => state !== 'ok'),
      )
      for (const one of next) await followIncident(tx, one)
    })
  },
})

/** Opens, changes or ends the incident of an area. An incident of the operator stays open until the operator ends it. */
async function followIncident(tx: Db, { area, state, reason }: areas.AreaState): Promise<void> {
  const open = await incidents.findMeasured(tx, area)
  if (state === 'ok' || reason === null) {
    if (!open) return
    await incidents.addUpdate(tx, open.id, ended)
    await incidents.end(tx, open.id)
    return
  }
  if (!open) {
    await incidents.open(tx, {
      areas: [area],
      kind: state,
      title: titles[reason],
      text: texts[reason],
      automatic: true,
    })
  } else if (open.kind !== state) {
    await incidents.setKind(tx, open.id, state)
    await incidents.addUpdate(tx, open.id, texts[reason])
  }
}
