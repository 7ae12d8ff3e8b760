import { z } from 'zod'
import * as scanners from '#sql/files/scanners.ts'
import { stateOf } from '../checks.ts'
import { route } from '../route.ts'

/** How recently a worker must have told of its scanner, in seconds. */
const recent = 20

const Health = z
  .object({
    status: z.enum(['ok', 'degraded']).describe('degraded: uploads are taken, and wait for what is away'),
    database: z.enum(['ok', 'away']),
    storage: z.enum(['ok', 'away', 'not_configured']),
    scanner: z.enum(['up', 'away']),
    signatures: z
      .enum(['official', 'test'])
      .nullable()
      .describe('test: only test files are recognised, no real malware; null while no scanner has been seen'),
    notice: z.string().nullable(),
  })
  .meta({ id: 'files.Health' })

/** `GET /v1/files/health`: 503 while the database is away; 200 with each part's state otherwise. */
export const check = route({
  method: 'GET',
  path: '/health',
  summary: 'Service health: database, storage and scanner',
  public: true,
  withoutDatabase: true,
  status: 200,
  reply: Health,
  async handle({ services, db }) {
    await stateOf(services.checks, ['database'])
    const [storage, scanner] = await Promise.all([storageState(services.checks), scannerState(db)])
    const ok = storage === 'ok' && scanner.scanner === 'up'
    return { status: ok ? 'ok' : 'degraded', database: 'ok', storage, ...scanner }
  },
})

async function storageState(checks: Parameters<typeof stateOf>[0]) {
  if (!checks.storage) return 'not_configured'
  return await stateOf(checks, ['storage']).then(
    () => 'ok' as const,
    () => 'away' as const,
  )
}

async function scannerState(db: Parameters<typeof scanners.list>[0]) {
  const known = await scanners.list(db, recent)
  const up = known.filter(({ state }) => state === 'up')
  const signatures = worst((up.length > 0 ? up : known).map(({ signatures }) => signatures))
  if (up.length === 0) return { scanner: 'away' as const, signatures, notice: awayNotice }
  return { scanner: 'up' as const, signatures, notice: signatures === 'official' ? null : testNotice }
}

/** What can be promised of all scanners together. */
function worst(kinds: (scanners.Scanner['signatures'] | undefined)[]): scanners.Scanner['signatures'] {
  const known = kinds.filter((kind) => kind !== null && kind !== undefined)
  return known.includes('test') ? 'test' : (known[0] ?? null)
}

const awayNotice = 'No malware scanner answers: uploads are accepted and wait, and nothing can be downloaded unscanned.'
const testNotice =
  'The malware scanner has test signatures only and recognises no real malware: give it access to ClamAV’s signatures.'
