import { z } from 'zod'
import { fitHeader, isOrigin } from '#lib/network/origin.ts'
import * as audit from '#sql/account/audit.ts'
import * as rows from '#sql/video/embedding.ts'
import { actorOfCall } from '../http/acting.ts'
import { route } from '../http/route.ts'

const mostOrigins = 100

/** A host source of `frame-ancestors` (CSP3 §2.3.1): an origin whose first label may be `*`. */
const FrameOrigin = z
  .string()
  .max(300)
  .refine((text) => isOrigin(text.replace('://*.', '://')), {
    message: 'must be an origin, such as https://www.example.com or https://*.example.com',
  })

const Embedding = z
  .object({ origins: z.array(z.string()).describe('Origins that can embed your players. Empty: all origins.') })
  .meta({ id: 'video.Embedding' })

export const read = route({
  method: 'GET',
  path: '/embedding',
  summary: 'Read the sites that can embed players',
  description: 'Returns the origins whose web pages can embed your players. An empty list allows every origin.',
  scope: 'stream:read',
  beyondContract: true,
  status: 200,
  reply: Embedding,
  handle: async ({ org, db }) => ({ origins: await rows.find(db, org.id) }),
})

export const set = route({
  method: 'PUT',
  path: '/embedding',
  summary: 'Set the sites that can embed players',
  description:
    'Replaces the list. An empty list allows every site. Players of videos and broadcasts, with or without a token, send the list to browsers (`frame-ancestors`) when the player is next loaded. Web pages of this service are always allowed.',
  scope: 'stream:write',
  beyondContract: true,
  body: z.strictObject({
    origins: z
      .array(FrameOrigin)
      .max(mostOrigins)
      .transform((given) => [...new Set(given)])
      .refine(fitHeader.check, fitHeader.error)
      .describe('Origins, such as `https://www.example.com` or `https://*.example.com`'),
  }),
  status: 200,
  reply: Embedding,
  example: { body: { origins: ['https://www.example.com'] } },
  async handle({ body: { origins }, org, actor, requestId, ip, db }) {
    await db.transaction(async (tx) => {
      const before = await rows.find(tx, org.id)
      await rows.set(tx, org.id, origins)
      const act = { action: 'video_embedding.updated', target: org.id, before: { origins: before }, after: { origins } }
      await audit.append(tx, { ...actorOfCall({ org, actor, requestId, ip }), ...act })
    })
    return { origins }
  },
})
