import { z } from 'zod'
import { config } from '#lib/config.ts'
import { listPoolsWithoutWorkers } from '#sql/jobs/workers.ts'
import { getServiceStates } from '../http/checks.ts'
import { route } from '../http/route.ts'
import { checks } from '../http/services.ts'

/** Time in milliseconds after which a worker's report is too old. Workers report five times per lease. */
const staleMs = 20_000

const State = z.enum(['ok', 'away'])

const Health = z
  .object({
    status: z
      .enum(['ok', 'degraded'])
      .describe('`ok`, or `degraded` if uploads are accepted but must wait for workers'),
    database: State.optional(),
    storage: State.optional(),
    workers: z.enum(['ok', 'away']).describe('`ok` if each step of a video has a worker'),
    notice: z.string().nullable(),
  })
  .meta({ id: 'video.Health' })

/**
 * Handles `GET /v1/stream/health`. Returns the state of each part, with 503 if the database or storage is unavailable.
 */
export const check = route({
  method: 'GET',
  path: '/health',
  summary: 'Check the health of the service',
  description:
    'Returns whether the database, object storage and the media workers are available. The response contains no secrets.',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
  reply: Health,
  example: { reply: { status: 'ok', database: 'ok', storage: 'ok', workers: 'ok', notice: null } },
  async handle({ services, db }) {
    const parts = await getServiceStates(services(checks), ['database', 'storage'])
    const away = await listPoolsWithoutWorkers(db, ['media-intake', 'media'], Math.max(staleMs, 2 * config.LEASE_MS))
    if (away.length === 0) return { status: 'ok', ...parts, workers: 'ok', notice: null }
    const notice = `No worker is running for ${away.join(' and ')}. Uploads are accepted and queued. Run \`npx millrace doctor\` on their hosts to find the reason.`
    return { status: 'degraded', ...parts, workers: 'away', notice }
  },
})

export const live = route({
  method: 'GET',
  path: '/health/live',
  summary: 'Check that the service is alive',
  description: 'Returns `200` while the process is running. The database is not checked.',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
  reply: z.object({ status: z.literal('ok') }),
  async handle() {
    return { status: 'ok' as const }
  },
})
