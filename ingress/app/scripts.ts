import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const scripts: Record<string, Buffer> = {
  'passkeys.js': readFileSync(new URL('./scripts/passkeys.js', import.meta.url)),
  'webauthn.js': readFileSync(
    new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser')),
  ),
}

const scriptVersion = Object.values(scripts)
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

const sendScript = fileSender(
  Object.fromEntries(
    Object.entries(scripts).map(([name, bytes]) => [name, { type: 'text/javascript', read: async () => bytes }]),
  ),
)

export const scriptUrl = (name: string): string => `/app/scripts/${scriptVersion}/${name}`

export const script = route({
  ...openFile,
  path: '/scripts/{version}/{file}',
  summary: 'Get a JavaScript file of the dashboard',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    // During a release, a page can request a file from a process with another version. Such a response must not be
    // cached under the requested version.
    const kept = params.version === scriptVersion ? 'public, max-age=31536000, immutable' : 'no-cache'
    await sendScript(ctx, params.file, kept)
  },
})
