import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { forbidden, Problem, unauthorized } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { createNetworkMatcher } from '#lib/network/network.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import { hashSecret, looksLikeKey } from '#lib/tokens.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as moved from '#sql/account/move/moved.ts'
import type { DatabasePool } from '#sql/db.ts'
import { testKeyRefusal } from '#tasks/account/rules/ask-key.ts'
import { findRefusingLock, lockRefusal } from '#tasks/account/rules/locks.ts'
import { findMissing } from '#tasks/account/rules/scopes.ts'
import type { Operation } from './area.ts'
import { keyHeader } from './cells/hop.ts'
import { OtherCellError } from './cells/in-cell.ts'
import { createUnknownKeyLimit } from './limits/unknown-keys.ts'
import { organisationClosed, organisationMoving } from './problem-kinds.ts'
import { checkUploadToken, type UploadToken } from './upload-tokens.ts'

export interface Auth {
  /** Returns the key, organisation and plan of a request. Throws 401 or 403, or 429 if the network tries many keys. */
  check(ctx: Context, operation: Operation, ip: string): Promise<keys.Caller>
  /**
   * Returns the caller that started the upload of an upload token. Throws 401 if the caller’s key is revoked, and 403
   * if the key is not allowed to call the operation.
   */
  checkUpload(ctx: Context, operation: Operation, token: UploadToken): Promise<keys.Caller>
  forget(keyId: string | undefined): void
  flush(): Promise<void>
}

/**
 * Time to live of a cached key in milliseconds. A revoked key stops working on every process within this time and one
 * query.
 */
export const cacheMs = 3_000

const touchEveryMs = 60_000

const movingMs = 300

export interface AuthOptions {
  takeUnknown?: (ip: string) => () => void
  cells?: boolean
  /** Called before a key is cached. From then on, the process receives changes of keys. */
  follow?: () => void
}

/**
 * Authenticates with keys from the database. Each key is looked up at most once in `ttl` milliseconds, regardless of
 * the number of requests.
 */
export function createAuth(
  db: DatabasePool,
  ttl = cacheMs,
  { takeUnknown = createUnknownKeyLimit(), cells = false, follow = () => {} }: AuthOptions = {},
): Auth {
  const known = new LRUCache<string, keys.Caller>({ max: 10_000, ttl })
  // Unknown keys have a separate cache, so that many of them do not remove valid keys from the cache.
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl })
  // Keys that were valid once are looked up even if other clients of the network try unknown keys.
  const proven = new LRUCache<string, true>({ max: 10_000 })
  const left = new LRUCache<string, string>({ max: 10_000, ttl })
  // A move takes little time. Requests that wait for its end must not get the state before it from the cache.
  const ttlOf = ({ org }: keys.Caller) => ({ ttl: org.moving ? Math.min(ttl, movingMs) : ttl })
  const lookups = new SingleFlight<keys.Caller | null>()
  const holders = new LRUCache<string, keys.Caller>({ max: 10_000, ttl })
  const used = new Map<string, Date>()
  // Number of key changes. Data that was read before a key changed is not cached after the change.
  let forgotten = 0

  async function ask(hash: string, giveBack: (() => void) | undefined): Promise<keys.Caller | null> {
    try {
      follow()
      const before = forgotten
      const caller = await keys.findPresented(db, hash)
      if (caller) {
        if (before === forgotten) known.set(hash, caller, ttlOf(caller))
        if (!caller.key.proven && !keys.isExpired(caller)) await begin(caller)
        proven.set(hash, true)
        giveBack?.()
        return caller
      }
      const cell = cells ? await moved.findCell(db, 'key', hash) : null
      if (cell !== null) {
        left.set(hash, cell)
        giveBack?.()
      } else {
        unknown.set(hash, true)
        proven.delete(hash)
      }
      return null
    } catch (error) {
      giveBack?.()
      throw error
    }
  }

  /** If the first use of the key cannot be recorded now, it is recorded at the key’s next lookup. */
  async function begin({ key }: keys.Caller): Promise<void> {
    await secrets
      .begin(db, key.secret_id)
      .catch((err) => log.warn({ err }, 'the first use of a secret could not be recorded'))
  }

  function find(hash: string, ip: string): keys.Caller | null | Promise<keys.Caller | null> {
    const caller = known.get(hash)
    if (caller) return caller
    if (unknown.has(hash) || left.has(hash)) return null
    return lookups.share(hash, () => ask(hash, proven.has(hash) ? undefined : takeUnknown(ip)))
  }

  async function holderOf(keyId: string): Promise<keys.Caller | undefined> {
    const cached = holders.get(keyId)
    if (cached) return cached
    return (await lookups.share(keyId, () => askHolder(keyId))) ?? undefined
  }

  async function askHolder(keyId: string): Promise<keys.Caller | null> {
    follow()
    const before = forgotten
    const caller = await keys.findHolder(db, keyId)
    if (caller && before === forgotten) holders.set(keyId, caller, ttlOf(caller))
    return caller
  }

  function forget(keyId: string | undefined): void {
    forgotten += 1
    if (keyId === undefined) {
      known.clear()
      holders.clear()
      return
    }
    holders.delete(keyId)
    for (const [hash, { key }] of known.entries()) {
      if (key.id === keyId || key.makers.some(({ id }) => id === keyId)) known.delete(hash)
    }
  }

  /**
   * Throws if the organisation has moved to another cell. This information comes from its key or, if its rows are
   * already deleted, from the cache.
   */
  function demandHere(caller: keys.Caller | null, gone: string | undefined): void {
    const cell = caller ? caller.org.moved : gone
    if (cells && cell) throw new OtherCellError(cell)
  }

  async function flush(): Promise<void> {
    const uses = new Map(used)
    used.clear()
    await secrets.touchAll(db, uses).catch((err) => log.warn({ err }, 'the last use of keys could not be recorded'))
  }

  let touched = Date.now()
  return {
    async check(ctx, operation, ip) {
      const secret = secretOf(ctx, operation.area.platform)
      const hash = hashSecret(secret)
      const caller = await find(hash, ip)
      demandHere(caller, left.get(hash))
      if (ctx.state.hop) ctx.set(keyHeader, caller ? 'known' : 'unknown')
      if (!caller) throw unauthorized('This API key is unknown or revoked.')
      ctx.state.caller = caller
      demandCurrent(caller)
      requireAllowedNetwork(caller, ip)
      if (caller.org.moving) throw organisationMoving()
      if (caller.org.closing)
        throw organisationClosed('This organisation is closed. An owner can cancel the closure for a few days.')
      checkScope(caller, operation)
      checkOrigin(ctx, caller)
      const now = Date.now()
      if (!used.has(caller.key.secret_id)) used.set(caller.key.secret_id, new Date(now))
      if (now - touched > touchEveryMs) {
        touched = now
        void flush()
      }
      return caller
    },
    async checkUpload(ctx, { route }, token) {
      checkUploadToken(ctx, token, route.uploadToken as string)
      const caller = await holderOf(token.key_id)
      if (!caller)
        throw unauthorized('This upload token has expired because the API key that started the upload was revoked.')
      demandHere(caller, undefined)
      if (caller.org.moving) throw organisationMoving()
      ctx.state.caller = caller
      return caller
    },
    forget,
    flush,
  }
}

function secretOf(ctx: Context, platform: boolean): string {
  const bearer = /^bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1]
  const secret = bearer ?? (platform ? ctx.get('x-api-key').trim() : '')
  if (secret === '') {
    const also = platform ? ' or `x-api-key: <key>`' : ''
    throw unauthorized(`An API key is required. Send it as \`Authorization: Bearer <key>\`${also}.`)
  }
  if (!looksLikeKey(secret))
    throw unauthorized('This is not a Millrace API key. API keys start with a prefix such as `bt_live_`.')
  return secret
}

/**
 * Throws 403 if the key does not have the scopes of the operation, or if the key’s mode or locks do not allow the
 * operation.
 */
export function checkScope({ key }: keys.Caller, { route }: Operation): void {
  if (key.prefix === 'bt_site_' && !route.site) {
    throw forbidden('Public keys cannot call this operation. Call it from your server with a server key.')
  }
  const [scope] = findMissing(key.scopes, route.scope ?? [])
  if (scope) throw forbidden(`This API key does not have the \`${scope}\` scope.`)
  if (key.mode === 'test' && !route.testKeys) throw forbidden(testKeyRefusal)
  const lock = findRefusingLock(key.locks, route.locks)
  if (lock) throw forbidden(lockRefusal(lock))
}

/** Checked for each request, because a cached caller can have expired. */
function demandCurrent(caller: keys.Caller): void {
  const { expires_at } = caller.key
  if (expires_at === null || !keys.isExpired(caller)) return
  const at = new Date(expires_at).toISOString()
  throw new Problem(401, 'key_expired', `This API key, or this secret of the key, expired at ${at}.`)
}

const networks = new WeakMap<keys.Caller, (ip: string) => boolean>()

/** Throws 403 if the key is restricted to networks and the client’s IP address is in none of them. */
export function requireAllowedNetwork(caller: keys.Caller, ip: string): void {
  if (!caller.key.networks) return
  const isAllowed = networks.get(caller) ?? createNetworkMatcher(caller.key.networks)
  networks.set(caller, isAllowed)
  if (!isAllowed(ip)) throw forbidden(`This API key cannot be used from ${ip}. It is restricted to certain networks.`)
}

/**
 * Throws 403 if the key is restricted to origins and the request comes from another one. Clients that are not browsers
 * send no `Origin`.
 */
function checkOrigin(ctx: Context, { key }: keys.Caller): void {
  const origins = key.locks.origins
  const origin = ctx.get('origin')
  if (origins && origin !== '' && !origins.includes(origin)) {
    throw forbidden(`This API key cannot be used on ${origin}.`)
  }
}
