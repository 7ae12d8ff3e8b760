import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as domains from '#sql/email/domains.ts'
import { task } from '../queue/task.ts'
import { checkRecords, configuredLookups } from './rules/domains/check-records.ts'
import { recordChecks } from './rules/domains/record-checks.ts'

/** Period in milliseconds in which a repeated job counts as the same hourly check. */
const samePassMs = 20 * 60_000

export const checkDomain = task({
  name: 'email/check-domain',
  pool: 'core',
  payload: z.object({ domainId: Id, hourly: z.boolean().default(true) }),
  attempts: 3,
  async run({ domainId, hourly }, { db }) {
    const domain = await domains.findById(db, domainId)
    if (!domain || domain.verified_by === 'operator') return
    if (hourly && domain.passed_at && domain.passed_at.getTime() > Date.now() - samePassMs) return
    const checks = await checkRecords(domain, await domains.listKeys(db, [domainId]), configuredLookups())
    await db.transaction((tx) => recordChecks(tx, domainId, checks, { hourly }))
  },
})
