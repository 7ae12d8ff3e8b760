import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { chromium } from 'playwright-core'
import t from 'tap'
import { createDns } from '#lib/network/dns.ts'
import { Storage } from '#lib/storage/storage.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { dns } from '../../ingress/playback/services.ts'
import { listenTls } from '../../ingress/video/domains/tls.ts'
import { film } from '../media/sources.ts'
import { chromiumArguments, chromiumPath, trouble, videoGets, videoSays, watchedPage } from '../support/browser.ts'
import { type Pebble, startPebble } from '../support/pebble.ts'
import { until } from '../support/until.ts'
import { storeKeys, videoStack } from '../support/video-stack.ts'

/** Puts TLS before a store, as it has in earnest: browsers fetch no pictures over plain HTTP for a page that came over TLS. */
async function behindTls(storeUrl: string, { caFile, keyFile }: Pebble): Promise<string> {
  const [cert, key] = await Promise.all([readFile(caFile), readFile(keyFile)])
  const server = createServer({ cert, key }, (asked, answer) => {
    const passed = request(storeUrl, { method: asked.method, path: asked.url, headers: asked.headers })
    passed.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      pipeline(response, answer).catch(() => {})
    })
    pipeline(asked, passed).catch(() => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('Chromium plays a video on its organisation’s own domain, over TLS', async (t) => {
  const stack = await videoStack(t, { areas: ['directory', 'service'] })
  const pebble = await startPebble(t, Number(new URL(stack.ingress.url).port))
  const publicEndpoint = await behindTls(stack.store.url, pebble)
  const storage = new Storage({ endpoint: stack.store.url, publicEndpoint, ...storeKeys })
  const ingress = await stack.another(stack.db, {
    services: [provide(services.storage, storage), provide(dns, createDns([pebble.dns]))],
  })
  const secure = await listenTls(ingress.app, '127.0.0.1', 0)
  t.teardown(() => secure.close(0))
  await stack.startWorkers(pebble.environment)
  const ask = (asked: string, body?: unknown) => ingress.ask(asked, { key: stack.key, ...(body ? { body } : {}) })

  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p']
  const assetId = await stack.send(await film(join(stack.data, 'a.mp4'), 'testsrc2=s=320x180:r=25:d=4', { codec }))
  const { id, dnsRecord } = (await ask('POST /v1/stream/domains', { hostname: 'watch.example' })).body
  await pebble.name('set-txt', `${dnsRecord.name}.`, { value: dnsRecord.value })
  await ask(`POST /v1/stream/domains/${id}/verify`)
  const isIssued = async () => (await ask(`GET /v1/stream/domains/${id}`)).body.certificate?.state === 'issued'
  await until(isIssued, { timeout: 60_000, what: 'the certificate is issued' })
  await stack.ready(assetId)
  const minted = await ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { host: 'watch.example' })

  const resolves = `--host-resolver-rules=MAP watch.example:443 127.0.0.1:${secure.port}`
  const browser = await chromium.launch({ executablePath: chromiumPath, args: [...chromiumArguments, resolves] })
  t.teardown(() => browser.close())
  // That the certificate is trusted, curl shows elsewhere: this browser does not know the test's authority.
  const { page, hosts, answers, errors } = await watchedPage(await browser.newContext({ ignoreHTTPSErrors: true }))
  await page.goto(minted.body.embedUrl)
  await videoGets(page, 'video.readyState >= 2')
  await videoSays(page, 'video.play()')
  await videoGets(page, 'video.ended')
  t.equal(new URL(page.url()).origin, 'https://watch.example')
  t.ok(Number(await videoSays(page, 'video.getVideoPlaybackQuality().totalVideoFrames')) > 20, 'pictures were shown')
  t.strictSame(hosts, new Set(['watch.example', new URL(publicEndpoint).host]), 'it asks no other host')
  t.strictSame([await trouble(page), errors, answers.filter(({ status }) => status >= 400)], [null, [], []])
})
