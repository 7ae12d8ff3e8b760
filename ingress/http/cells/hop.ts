import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { signToken, verifyToken } from '#lib/tokens.ts'
import type { Client } from '../request/client.ts'

/** The header by which a cell says for whom it passes a request on; from anybody else it is nothing. */
export const hopHeader = 'millrace-hop'

/** The header of the answer by which the next cell says whether it knows the key; it goes no further. */
export const keyHeader = 'millrace-key'

/** How often a request is passed on at most: from where it came in to the cell it names, and to where that has moved. */
export const maxHops = 3

const purpose = 'cell hop'

/** Seconds for which a hop is believed: as far as two hosts' clocks may be apart. */
const believedSeconds = 60

const Hop = z.object({
  /** How often the request was passed on, this time included. */
  n: z.int().min(1).max(maxHops),
  ip: z.string(),
  origin: z.string(),
  host: z.string(),
  /** What it is good for, so that one that is seen cannot be put on another request. */
  on: z.string(),
})

/** What a cell says of a request that it passes on. */
export type Hop = z.infer<typeof Hop>

const on = (req: IncomingMessage): string => `${req.method} ${req.url}`

/** The header's value for a request that is passed on for the `n`th time. */
export function sealHop(req: IncomingMessage, client: Client, n: number, secret: string): string {
  const exp = Math.floor(Date.now() / 1000) + believedSeconds
  return signToken(purpose, { n, ...client, on: on(req), exp }, secret)
}

/** What another cell says of a request; undefined where none of ours has passed it on. */
export function readHop(req: IncomingMessage, secret: () => string): Hop | undefined {
  const given = req.headers[hopHeader]
  if (typeof given !== 'string') return undefined
  const hop = verifyToken(purpose, given, secret(), Hop)
  return hop?.on === on(req) ? hop : undefined
}
