import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import { forbidden, Problem, unauthorized } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { within } from '#lib/network.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import { hashSecret, looksLikeKey } from '#lib/tokens.ts'
import * as secrets from '#sql/account/key-secrets.ts'
import * as keys from '#sql/account/keys.ts'
import * as moved from '#sql/account/moved.ts'
import type { DatabasePool } from '#sql/db.ts'
import { testKeyRefusal } from '#tasks/account/rules/ask-key.ts'
import { lockRefusal, refusingLock } from '#tasks/account/rules/locks.ts'
import { missingOf } from '#tasks/account/rules/scopes.ts'
import type { Operation } from './area.ts'
import { keyHeader } from './cells/hop.ts'
import { InCell } from './cells/in-cell.ts'
import { createUnknownKeyLimit } from './limits/unknown-keys.ts'
import { organisationClosed, organisationMoving } from './problem-kinds.ts'
import { checkUploadToken, type UploadToken } from './upload-tokens.ts'

/** Tells who asks. */
export interface Auth {
  /** The key, organisation and plan behind a request to the operation; throws 401, 403, and 429 to who tries many keys. */
  check(ctx: Context, operation: Operation, ip: string): Promise<keys.Caller>
  /** Who has started the upload whose token a request carries; throws 401, when their key is revoked, and 403. */
  checkUpload(ctx: Context, operation: Operation, token: UploadToken): Promise<keys.Caller>
  /** Forgets what is remembered of a key, or of all. */
  forget(keyId: string | undefined): void
  /** Writes down when keys were last used. */
  flush(): Promise<void>
}

/** How long a looked-up key is believed: a revoked one stops on every process within this and one query. */
export const cacheMs = 3_000

const touchEveryMs = 60_000

/** The same of an organisation that is being moved. */
const movingMs = 300

/** How keys are told apart from those of other cells. */
export interface AuthOptions {
  takeUnknown?: (ip: string) => () => void
  /** Whether there are other cells, to which an organisation may have moved. */
  cells?: boolean
  /** Called before a key is remembered: whoever has it forgotten must hear of changes from then on. */
  follow?: () => void
}

/** Looks keys up in the database, each at most once in `ttl` milliseconds however many requests carry it. */
export function createAuth(
  db: DatabasePool,
  ttl = cacheMs,
  { takeUnknown = createUnknownKeyLimit(), cells = false, follow = () => {} }: AuthOptions = {},
): Auth {
  const known = new LRUCache<string, keys.Caller>({ max: 10_000, ttl })
  // Apart, so that a flood of made-up keys does not push out real ones.
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl })
  // A key that was good once is asked for again whatever others of its network try.
  const proven = new LRUCache<string, true>({ max: 10_000 })
  // Keys whose organisation has moved, and where to.
  const left = new LRUCache<string, string>({ max: 10_000, ttl })
  // The pause of a move is short, and who waits for its end is not to wait for what was true in it.
  const ttlOf = ({ org }: keys.Caller) => ({ ttl: org.moving ? Math.min(ttl, movingMs) : ttl })
  const lookups = new SingleFlight<keys.Caller | null>()
  const holders = new LRUCache<string, keys.Caller>({ max: 10_000, ttl })
  const used = new Map<string, Date>()
  // What was read before a key changed is not remembered after it.
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
      const cell = cells ? await moved.cellOf(db, 'key', hash) : null
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

  /** A first use that cannot be noted now is noted when the key is looked up again. */
  async function begin({ key }: keys.Caller): Promise<void> {
    await secrets.begin(db, key.secret_id).catch((err) => log.warn({ err }, 'could not note the first use of a secret'))
  }

  function find(hash: string, ip: string): keys.Caller | null | Promise<keys.Caller | null> {
    const caller = known.get(hash)
    if (caller) return caller
    if (unknown.has(hash) || left.has(hash)) return null
    return lookups.share(hash, () => ask(hash, proven.has(hash) ? undefined : takeUnknown(ip)))
  }

  /** Who holds a key that is named, not shown; undefined once it is revoked. */
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

  /** Throws where the organisation has moved: what was told of its key, or what is known where its rows are gone. */
  function demandHere(caller: keys.Caller | null, gone: string | undefined): void {
    const cell = caller ? caller.org.moved : gone
    if (cells && cell) throw new InCell(cell)
  }

  async function flush(): Promise<void> {
    const uses = new Map(used)
    used.clear()
    await secrets.touchAll(db, uses).catch((err) => log.warn({ err }, 'could not note when keys were used'))
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
      demandNetwork(caller, ip)
      if (caller.org.moving) throw organisationMoving()
      if (caller.org.closing)
        throw organisationClosed('This organisation is closed; an owner can take that back for some days.')
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
      if (!caller) throw unauthorized('This upload token is over: the key that started its upload is revoked.')
      demandHere(caller, undefined)
      if (caller.org.moving) throw organisationMoving()
      ctx.state.caller = caller
      return caller
    },
    forget,
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

/** Throws 403 unless the key carries what the operation asks for, and its mode and locks leave it that operation. */
export function checkScope({ key }: keys.Caller, { route }: Operation): void {
  if (key.prefix === 'bt_site_' && !route.site) {
    throw forbidden('A public key may not do this; call it from a server with a server key.')
  }
  const [scope] = missingOf(key.scopes, route.scope ?? [])
  if (scope) throw forbidden(`This key lacks the scope \`${scope}\`.`)
  if (key.mode === 'test' && !route.testKeys) throw forbidden(testKeyRefusal)
  const lock = refusingLock(key.locks, route.locks)
  if (lock) throw forbidden(lockRefusal(lock))
}

/** Asked of each request: a caller that is remembered may have ended since. */
function demandCurrent(caller: keys.Caller): void {
  const { expires_at } = caller.key
  if (expires_at === null || !keys.isExpired(caller)) return
  const at = new Date(expires_at).toISOString()
  throw new Problem(401, 'key_expired', `This API key, or this secret of it, expired at ${at}.`)
}

const networks = new WeakMap<keys.Caller, (ip: string) => boolean>()

/** Throws 403 for a key that is good in some networks only, when the client is in none of them. */
export function demandNetwork(caller: keys.Caller, ip: string): void {
  if (!caller.key.networks) return
  const isAllowed = networks.get(caller) ?? within(caller.key.networks)
  networks.set(caller, isAllowed)
  if (!isAllowed(ip)) throw forbidden(`This key may not be used from ${ip}: it is bound to networks.`)
}

/** A key that is locked to origins is good for pages of those only; what is no page sends no `Origin`. */
function checkOrigin(ctx: Context, { key }: keys.Caller): void {
  const origins = key.locks.origins
  const origin = ctx.get('origin')
  if (origins && origin !== '' && !origins.includes(origin)) {
    throw forbidden(`This key may not be used on ${origin}.`)
  }
}
