import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { withTokens } from '../http/html/tokens.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, type StaticFile } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const ours = (name: string) => () => readFile(new URL(`./demo/${name}`, import.meta.url))

const files: Record<string, StaticFile> = {
  ...Object.fromEntries(
    ['demo.js', 'receipts.js', 'web-push.js', 'worker.js'].map((name) => [
      name,
      { type: 'text/javascript', read: ours(name) },
    ]),
  ),
  'demo.css': { type: 'text/css', read: async () => withTokens(new URL('./demo/demo.css', import.meta.url)) },
}

const send = fileSender({ ...files, 'demo.html': { type: 'text/html; charset=utf-8', read: ours('demo.html') } })

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Handles `GET /push/demo`: a web page that works as a device. It contains no secret. Its data is in the URL after `#`,
 * which browsers do not send to servers.
 */
export const page = route({
  ...openFile,
  path: '/push/demo',
  summary: 'Show a page that receives messages',
  async handle({ ctx }) {
    ctx.set('content-security-policy', policy)
    ctx.set('referrer-policy', 'no-referrer')
    await send(ctx, 'demo.html', 'no-cache')
  },
})

/** Handles `GET /push/demo/{file}`: files of the demo page. The page makes no requests to other hosts. */
export const file = route({
  ...openFile,
  path: '/push/demo/{file}',
  summary: 'Load a file of the page that receives messages',
  params: z.object({ file: z.enum(Object.keys(files)) }),
  async handle({ ctx, params }) {
    // The page is outside the folder of its worker, so this header is required (Service Workers §9.3).
    if (params.file === 'worker.js') ctx.set('service-worker-allowed', '/push/demo')
    ctx.set('content-security-policy', policy)
    await send(ctx, params.file, 'no-cache')
  },
})
