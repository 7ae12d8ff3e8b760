import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Scope } from '../support/postgres.ts'

/** A proxy before an origin that tells what is asked of it. */
export interface CountingProxy {
  url: string
  /** Path and query of every request, in order. */
  asked: string[]
  /** Path and query of those that were neither answered nor given up yet. */
  open: Set<{ url: string }>
}

/** Starts a proxy before an origin; it ends with the test. */
export async function countingProxy(t: Scope, origin: string): Promise<CountingProxy> {
  const proxy: CountingProxy = { url: '', asked: [], open: new Set() }
  const server = createServer(({ method, url = '/', headers }, response) => {
    const one = { url }
    proxy.asked.push(url)
    proxy.open.add(one)
    const passed = request(`${origin}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    passed.end()
    response.on('close', () => {
      proxy.open.delete(one)
      passed.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
  })
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
