import { z } from 'zod'
import { stateOf } from '../checks.ts'
import { route } from '../route.ts'

const State = z.enum(['ok', 'away'])

const Health = z
  .object({ status: z.literal('ok'), database: State.optional(), storage: State.optional() })
  .meta({ id: 'video.Health' })

/** `GET /v1/stream/health`: 503 with each part's state when one is away. */
export const check = route({
  method: 'GET',
  path: '/health',
  summary: 'Service health: database and storage',
  public: true,
  withoutDatabase: true,
  status: 200,
  reply: Health,
  example: { reply: { status: 'ok', database: 'ok', storage: 'ok' } },
  async handle({ services }) {
    return { status: 'ok', ...(await stateOf(services.checks, ['database', 'storage'])) }
  },
})

/** `GET /v1/stream/health/live`: the process answers. */
export const live = route({
  method: 'GET',
  path: '/health/live',
  summary: 'Liveness probe',
  public: true,
  withoutDatabase: true,
  status: 200,
  reply: z.object({ status: z.literal('ok') }),
  async handle() {
    return { status: 'ok' as const }
  },
})
