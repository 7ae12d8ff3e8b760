import { z } from 'zod'
import { sendAsset, version } from '../http/html/assets.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'

export const file = route({
  ...openFile,
  path: '/assets/{version}/{file}',
  summary: 'Get a console asset',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    // During a release, a page can request a file from a process with another version. Such a response must not be
    // cached under the requested version.
    const kept = params.version === version ? 'public, max-age=31536000, immutable' : 'no-cache'
    await sendAsset(ctx, params.file, kept)
  },
})
