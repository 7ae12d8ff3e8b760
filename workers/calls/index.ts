import { config, requireVariable } from '#lib/config.ts'
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { sealPurpose } from '#sql/work/settings.ts'
import * as turns from '#sql/work/turns.ts'
import { createJobBatches } from '#tasks/work/rules/job-batches.ts'
import { startDue } from '#tasks/work/rules/start-due.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { runDueClock } from './due-clock.ts'

export const calls: PoolDeclaration<'calls'> = {
  concurrency: config.CALL_CONCURRENCY,
  share: { perOrganisation: 1 / 4 },
  lacks: async () =>
    config.SIGNING_SECRET ? undefined : 'SIGNING_SECRET, which decrypts the secrets of jobs, is not set',
  tools: async ({ db, ends }) => {
    const outbound = createOutboundClient()
    ends.defer(() => outbound.close())
    const local = config.WEBHOOK_LOCAL_ORG === undefined ? undefined : createOutboundClient(withLoopback)
    if (local) ends.defer(() => local.close())
    const batches = createJobBatches(db)
    ends.use(batches)
    ends.use(runDueClock({ start: () => startDue(db), nextMs: () => turns.findNextDueMs(db) }))
    return { outbound, local, seal: createSeal(requireVariable('SIGNING_SECRET'), sealPurpose), batches }
  },
}
