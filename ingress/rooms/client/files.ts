import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { withTokens } from '../../http/html/tokens.ts'

const ours = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url))

const parts = [
  'client.js',
  'room.js',
  'requests.js',
  'state.js',
  'texts.js',
  'room-error.js',
  'devices.js',
  'link.js',
  'local-media.js',
  'publisher.js',
  'subscriber.js',
]

const page = [
  'join.js',
  'invitation.js',
  'lobby.js',
  'stage.js',
  'bar.js',
  'people.js',
  'chat.js',
  'choices.js',
  'keys.js',
  'words.js',
  'layout.js',
  'room.css',
  'talk.css',
]

/** All files by name. They have one version, use relative names and can be cached permanently. */
export const files: Readonly<Record<string, Buffer>> = {
  ...Object.fromEntries([...parts, ...page].map((name) => [name, ours(name)])),
  'join.css': withTokens(new URL('./join.css', import.meta.url)),
}

/** Version of the files. It changes with any of them. */
export const version = Object.values(files)
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

/** Module at the permanent URL. It imports every file, so that a web page loads all files in parallel. */
export const entryModule = `${parts.map((name) => `import './client/${version}/${name}'`).join('\n')}
export { devices, join, RoomError } from './client/${version}/client.js'
`

export const typeDeclarations = ours('client.d.ts')

export const fileUrl = (name: string): string => `/v1/stream/rooms/client/${version}/${name}`
