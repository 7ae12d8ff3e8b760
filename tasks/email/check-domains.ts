import { randomInt } from 'node:crypto'
import { z } from 'zod'
import * as domains from '#sql/email/domains.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { checkDomain } from './check-domain.ts'

const atOnce = 500

/** Period in milliseconds over which the checks of one hour are spread. */
const spreadMs = 45 * 60_000

export const checkDomains = task({
  name: 'email/check-domains',
  pool: 'core',
  payload: z.object({ spreadMs: z.number().default(spreadMs) }),
  cron: '7 * * * *',
  timeout: 5 * 60_000,
  async run({ spreadMs }, { db, signal }) {
    for (let after: string | null = null; ; ) {
      signal.throwIfAborted()
      const due: readonly domains.DueDomain[] = await domains.listDue(db, after, atOnce)
      if (due.length === 0) return
      const payloads = due.map(({ id }) => ({ domainId: id }))
      await db.transaction((tx) =>
        enqueueMany(tx, checkDomain, payloads, (i) => ({
          key: `check-domain:${due[i]?.id}`,
          at: new Date(Date.now() + (spreadMs > 0 ? randomInt(spreadMs) : 0)),
          orgId: due[i]?.org_id as string,
        })),
      )
      after = due.at(-1)?.id ?? null
    }
  },
})
