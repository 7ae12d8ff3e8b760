import { z } from 'zod'
import { sendAsset, version } from '../http/console/assets.ts'
import { route } from '../http/route.ts'

/** `GET /ops/assets/{version}/{file}`: what the console's pages load; no other host is asked for anything. */
export const file = route({
  method: 'GET',
  path: '/assets/{version}/{file}',
  summary: 'A file of the console',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  hidden: true,
  limit: false,
  status: 200,
  raw: true,
  problems: ['not_found'],
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    // While releases overlap, a page of one process may ask another for its files: not to be kept under that name.
    const kept = params.version === version ? 'public, max-age=31536000, immutable' : 'no-cache'
    await sendAsset(ctx, params.file, kept)
  },
})
