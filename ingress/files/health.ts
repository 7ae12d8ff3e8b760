import { z } from 'zod'
import { scannerState } from '#tasks/files/rules/scanner-state.ts'
import { getServiceStates } from '../http/checks.ts'
import { route } from '../http/route.ts'
import { checks } from '../http/services.ts'

const Health = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .describe('`ok`, or `degraded` if uploads are accepted but must wait for an unavailable component'),
    database: z.enum(['ok', 'away']),
    storage: z.enum(['ok', 'away', 'not_configured']),
    scanner: z.enum(['up', 'away']),
    signatures: z
      .enum(['official', 'test'])
      .nullable()
      .describe(
        '`test`: the scanner recognises only test files, no real malware. `null` until a scanner has reported.',
      ),
    notice: z.string().nullable(),
  })
  .meta({ id: 'files.Health' })

/**
 * Handles `GET /v1/files/health`. Returns 503 if the database is unavailable, otherwise 200 with the state of each
 * part.
 */
export const check = route({
  method: 'GET',
  path: '/health',
  summary: 'Check the health of the service',
  description:
    'Returns whether the database, object storage and the malware scanner are available. The response contains no secrets.',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
  reply: Health,
  async handle({ services, db }) {
    await getServiceStates(services(checks), ['database'])
    const [storage, scanner] = await Promise.all([storageState(services(checks)), scannerState(db)])
    const ok = storage === 'ok' && scanner.scanner === 'up'
    return { status: ok ? 'ok' : 'degraded', database: 'ok', storage, ...scanner }
  },
})

async function storageState(checks: Parameters<typeof getServiceStates>[0]) {
  if (!checks.storage) return 'not_configured'
  return await getServiceStates(checks, ['storage']).then(
    () => 'ok' as const,
    () => 'away' as const,
  )
}
