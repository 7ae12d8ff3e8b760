import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createOutboundClient, type OutboundClient } from '#lib/http.ts'
import { createTrust } from '../../workers/push/servers.ts'
import type { Scope } from '../support/postgres.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'

/** What the keeper of registers answers. */
export type Answer = string | Buffer | ((req: IncomingMessage, res: ServerResponse) => void)

/** A keeper of registers on loopback, over TLS. */
export interface Keeper {
  url: string
  /** What it was asked for, in order. */
  seen: IncomingMessage[]
  /** What it answers at a path. */
  at: Record<string, Answer>
  /** A client that trusts it. */
  outbound: OutboundClient
  /** The settings of workers that trust it. */
  environment: Record<string, string>
}

/** Starts a keeper that knows entity tags: of bytes it has answered, it answers 304 to who has them. */
export async function startKeeper(t: Scope): Promise<Keeper> {
  const certificate = await makeCertificate(t)
  const outbound = createOutboundClient({ allowed: ['127.0.0.1'], secureContext: createTrust(certificate.cert) })
  const environment = { OUTBOUND_ALLOWED: '127.0.0.1', NODE_EXTRA_CA_CERTS: certificate.caFile }
  const keeper: Keeper = { url: '', seen: [], at: {}, outbound, environment }
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (req, res) => {
    keeper.seen.push(req)
    const answer = keeper.at[(req.url ?? '').split('?')[0]?.slice(1) ?? '']
    if (answer === undefined) return res.writeHead(404).end()
    if (typeof answer === 'function') return answer(req, res)
    const etag = `"${Buffer.from(answer).length}-${Buffer.from(answer).toString('base64url').slice(-12)}"`
    if (req.headers['if-none-match'] === etag) return res.writeHead(304).end()
    res.writeHead(200, { etag, 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    await outbound.close()
    server.closeAllConnections()
    server.close()
  })
  keeper.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return keeper
}
