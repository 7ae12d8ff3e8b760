import { z } from 'zod'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { area } from '../../ingress/http/area.ts'
import { groupedRoute, route } from '../../ingress/http/route.ts'
import { relay } from './work.ts'

const body = z.object({ name: z.string() })
const facts = { method: 'POST', public: true, status: 202, body } as const

export const module = import.meta.url

/** Requests that add a job, which adds another job. */
export const areas = [
  area({
    name: 'relays',
    title: 'Relays',
    description: 'Relays.',
    base: '/v1/relays',
    routes: {
      relays: {
        start: route({
          ...facts,
          path: '/start',
          summary: 'Relay',
          handle: async ({ body, db }) => {
            await enqueue(db, relay, { name: body.name })
          },
        }),
        together: groupedRoute({
          ...facts,
          path: '/together',
          summary: 'Relay, grouped',
          commit: async (tx, calls) => {
            const payloads = calls.map(({ body }) => ({ name: body.name }))
            const options = (i: number) => ({ requestId: calls[i]?.requestId ?? '', trace: calls[i]?.trace })
            await enqueueMany(tx, relay, payloads, options)
            return calls.map(() => undefined)
          },
        }),
      },
    },
  }),
]
