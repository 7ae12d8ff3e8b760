import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server outside the platform. Its effects cannot be rolled back by a transaction. */
export interface ThirdParty {
  url: string
  readonly effects: ReadonlyMap<string, number>
}

/**
 * One in this many items has its effect but gets 503, and another one is disconnected without a response. This happens
 * once each.
 */
const every = 25

export async function openThirdParty(host: string, ends: AsyncDisposableStack): Promise<ThirdParty> {
  const effects = new Map<string, number>()
  const server = createServer((req, res) => {
    const id = req.url?.split('/').at(-1) ?? ''
    const before = effects.get(id) ?? 0
    effects.set(id, before + 1)
    req.resume()
    const place = before === 0 ? effects.size % every : undefined
    if (place === 0) res.writeHead(503).end()
    else if (place === 1) req.socket.destroy()
    else res.writeHead(204).end()
  })
  server.listen(0, host)
  await once(server, 'listening')
  ends.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://${host}:${(server.address() as AddressInfo).port}/effects`, effects }
}
