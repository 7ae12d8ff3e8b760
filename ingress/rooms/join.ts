import { z } from 'zod'
import { queryInt } from '#lib/input-types.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { sendJoinPage } from './client/join-page.ts'

/**
 * Handles `GET /v1/stream/rooms/{roomId}/join?token=…`: the web page where people meet. It is the same for all rooms.
 * Its JavaScript finds the gateway and shows why a token was rejected.
 */
export const page = route({
  ...openPage,
  path: '/rooms/{roomId}/join',
  summary: 'Join a room in the browser',
  limit: false,
  raw: 'text/html; charset=utf-8',
  query: z.object({
    token: z.string().max(2000).optional(),
    height: queryInt(90, 1080).optional(),
  }),
  async handle({ ctx }) {
    sendJoinPage(ctx)
  },
})
