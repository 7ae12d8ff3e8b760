import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const ours = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url))

/** What a page loads for the client itself. */
const parts = [
  'client.js',
  'room.js',
  'requests.js',
  'texts.js',
  'room-error.js',
  'devices.js',
  'link.js',
  'local-media.js',
  'publisher.js',
  'subscriber.js',
]

/** What the join page is made of beside it. */
const page = [
  'join.js',
  'lobby.js',
  'stage.js',
  'bar.js',
  'people.js',
  'chat.js',
  'choices.js',
  'keys.js',
  'words.js',
  'layout.js',
  'join.css',
  'room.css',
  'talk.css',
]

/** All of them by name, under one version, so that they find each other by relative names and are kept for ever. */
export const files: Readonly<Record<string, Buffer>> = Object.fromEntries(
  [...parts, ...page].map((name) => [name, ours(name)]),
)

/** Changes with any of the files. */
export const version = Object.values(files)
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

/** The module at the address that stays; it names every part, so that a page asks for all of them at once. */
export const entry = `${parts.map((name) => `import './client/${version}/${name}'`).join('\n')}
export { devices, join, RoomError } from './client/${version}/client.js'
`

/** The types of that module. */
export const declared = ours('client.d.ts')

/** The address of a file of the join page. */
export const fileUrl = (name: string): string => `/v1/stream/rooms/client/${version}/${name}`
