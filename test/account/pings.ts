import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { route } from '../../ingress/http/route.ts'

const facts = { method: 'GET', summary: 'Ping', status: 200, reply: z.object({ ok: z.boolean() }) } as const
const handle = async () => ({ ok: true })

/** Routes under limits of every kind. */
export const pings = area({
  name: 'things',
  title: 'Things',
  description: 'Things.',
  base: '/v1/things',
  platform: true,
  routes: {
    pings: {
      ping: route({ ...facts, path: '/ping', scope: 'files:write', handle }),
      rare: route({ ...facts, path: '/rare', scope: 'files:write', limit: { perMinute: 3, by: 'org' }, handle }),
      open: route({ ...facts, path: '/open', public: true, limit: { perMinute: 2, by: 'ip' }, handle }),
      free: route({ ...facts, path: '/free', scope: 'files:write', limit: false, handle }),
    },
  },
})

/** What a process of its own serves. */
export const areas = [pings]
