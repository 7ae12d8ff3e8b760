import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { chromiumPath, startBrowser } from '../../support/browser.ts'
import { filesStack } from '../../support/files-stack.ts'
import { photo } from './pictures.ts'

/** Exact versions. They are installed here, because together they have 200 MB. */
const packages = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1']

t.setTimeout(600_000)
const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'millrace-next-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund']
const installed = await run('npm', ['install', ...flags, ...packages], { cwd: folder, timeout: 300_000 }).then(
  () => true,
  () => false,
)
const skip = !installed ? 'next could not be installed' : existsSync(chromiumPath) ? false : 'Chromium is missing'

const loader = fileURLToPath(new URL('../../../sdk/node/src/next-image.ts', import.meta.url))

/** Renders `next/image` with the loader of the SDK, as a page of Next.js does. */
async function render(src: string, props: object): Promise<string> {
  const code = `import { createRequire } from 'node:module'
import { imageLoader } from ${JSON.stringify(loader)}
const require = createRequire(import.meta.url)
const { createElement } = require('react')
const { renderToStaticMarkup } = require('react-dom/server')
const Image = require('next/image').default
const props = { loader: imageLoader, alt: 'A photo', src: ${JSON.stringify(src)}, ...${JSON.stringify(props)} }
console.log(renderToStaticMarkup(createElement(Image, props)))`
  await writeFile(join(folder, 'render.mjs'), code)
  return (await run(process.execPath, ['render.mjs'], { cwd: folder })).stdout
}

t.test('next/image renders URLs that answer in the width of each screen', { skip }, async (t) => {
  const { ask, send, settled, base, clamd } = await filesStack(t)
  await base.startWorkers({ CLAMD_SOCKET: clamd.socket }, 'core,scan,images')
  const facts = { filename: 'photo.jpg', content_type: 'image/jpeg' }
  const id = (await send(await photo(4_000, 3_000), facts)).body.object_id as string
  await settled(id)
  await ask(`PATCH /v1/files/objects/${id}`, { body: { visibility: 'public' } })
  const src = `${base.ingress.url}/f/${id}/photo.jpg`
  const html = await render(src, { width: 4_000, height: 3_000, sizes: '100vw', quality: 70 })
  const sources = (/srcSet="([^"]+)"/i.exec(html)?.[1] ?? '').replaceAll('&amp;', '&').split(', ')
  t.ok(sources.length >= 8, html)
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><style>body{margin:0}</style>${html.replace('loading="lazy"', '')}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const browser = await startBrowser(t, chromiumPath)
  for (const [width, deviceScaleFactor] of [
    [640, 1],
    [390, 3],
    [1_920, 1],
  ] as const) {
    const page = await browser.newPage({ viewport: { width, height: 800 }, deviceScaleFactor })
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction('document.images[0].complete && document.images[0].naturalWidth > 0')
    const shown = (await page.evaluate('document.images[0].currentSrc')) as string
    const wanted = Number(new URL(shown).searchParams.get('w'))
    t.ok(wanted >= width * deviceScaleFactor && wanted < 1.7 * width * deviceScaleFactor, `${wanted} for ${width}`)
    const reply = await page.request.get(shown, { headers: { accept: 'image/avif,image/webp,*/*' } })
    t.equal(reply.headers()['content-type'], 'image/avif')
    await page.close()
  }
  for (const source of sources) {
    const [url = '', word = ''] = source.split(' ')
    t.equal((await fetch(url)).status, 200, word)
  }
})
