/** The email area, and an operation that tells the process which serves it, for an ingress process of a test. */
import { z } from 'zod'
import { email } from '../../ingress/email/index.ts'
import { area } from '../../ingress/http/area.ts'
import { route } from '../../ingress/http/route.ts'

const read = route({
  method: 'GET',
  path: '/pid',
  summary: 'The process',
  scope: 'email:send',
  status: 200,
  reply: z.object({ pid: z.int() }),
  handle: async () => ({ pid: process.pid }),
})

/** What a process of its own serves. */
export const areas = [
  email,
  area({ name: 'pid', title: 'Pid', description: 'The process.', base: '/send/v1', routes: { pid: { read } } }),
]
