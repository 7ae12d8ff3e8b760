import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { signToken, verifyToken } from '#lib/tokens.ts'
import type { Client } from '../request/client.ts'

/**
 * Request header in which a cell identifies the client of a forwarded request. The header is ignored if another sender
 * sets it.
 */
export const hopHeader = 'millrace-hop'

/**
 * Response header in which a cell reports whether it knows the key. It is removed before the response is sent to the
 * client.
 */
export const keyHeader = 'millrace-key'

/**
 * Maximum number of times a request is forwarded. It is forwarded from the first cell to the cell of the key, and from
 * there to the cell of a moved organisation.
 */
export const maxHops = 3

const purpose = 'cell hop'

const believedSeconds = 60

const Hop = z.object({
  n: z.int().min(1).max(maxHops),
  ip: z.string(),
  origin: z.string(),
  host: z.string(),
  /** Identifies the request, so that the header cannot be used for another request. */
  on: z.string(),
})

export type Hop = z.infer<typeof Hop>

const on = (req: IncomingMessage): string => `${req.method} ${req.url}`

export function sealHop(req: IncomingMessage, client: Client, n: number, secret: string): string {
  const exp = Math.floor(Date.now() / 1000) + believedSeconds
  return signToken(purpose, { n, ...client, on: on(req), exp }, secret)
}

/** Returns the client data from the forwarding cell. Returns undefined if no cell forwarded the request. */
export function readHop(req: IncomingMessage, secret: () => string): Hop | undefined {
  const given = req.headers[hopHeader]
  if (typeof given !== 'string') return undefined
  const hop = verifyToken(purpose, given, secret(), Hop)
  return hop?.on === on(req) ? hop : undefined
}
