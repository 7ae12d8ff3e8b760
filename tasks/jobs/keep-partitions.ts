import { z } from 'zod'
import { dropExpired } from '#sql/partitions/drop.ts'
import { families } from '#sql/partitions/families.ts'
import { createAhead } from '#sql/partitions/make.ts'
import { task } from '../queue/task.ts'

/**
 * Creates the partitions of the next days and drops expired partitions. If a partition is locked, for example by a
 * dump, the next run handles it. The other partitions are still processed. The job then fails after the last partition.
 */
export const keepPartitions = task({
  name: 'jobs/keep-partitions',
  pool: 'core',
  payload: z.object({}),
  cron: '11 * * * *',
  async run(_, { db, log, signal }) {
    const failed = new Map<string, unknown>()
    for (const family of families) {
      for (const change of [createAhead, dropExpired]) {
        signal.throwIfAborted()
        try {
          await change(db, family)
        } catch (err) {
          const [{ name }] = family.members
          log.error({ err, table: name }, 'partitions could not be created or dropped')
          failed.set(name, err)
        }
      }
    }
    const [cause] = failed.values()
    if (cause)
      throw new Error(`Partitions of ${[...failed.keys()].join(', ')} could not be created or dropped`, { cause })
  },
})
