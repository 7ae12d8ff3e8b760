import { z } from 'zod'
import { area } from '../../../../ingress/http/area.ts'
import { route } from '../../../../ingress/http/route.ts'

const Note = z.object({ text: z.string().min(1).max(200), urgent: z.boolean().default(false) })

/** Responds without the database, so that only the log uses it. */
const read = route({
  method: 'POST',
  path: '/read',
  summary: 'Get a note',
  scope: 'stream:write',
  body: Note,
  limit: false,
  status: 202,
  reply: z.object({ text: z.string() }),
  async handle({ body }) {
    return { text: body.text }
  },
})

export const reads = area({
  name: 'bench',
  title: 'Bench',
  description: 'Requests of the request log benchmark.',
  base: '/v1/bench',
  platform: true,
  routes: { notes: { read } },
})
