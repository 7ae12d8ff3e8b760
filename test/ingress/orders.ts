import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { groupedRoute, route } from '../../ingress/http/route.ts'
import { enqueue, enqueueMany } from '../../tasks/queue/enqueue.ts'
import { plain } from '../jobs/work.ts'

const facts = {
  method: 'POST',
  summary: 'Order',
  scope: 'files:write',
  idempotent: true,
  status: 202,
  body: z.strictObject({ name: z.string() }),
  reply: z.object({ job: z.string() }),
  enqueues: plain,
} as const

const place = route({
  ...facts,
  path: '/orders',
  async handle({ body, org, db }) {
    return { job: await enqueue(db, plain, { name: body.name }, { orgId: org.id }) }
  },
})

const placeMany = groupedRoute({
  ...facts,
  path: '/orders/grouped',
  async commit(tx, calls) {
    const orders = calls.map(({ body }) => ({ name: body.name }))
    const jobs = await enqueueMany(tx, plain, orders, (i) => ({ orgId: calls[i]?.org.id as string }))
    return jobs.map((job) => ({ job }))
  },
})

export const orders = area({
  name: 'orders',
  title: 'Orders',
  description: 'Orders.',
  base: '/v1',
  platform: true,
  routes: { orders: { place, placeMany } },
})

export const areas = [orders]
