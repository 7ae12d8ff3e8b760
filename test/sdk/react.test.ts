import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { lightPath, startBrowser, watchedPage } from '../support/browser.ts'
import { playableAsset } from '../support/playable-asset.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const run = promisify(execFile)
const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'millrace-react-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
t.setTimeout(180_000)

/** The wrapper as the package has it, compiled with correct and incorrect uses of its types. */
await cp(join(root, 'sdk/node'), folder, { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) })
await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
await writeFile(
  join(folder, 'src/use.ts'),
  `import { createElement, createRef } from 'react'; import { MillPlayer, type MillPlayerElement } from './react.ts'
const ref = createRef<MillPlayerElement>()
export const player = createElement(MillPlayer, { ref, baseUrl: 'x', playbackId: 'y', onTime: ({ time }) => time.toFixed() })
export const state = ref.current?.state().duration?.toFixed()
// @ts-expect-error: no base URL
createElement(MillPlayer, { token: 'x' })
// @ts-expect-error: the token is a string
createElement(MillPlayer, { baseUrl: 'x', token: 7 })
// @ts-expect-error: the event has no such field
createElement(MillPlayer, { baseUrl: 'x', onTime: ({ tempo }) => tempo })
// @ts-expect-error: volumes are numbers
ref.current?.setVolume('loud')
`,
)
await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder, '--outDir', join(folder, 'dist/esm')], { cwd: folder })
const built = (name: string) => join(folder, 'dist/esm', name)

t.test('a server renders the element with its attributes, and needs no browser', async (t) => {
  const { MillPlayer } = await import(pathToFileURL(built('react.js')).href)
  const { createElement } = require('react')
  const { renderToString } = require('react-dom/server')
  const html = renderToString(
    createElement(MillPlayer, {
      baseUrl: 'https://video.example.com/v1',
      token: 'a"b',
      title: 'Steam',
      muted: true,
      loop: false,
      start: 5,
      controls: true,
      keys: false,
      speeds: [1, 2],
      resume: 'ann',
      cast: true,
      transcript: 'open',
      className: 'wide',
      style: { maxWidth: 960 },
      chapters: [{ start: 0, title: 'x' }],
      onReady: () => {},
    }),
  )
  t.equal(
    html,
    '<mill-player class="wide" style="max-width:960px" token="a&quot;b" title="Steam" muted="" start="5" speeds="1 2" cast="" keys="none" resume="ann" transcript="open"></mill-player>',
  )
})

const page = (
  base: string,
  assetId: string,
) => `<!doctype html><html lang="en"><title>React</title><link rel="icon" href="data:,">
<script src="/react.js"></script><script src="/react-dom.js"></script>
<script type="importmap">{ "imports": { "react": "/shim.js" } }</script>
<main id="root"></main>
<script type="module">
import { MillPlayer } from '/dist/react.js'
const { createElement: h, createRef, StrictMode } = React
window.said = []
window.player = createRef()
const root = ReactDOM.createRoot(document.getElementById('root'))
window.show = (props) => root.render(h(StrictMode, null, props && h(MillPlayer, { ref: player, baseUrl: '${base}', playbackId: '${assetId}', ...props })))
const note = (name) => (detail) => said.push([name, detail])
window.first = { title: 'Steam', muted: true, chapters: [{ start: 0, title: 'Fire' }], onVolume: note('volume'), onError: note('error') }
window.note = note
show(first)
</script>`

t.test(
  'React shows it in Chromium: attributes, chapters, events, ref, changes and removal',
  { skip: existsSync(lightPath) ? false : 'Chromium is missing' },
  async (t) => {
    const stack = await videoStack(t)
    const { id } = await playableAsset(stack.db, stack.orgId)
    await stack.ask(`PATCH /v1/stream/assets/${id}`, { body: { visibility: 'unlisted' } })
    const files: Record<string, string> = {
      '/react.js': join(dirname(require.resolve('react')), 'umd/react.development.js'),
      '/react-dom.js': join(dirname(require.resolve('react-dom')), 'umd/react-dom.development.js'),
      '/dist/react.js': built('react.js'),
      '/dist/player.js': built('player.js'),
    }
    const shim =
      'const { createElement, forwardRef, useEffect, useImperativeHandle, useRef } = React\nexport { createElement, forwardRef, useEffect, useImperativeHandle, useRef }\n'
    const site = createServer(async ({ url = '/' }, response) => {
      const file = files[url]
      response.setHeader('content-type', url === '/' ? 'text/html' : 'text/javascript')
      response.end(file ? await readFile(file) : url === '/shim.js' ? shim : page(stack.ingress.url, id))
    })
    site.listen(0, '127.0.0.1')
    await once(site, 'listening')
    t.teardown(() => site.close())
    const browser = await startBrowser(t)
    const { page: tab, errors } = await watchedPage(browser)
    await tab.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
    await tab.getByRole('heading', { name: 'Steam' }).waitFor()
    t.equal(
      await tab.evaluate('document.querySelectorAll("script[src$=\'mill-player.js\']").length'),
      1,
      'once, in strict mode too',
    )
    t.equal(await tab.evaluate("player.current === document.querySelector('mill-player')"), true)
    await until(() => tab.evaluate("player.current.shadowRoot.getElementById('chapters').textContent === 'Fire'"))
    t.equal(await tab.evaluate('player.current.video.muted'), true)
    await tab.evaluate('player.current.setVolume(0.5)')
    await until(() => tab.evaluate("said.some(([name, { volume }]) => name === 'volume' && volume === 0.5)"))
    await tab.evaluate("show({ ...first, title: 'Coal', muted: false, onVolume: note('newer') })")
    await tab.getByRole('heading', { name: 'Coal' }).waitFor()
    t.equal(await tab.evaluate('player.current.video.muted'), false)
    await tab.evaluate('said.length = 0, player.current.setVolume(0.25)')
    await until(() => tab.evaluate("said.some(([name]) => name === 'newer')"))
    t.equal(await tab.evaluate("said.filter(([name]) => name === 'volume').length"), 0, 'the handler of now')
    await tab.evaluate('show(null)')
    await until(() => tab.evaluate('player.current === null'))
    t.strictSame(
      errors.filter((text) => !/React DevTools|404|403|stream\/open/.test(text)),
      [],
    )
    await tab.close()
  },
)
