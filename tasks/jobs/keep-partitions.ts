import { z } from 'zod'
import { dropOver } from '#sql/partitions/drop.ts'
import { families } from '#sql/partitions/families.ts'
import { makeAhead } from '#sql/partitions/make.ts'
import { task } from '../queue/task.ts'

/**
 * Makes the partitions that come, and drops those that are over. One that somebody holds, such as a dump, is left to the next run: it keeps
 * none of the others, and fails the job at its end.
 */
export const keepPartitions = task({
  name: 'jobs/keep-partitions',
  pool: 'core',
  payload: z.object({}),
  cron: '11 * * * *',
  async run(_, { db, log, signal }) {
    const failed = new Map<string, unknown>()
    for (const family of families) {
      for (const change of [makeAhead, dropOver]) {
        signal.throwIfAborted()
        try {
          await change(db, family)
        } catch (err) {
          const [{ name }] = family.members
          log.error({ err, table: name }, 'partitions could not be made or dropped')
          failed.set(name, err)
        }
      }
    }
    const [cause] = failed.values()
    if (cause) throw new Error(`Partitions of ${[...failed.keys()].join(', ')} could not be made or dropped`, { cause })
  },
})
