import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, type StaticFile, sendVersioned } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'
import { viewerMessages } from '../playback/sentences.ts'
import { playerParts } from './playback/player-parts.ts'

const require = createRequire(import.meta.url)
const ours = (name: string) => readFileSync(new URL(`./player/${name}`, import.meta.url))
const theirs = (name: string) => () => readFile(require.resolve(`hls.js/dist/${name}`))
const constant = (name: string, value: unknown) => Buffer.from(`export const ${name} = ${JSON.stringify(value)}\n`)

/** Files that the player loads when a viewer needs them. */
const laterNames = ['help.js', 'resume.js', 'transcript.js', 'cast.js', 'panel-style.js']

const parts: Record<string, Buffer> = {
  ...Object.fromEntries(
    [
      ...['element.js', 'stage.js', 'playback.js', 'options.js', 'commands.js', 'look.js', 'beacon.js', 'controls.js'],
      ...['keys.js', 'menu.js', 'preview.js', 'right.js', 'trouble.js', 'cues.js', 'chapters.js'],
      ...['captions-style.js', 'speeds.js', 'unasked.js', 'live-edge.js', 'broadcast.js', 'tracks.js'],
      ...['extras.js', 'remote.js', ...laterNames],
    ].map((name) => [name, ours(name)]),
  ),
  'sentences.js': constant('sentences', viewerMessages),
  'parts.js': constant('parts', playerParts),
  'style.js': constant('style', `${ours('player.css')}${ours('live.css')}${ours('element.css')}`),
  'panels.js': constant('panels', String(ours('panels.css'))),
}

/** All files have one version, so that their relative imports match and can be cached permanently. */
const version = Object.values(parts)
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .update(readFileSync(require.resolve('hls.js/package.json')))
  .digest('hex')
  .slice(0, 12)

const isNeededFirst = (name: string): boolean => !laterNames.includes(name) && name !== 'panels.js'

const names = [...Object.keys(parts).filter(isNeededFirst), 'hls.js']

export const playerModules: readonly string[] = names.map((name) => `/v1/stream/player/${version}/${name}`)

const entry = `${names.map((name) => `import './${version}/${name}'`).join('\n')}
export { MillPlayer } from './${version}/element.js'
`

const script = (read: StaticFile['read']): StaticFile => ({ type: 'text/javascript; charset=utf-8', read })
const scripts = Object.entries(parts).map(([name, bytes]) => [name, script(async () => bytes)] as const)

const sendPart = fileSender({
  ...Object.fromEntries(scripts),
  'hls.js': script(theirs('hls.min.mjs')),
  'hls.worker.js': script(theirs('hls.worker.js')),
})

const send = fileSender({
  ...Object.fromEntries(scripts),
  ...Object.fromEntries(['player.js', 'messages.js', 'live.js'].map((name) => [name, script(async () => ours(name))])),
  'player.css': { type: 'text/css', read: async () => ours('player.css') },
  'live.css': { type: 'text/css', read: async () => ours('live.css') },
  'hls.min.js': script(theirs('hls.min.js')),
  'hls.worker.js': script(theirs('hls.worker.js')),
})

const forPages = { ...openFile, cors: true, viewers: true } as const

export const element = route({
  ...forPages,
  path: '/player/mill-player.js',
  summary: 'Load the player element',
  async handle({ ctx }) {
    ctx.type = 'text/javascript; charset=utf-8'
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    ctx.set('cache-control', 'public, max-age=300')
    ctx.body = entry
  },
})

export const file = route({
  ...forPages,
  path: '/player/{file}',
  summary: 'Load a file of the player page',
  params: z.object({ file: z.string() }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'public, max-age=3600')
  },
})

export const part = route({
  ...forPages,
  path: '/player/{version}/{file}',
  summary: 'Load a file of the player element',
  params: z.object({ version: z.string(), file: z.string() }),
  handle: (call) => sendVersioned(call.ctx, sendPart, version, call),
})
