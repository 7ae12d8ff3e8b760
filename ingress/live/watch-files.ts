import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const ours = (name: string) => () => readFile(new URL(`./watch-files/${name}`, import.meta.url))

const send = fileSender({
  'watch.js': { type: 'text/javascript; charset=utf-8', read: ours('watch.js') },
  'watch.css': { type: 'text/css', read: ours('watch.css') },
})

export const file = route({
  ...openFile,
  path: '/live/watch-files/{file}',
  summary: 'Load a file of the watch page',
  viewers: true,
  params: z.object({ file: z.string() }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'public, max-age=3600')
  },
})
