import type { Context } from 'koa'
import { forbidden, Problem, unauthorized } from '#lib/errors.ts'
import { createNetworkMatcher } from '#lib/network/network.ts'
import { hashSecret, looksLikeKey } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as uploadTokens from '#sql/account/upload-tokens.ts'
import type { DatabasePool } from '#sql/db.ts'
import { testKeyRefusal } from '#tasks/account/rules/ask-key.ts'
import { findRefusingLock, lockRefusal } from '#tasks/account/rules/locks.ts'
import { findMissing } from '#tasks/account/rules/scopes.ts'
import type { Operation } from './area.ts'
import { keyHeader } from './cells/hop.ts'
import { OtherCellError } from './cells/in-cell.ts'
import { KeyLookup, type KeyLookupOptions } from './key-lookup.ts'
import { KeyUses } from './key-uses.ts'
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

/**
 * Authenticates with keys from the database. A revoked key can stay valid for up to `ttl` milliseconds and one query.
 */
export function createAuth(db: DatabasePool, ttl: number, options: KeyLookupOptions): Auth {
  const lookup = new KeyLookup(db, ttl, options)
  const uses = new KeyUses(db)

  /**
   * Throws if the organisation has moved to another cell. This information comes from its key or, if its rows are
   * already deleted, from the cache.
   */
  function demandHere(caller: keys.Caller | null, gone: string | undefined): void {
    const cell = caller ? caller.org.moved : gone
    if (options.cells && cell) throw new OtherCellError(cell)
  }

  return {
    async check(ctx, operation, ip) {
      const hash = hashSecret(secretOf(ctx, operation.area.platform))
      const caller = await lookup.find(hash, ip)
      demandHere(caller, lookup.cellOf(hash))
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
      uses.note(caller.key.secret_id)
      return caller
    },
    async checkUpload(ctx, { route }, token) {
      checkUploadToken(ctx, token, route)
      const caller = await lookup.findHolder(token.key_id)
      if (!caller)
        throw unauthorized('This upload token has expired because the API key that started the upload was revoked.')
      demandHere(caller, undefined)
      if (caller.org.moving) throw organisationMoving()
      if (token.start_id && (await uploadTokens.isRevoked(db, token.start_id)))
        throw unauthorized('This upload token has been revoked.')
      ctx.state.caller = caller
      return caller
    },
    forget: (keyId) => lookup.forget(keyId),
    flush: () => uses.flush(),
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
