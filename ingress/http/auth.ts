import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { forbidden, unauthorized } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import { hashSecret, looksLikeKey } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import { included, type Scope } from '#tasks/account/rules/scopes.ts'
import type { Operation } from './area.ts'
import { createUnknownKeyLimit } from './limits/unknown-keys.ts'
import { organisationClosed } from './problem-kinds.ts'

/** Tells who asks. */
export interface Auth {
  /** The key, organisation and plan behind a request to the operation; throws 401, 403, and 429 to who tries many keys. */
  check(ctx: Context, operation: Operation, ip: string): Promise<keys.Caller>
  /** Writes down when keys were last used. */
  flush(): Promise<void>
}

/** How long a looked-up key is believed: a revoked one stops on every process within this and one query. */
export const cacheMs = 3_000

const touchEveryMs = 60_000

/** Looks keys up in the database, each at most once in `ttl` milliseconds however many requests carry it. */
export function createAuth(db: DatabasePool, ttl = cacheMs): Auth {
  const known = new LRUCache<string, keys.Caller>({ max: 10_000, ttl })
  // Apart, so that a flood of made-up keys does not push out real ones.
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl })
  // A key that was good once is asked for again whatever others of its network try.
  const proven = new LRUCache<string, true>({ max: 10_000 })
  const takeUnknown = createUnknownKeyLimit()
  const lookups = new SingleFlight<keys.Caller | null>()
  const used = new Map<string, Date>()

  async function ask(hash: string, giveBack: (() => void) | undefined): Promise<keys.Caller | null> {
    try {
      const caller = await keys.findCaller(db, hash)
      if (caller) {
        known.set(hash, caller)
        proven.set(hash, true)
        giveBack?.()
      } else {
        unknown.set(hash, true)
        proven.delete(hash)
      }
      return caller
    } catch (error) {
      giveBack?.()
      throw error
    }
  }

  function find(hash: string, ip: string): keys.Caller | null | Promise<keys.Caller | null> {
    const caller = known.get(hash)
    if (caller) return caller
    if (unknown.has(hash)) return null
    return lookups.share(hash, () => ask(hash, proven.has(hash) ? undefined : takeUnknown(ip)))
  }

  async function flush(): Promise<void> {
    const uses = new Map(used)
    used.clear()
    await keys.touchAll(db, uses).catch((err) => log.warn({ err }, 'could not note when keys were used'))
  }

  let touched = Date.now()
  return {
    async check(ctx, operation, ip) {
      const secret = secretOf(ctx, operation.area.platform)
      const caller = await find(hashSecret(secret), ip)
      if (!caller) throw unauthorized('This API key is unknown or revoked.')
      if (caller.org.closing)
        throw organisationClosed('This organisation is closed; an owner can take that back for some days.')
      checkScope(caller, operation)
      checkOrigin(ctx, caller)
      const now = Date.now()
      if (!used.has(caller.key.id)) used.set(caller.key.id, new Date(now))
      if (now - touched > touchEveryMs) {
        touched = now
        void flush()
      }
      return caller
    },
    flush,
  }
}

/** The key a request carries. */
function secretOf(ctx: Context, platform: boolean): string {
  const bearer = /^bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1]
  const secret = bearer ?? (platform ? ctx.get('x-api-key').trim() : '')
  if (secret === '') {
    const also = platform ? ' or `x-api-key: <key>`' : ''
    throw unauthorized(`An API key is required: \`Authorization: Bearer <key>\`${also}.`)
  }
  if (!looksLikeKey(secret)) throw unauthorized('This is not an API key of this service.')
  return secret
}

function checkScope({ key }: keys.Caller, { route }: Operation): void {
  if (key.prefix === 'bt_site_' && !route.site) {
    throw forbidden('A public key may not do this; call it from a server with a server key.')
  }
  const needed = typeof route.scope === 'string' ? [route.scope] : (route.scope ?? [])
  const carried = key.scopes.flatMap((scope) => [scope, ...(included[scope as Scope] ?? [])])
  for (const scope of needed) {
    if (!carried.includes(scope)) throw forbidden(`This key lacks the scope \`${scope}\`.`)
  }
}

/** A key that is locked to origins is good for pages of those only; what is no page sends no `Origin`. */
function checkOrigin(ctx: Context, { key }: keys.Caller): void {
  const origins = key.locks.origins
  const origin = ctx.get('origin')
  if (origins && origin !== '' && !origins.includes(origin)) {
    throw forbidden(`This key may not be used on ${origin}.`)
  }
}
