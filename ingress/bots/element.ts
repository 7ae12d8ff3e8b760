import { readFileSync } from 'node:fs'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const script = readFileSync(new URL('./element/mill-bot.js', import.meta.url))

const send = fileSender({
  'element.js': { type: 'text/javascript; charset=utf-8', read: async () => script },
})

export const load = route({
  ...openFile,
  cors: true,
  path: '/element.js',
  summary: 'Get the bot element for web pages',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'element.js', 'public, max-age=300')
  },
})
