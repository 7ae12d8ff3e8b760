import { z } from 'zod'
import { sendAsset, version } from '../http/console/assets.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'

/** `GET /ops/assets/{version}/{file}`: what the console's pages load; no other host is asked for anything. */
export const file = route({
  ...openFile,
  path: '/assets/{version}/{file}',
  summary: 'File of the console',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    // While releases overlap, a page of one process may ask another for its files: not to be kept under that name.
    const kept = params.version === version ? 'public, max-age=31536000, immutable' : 'no-cache'
    await sendAsset(ctx, params.file, kept)
  },
})
