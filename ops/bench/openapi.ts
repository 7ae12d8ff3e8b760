import { once } from 'node:events'
import { createServer, get, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { areas } from '../../ingress/areas.ts'
import { createDocuments } from '../../ingress/http/openapi/document.ts'
import { type Benchmark, median } from './benchmark.ts'

const headers = { 'accept-encoding': 'gzip, deflate, br' }

/** What the document of all areas takes, beside the same bytes from a bare server. */
export const openapi: Benchmark = {
  summary: 'what the OpenAPI document of all areas takes, beside the same bytes from a bare server',
  options: { requests: { about: 'requests of each measurement', default: 300 } },
  async run({ requests = 300 }, ends) {
    const documents = createDocuments(areas)
    const product = await serve(new Koa().use(async (ctx) => await documents.send(ctx)).callback(), ends)
    const first = await ask(product)
    const bare = await serve((_, res) => res.end(first.body), ends)
    const found = { bare: [] as number[], product: [] as number[] }
    for (let i = 0; i < requests; i++) {
      found.bare.push((await ask(bare)).ms)
      found.product.push((await ask(product)).ms)
    }
    return {
      comparisons: [
        {
          what: 'p50 of the OpenAPI document, beside the same bytes',
          unit: 'ms',
          limit: median(found.bare),
          product: median(found.product),
          demand: { productAtMost: 2 },
        },
      ],
      notes: [`${first.body.length} bytes; the first request, which makes it, took ${first.ms.toFixed(0)} ms`],
      rounds: found,
    }
  },
}

/** Listens on a port of its own until the benchmark ends. */
async function serve(listener: RequestListener, ends: AsyncDisposableStack): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

async function ask(port: number): Promise<{ ms: number; body: Buffer }> {
  const begun = performance.now()
  const [answered] = await once(get({ port, host: '127.0.0.1', headers }), 'response')
  const body = Buffer.concat(await answered.toArray())
  return { ms: performance.now() - begun, body }
}
