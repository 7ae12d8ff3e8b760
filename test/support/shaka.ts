import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Scope } from './postgres.ts'

const script = createRequire(import.meta.url).resolve('shaka-player/dist/shaka-player.compiled-es2021.js')

/** Plays `window.source`. The player’s errors are in `window.complaints`. */
const play = `
window.complaints = []
shaka.polyfill.installAll()
const player = window.player = new shaka.Player()
player.addEventListener('error', ({ detail }) => complaints.push(String(detail)))
const source = new URLSearchParams(location.search).get('source')
player.attach(document.querySelector('video')).then(() => player.load(source)).catch((error) => complaints.push(String(error)))
`

const page = `<!doctype html><title>Another player</title><link rel="icon" href="data:,"><video muted></video>
<script src="/shaka.js"></script><script>${play}</script>`

/** Starts a site with a separate origin that plays the HLS of `?source=` with Shaka Player. Returns its URL. */
export async function shakaSite(t: Scope): Promise<string> {
  const player = await readFile(script)
  const site = createServer((request, response) => {
    const isScript = request.url === '/shaka.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? player : page)
  })
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.teardown(async () => {
    site.close()
    site.closeAllConnections()
  })
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
}
