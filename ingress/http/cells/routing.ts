import type { IncomingMessage } from 'node:http'
import type { Context, Next } from 'koa'
import { LRUCache } from 'lru-cache'
import type { Cells } from '#lib/cells.ts'
import { Problem, unauthorized, unavailable } from '#lib/errors.ts'
import { hashSecret, looksLikeKey } from '#lib/tokens.ts'
import * as moved from '#sql/account/move/moved.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { CircuitBreaker } from '../database/circuit-breaker.ts'
import { forwardedRequests } from '../metrics.ts'
import { hasBody } from '../request/body.ts'
import type { Client } from '../request/client.ts'
import { findCellReferences } from './candidates.ts'
import { type Hop, keyHeader, maxHops, readHop } from './hop.ts'
import { OtherCellError } from './in-cell.ts'
import { getBearerToken, getNamedCell } from './named.ts'
import { forwardRequest } from './pass-on.ts'
import { type CellConnection, type CellConnectionLimits, openCellConnection } from './passage.ts'

export interface CellOptions {
  cells: Cells
  limits: CellConnectionLimits
}

export interface CellRoutingDependencies {
  db: DatabasePool
  breaker: Pick<CircuitBreaker, 'guard'>
  client: (req: IncomingMessage) => Client
  secret: () => string
  /**
   * Limit for unknown keys. It is shared with the keys of this cell, so clients cannot avoid it with keys of another
   * cell.
   */
  takeUnknown: (ip: string) => () => void
  stopping: AbortSignal
}

export interface CellRouting {
  route(ctx: Context, next: Next): Promise<void>
  client(req: IncomingMessage): Client
  close(): Promise<void>
}

const ttl = 3_000

/**
 * Routes requests by the cell in their key or token. This works even if this cell’s database is unavailable. Only this
 * cell knows which of its organisations have moved, so their requests are forwarded when the move is detected.
 */
export function createCellRouting({ cells, limits }: CellOptions, ground: CellRoutingDependencies): CellRouting {
  const { db, breaker, secret, takeUnknown, stopping } = ground
  const passages = new Map<string, CellConnection>()
  for (const [name, { url }] of cells.byName) {
    if (name !== cells.own) passages.set(name, openCellConnection(name, url, limits))
  }
  const clients = new WeakMap<IncomingMessage, Client>()
  // Keys that the other cell does not know are rejected in this cell too. Keys that it once knew are always forwarded,
  // whatever other clients of the network send.
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl })
  const proven = new LRUCache<string, true>({ max: 10_000 })
  const arrived = new LRUCache<string, true>({ max: 10_000 })
  const moves = new LRUCache<string, { cell: string | null }>({ max: 10_000, ttl })

  const client = (req: IncomingMessage): Client => clients.get(req) ?? ground.client(req)

  async function pass(ctx: Context, cell: string): ReturnType<typeof forwardRequest> {
    const n = ((ctx.state.hop as Hop | undefined)?.n ?? 0) + 1
    const passage = passages.get(cell)
    if (!passage || n > maxHops)
      throw unavailable('The cell of this organisation is temporarily unreachable.', 5, { cell })
    try {
      const word = await forwardRequest(ctx, passage, { client: client(ctx.req), n, secret: secret(), stopping })
      forwardedRequests.inc({ cell, outcome: 'answered' })
      return word
    } catch (error) {
      forwardedRequests.inc({ cell, outcome: error instanceof Problem && error.status === 503 ? 'away' : 'gone' })
      throw error
    }
  }

  /**
   * Forwards a request whose key names another cell. If that cell does not know the key, the request counts towards the
   * limit for unknown keys in this cell.
   */
  async function passKey(ctx: Context, cell: string, hash: string): Promise<void> {
    if (unknown.has(hash)) throw unauthorized('This API key is unknown or revoked.')
    const giveBack = proven.has(hash) ? undefined : takeUnknown(client(ctx.req).ip)
    try {
      const word = await pass(ctx, cell)
      if (word === 'unknown') {
        unknown.set(hash, true)
        proven.delete(hash)
      } else if (word === 'known') {
        proven.set(hash, true)
        giveBack?.()
      }
    } catch (error) {
      // If the client disconnects, its token is not given back, because the other cell had the same work.
      if (error instanceof Problem && error.status === 503) giveBack?.()
      throw error
    }
  }

  async function movedTo(ctx: Context): Promise<string | undefined> {
    const references = findCellReferences(ctx, client(ctx.req).host)
    if (references.length === 0) return undefined
    const name = JSON.stringify(references)
    let found = moves.get(name)
    if (!found) {
      const cell = await breaker.guard(() => moved.findCellOfAny(db, references)).catch(() => undefined)
      if (cell === undefined) return undefined
      found = { cell }
      moves.set(name, found)
    }
    return found.cell ?? undefined
  }

  async function answerHere(ctx: Context, next: Next): Promise<unknown> {
    try {
      return await next()
    } catch (error) {
      if (error instanceof OtherCellError) return await pass(ctx, error.cell)
      const cell = isForeign(ctx, error) ? await movedTo(ctx) : undefined
      if (cell === undefined) throw error
      return await pass(ctx, cell)
    }
  }

  function read(ctx: Context) {
    const bearer = getBearerToken(ctx)
    const hash = bearer !== undefined && looksLikeKey(bearer) ? hashSecret(bearer) : undefined
    const named = getNamedCell(ctx)
    const other = named !== cells.own && passages.has(named ?? '') ? named : undefined
    return { bearer, hash, other }
  }

  /**
   * Stores the client that the forwarding cell reports. Returns false if the request comes directly from its client.
   */
  function takeHop(ctx: Context): boolean {
    const hop = readHop(ctx.req, secret)
    if (!hop) return false
    ctx.state.hop = hop
    clients.set(ctx.req, { ip: hop.ip, origin: hop.origin, host: hop.host })
    return true
  }

  async function route(ctx: Context, next: Next): Promise<void> {
    const { bearer, hash, other } = read(ctx)
    const isHop = takeHop(ctx)
    if (!isHop && other !== undefined && !arrived.has(hash ?? '')) {
      await (hash === undefined ? pass(ctx, other) : passKey(ctx, other, hash))
      return
    }
    // Moves are checked before the body is read, because a body that has been read cannot be forwarded.
    const cell = takesPublicBody(ctx, bearer) ? await movedTo(ctx) : undefined
    await (cell === undefined ? answerHere(ctx, next) : pass(ctx, cell))
    if (isHop && other && ctx.response.get(keyHeader) === 'known') arrived.set(hash ?? '', true)
  }

  return {
    route,
    client,
    async close() {
      await Promise.all([...passages.values()].map((passage) => passage.close()))
    },
  }
}

const takesPublicBody = ({ req }: Context, bearer: string | undefined): boolean => bearer === undefined && hasBody(req)

function isForeign({ req, state }: Context, error: unknown): boolean {
  if (!(error instanceof Problem) || state.caller || !state.operation) return false
  if (hasBody(req) && req.readableDidRead) return false
  return error.status === 404 || (error.status === 401 && state.uploadToken !== undefined)
}
