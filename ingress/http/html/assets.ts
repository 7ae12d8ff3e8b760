import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileSender, type StaticFile } from '../pages/static-files.ts'
import type { Frame } from './frame.ts'
import { withTokens } from './tokens.ts'

const require = createRequire(import.meta.url)
const ours = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url))
const theirs = (path: string) => readFileSync(require.resolve(path))

/** Applies the theme before the first paint. All pages with a theme switch load it. */
export const themeScript = ours('theme.js')

const sheets =
  'base header navigation controls figures tables states plots arrangement questions dashboard rhythm forms media calls bots flows devices palette brand account mail media-pages phone'.split(
    ' ',
  )

const script = 'text/javascript'
const files: Record<string, { type: string; bytes: Buffer }> = {
  'frame.css': {
    type: 'text/css',
    bytes: withTokens(...sheets.map((sheet) => new URL(`./assets/styles/${sheet}.css`, import.meta.url))),
  },
  'console.js': { type: script, bytes: ours('console.js') },
  'dashboard.js': { type: script, bytes: ours('dashboard.js') },
  'form-preview.js': { type: script, bytes: ours('form-preview.js') },
  'file-text.js': { type: script, bytes: ours('file-text.js') },
  'theme.js': { type: script, bytes: themeScript },
  'theme-switch.js': { type: script, bytes: ours('theme-switch.js') },
  'navigation.js': { type: script, bytes: ours('navigation.js') },
  'palette.js': { type: script, bytes: ours('palette.js') },
  'drop.js': { type: script, bytes: ours('drop.js') },
  'upload.js': { type: script, bytes: ours('upload.js') },
  'pausing.js': { type: script, bytes: ours('pausing.js') },
  'send-file.js': { type: script, bytes: ours('send-file.js') },
  'upload-list.js': { type: script, bytes: ours('upload-list.js') },
  'transfer.js': { type: script, bytes: ours('transfer.js') },
  'calls.js': { type: script, bytes: ours('calls.js') },
  'chat.js': { type: script, bytes: ours('chat.js') },
  'replies.js': { type: script, bytes: ours('replies.js') },
  'copy.js': { type: script, bytes: ours('copy.js') },
  'confirm.js': { type: script, bytes: ours('confirm.js') },
  'idle.js': { type: script, bytes: ours('idle.js') },
  'editor.js': { type: script, bytes: ours('editor.js') },
  'segments.js': { type: script, bytes: ours('segments.js') },
  'sure.js': { type: script, bytes: ours('sure.js') },
  'live.js': { type: script, bytes: ours('live.js') },
  'notes.js': { type: script, bytes: ours('notes.js') },
  'pages.js': { type: script, bytes: ours('pages.js') },
  'picker.js': { type: script, bytes: ours('picker.js') },
  'tables.js': { type: script, bytes: ours('tables.js') },
  'morph.js': { type: script, bytes: ours('morph.js') },
  'player.js': { type: script, bytes: ours('player.js') },
  'plots.js': { type: script, bytes: ours('plots.js') },
  'studio.js': { type: script, bytes: ours('studio.js') },
  'whip.js': { type: script, bytes: ours('whip.js') },
  'icon.svg': { type: 'image/svg+xml', bytes: ours('icon.svg') },
  'uplot.js': { type: script, bytes: theirs('uplot/dist/uPlot.iife.min.js') },
  'uplot.css': { type: 'text/css', bytes: theirs('uplot/dist/uPlot.min.css') },
}

export const version = Object.values(files)
  .reduce((hash, { bytes }) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

export const sendAsset = fileSender(
  Object.fromEntries(
    Object.entries(files).map(([name, { type, bytes }]): [string, StaticFile] => [
      name,
      { type, read: async () => bytes },
    ]),
  ),
)

export const assetUrl = ({ base }: Frame, name: string): string => `${base}/assets/${version}/${name}`
