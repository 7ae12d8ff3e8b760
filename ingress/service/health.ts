import { z } from 'zod'
import { getServiceStates } from '../http/checks.ts'
import { route } from '../http/route.ts'
import { checks } from '../http/services.ts'

const Parts = z.record(z.string(), z.enum(['ok', 'away']))

export const alive = route({
  method: 'GET',
  path: '/healthz',
  summary: 'Check that this process is alive',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  hidden: true,
  status: 200,
  reply: z.object({ status: z.literal('ok') }),
  async handle() {
    return { status: 'ok' as const }
  },
})

/** Returns 503 with the state of each part if a required part is unavailable. */
export const ready = route({
  method: 'GET',
  path: '/readyz',
  summary: 'Check that this process can serve requests',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  hidden: true,
  status: 200,
  reply: z.object({ status: z.literal('ok'), parts: Parts }),
  async handle({ services }) {
    return { status: 'ok', parts: await getServiceStates(services(checks)) }
  },
})
