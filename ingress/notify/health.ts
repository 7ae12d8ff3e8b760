import { z } from 'zod'
import { getServiceStates } from '../http/checks.ts'
import { route } from '../http/route.ts'
import { checks } from '../http/services.ts'

/** Handles `GET /v1/notify/health`. Returns 503 if the database is unavailable. */
export const check = route({
  method: 'GET',
  path: '/health',
  summary: 'Check the health of the service',
  description: 'Returns whether the database is available. The response contains no secrets.',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  status: 200,
  reply: z.object({ status: z.literal('ok'), database: z.literal('ok') }).meta({ id: 'notify.Health' }),
  async handle({ services }) {
    await getServiceStates(services(checks), ['database'])
    return { status: 'ok', database: 'ok' }
  },
})
