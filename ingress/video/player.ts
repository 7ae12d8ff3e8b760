import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { fileSender, type StaticFile } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'
import { sentences } from '../playback/sentences.ts'

const require = createRequire(import.meta.url)
const ours = (name: string) => () => readFile(new URL(`./player/${name}`, import.meta.url))
const theirs = (name: string) => () => readFile(require.resolve(`hls.js/dist/${name}`))

const files: Record<string, StaticFile> = {
  ...Object.fromEntries(
    [
      ...['player.js', 'beacon.js', 'controls.js', 'keys.js', 'menu.js', 'preview.js', 'right.js', 'trouble.js'],
      ...['live.js', 'live-edge.js', 'live-start.js'],
    ].map((name) => [name, { type: 'text/javascript', read: ours(name) }]),
  ),
  'sentences.json': {
    type: 'application/json',
    read: async () => JSON.stringify(sentences),
  },
  'player.css': { type: 'text/css', read: ours('player.css') },
  'live.css': { type: 'text/css', read: ours('live.css') },
  'hls.min.js': { type: 'text/javascript', read: theirs('hls.min.js') },
  'hls.worker.js': { type: 'text/javascript', read: theirs('hls.worker.js') },
}

const send = fileSender(files)

/** `GET /v1/stream/player/{file}`: what the player page loads; no other host is asked for anything. */
export const file = route({
  method: 'GET',
  path: '/player/{file}',
  summary: 'A file of the player page',
  public: true,
  ignoresOtherQuery: true,
  withoutDatabase: true,
  hidden: true,
  viewers: true,
  limit: false,
  status: 200,
  raw: true,
  problems: ['not_found'],
  params: z.object({ file: z.string() }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'public, max-age=3600')
  },
})
