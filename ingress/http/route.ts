/**
 * Terms in ingress:
 *   route      one method and path, declared once: schemas, scope, limits, and handler
 *   operation  a route in its area, with the id `<area>.<resource>.<export>`
 *   area       a base path and its routes
 *   call       one validated request to a route
 */

import type { Context } from 'koa'
import type { z } from 'zod'
import type { Problem } from '#lib/errors.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import type { PresentedJson } from './presented.ts'
import type { RouteFacts } from './route-facts.ts'
import type { CallOf, Declared, HandledCallOf, Idempotency, ReplyOf, Schemas, StoredReplyOf } from './route-types.ts'
import { takesUploadTokens } from './upload-tokens.ts'

export interface Route extends RouteFacts, Omit<Schemas, 'query'> {
  query?: z.ZodObject
  scope?: Scope | readonly Scope[]
  repeats?: (call: never) => Promise<boolean>
  prepare?: (call: never) => Promise<unknown>
  handle?: (call: never) => Promise<unknown>
  commit?: (tx: Db, calls: never) => Promise<readonly unknown[]>
  settle?: (reply: never, call: never) => Promise<unknown>
  follow?: (kept: never, call: never) => Promise<unknown>
  settlesRepeats?: true
}

/**
 * Declares a route. `handle` returns the response body and throws `Problem`s. A `raw` route writes to `ctx` directly.
 * With `idempotent`, `handle` runs in a transaction (`db`) that is repeated after a serialization failure, so it must
 * contain only SQL. Use `prepare` for all other work.
 */
export function route<const D extends Schemas>(
  declaration: Declared<D> & {
    prepare?: never
    /**
     * Returns true if the request repeats an accepted one and adds no job. Called only before a request is rejected
     * because of its backlog.
     */
    repeats?: NoInfer<(call: CallOf<D> & { db: DatabasePool }) => Promise<boolean>>
    // NoInfer keeps the literal types in the result, so that `{ status: 'open' }` matches its enum.
    handle: NoInfer<(call: HandledCallOf<D>) => Promise<ReplyOf<D> | PresentedJson>>
  },
): Route
/**
 * Declares a route with `prepare`, which runs before `handle` and outside its transaction. Its result is passed to
 * `handle` as `prepared`.
 */
export function route<const D extends Schemas, Prepared = unknown>(
  declaration: Declared<D> & {
    raw?: never
    prepare: (call: CallOf<D> & { db: DatabasePool }) => Promise<Prepared>
    handle: (call: HandledCallOf<D> & { prepared: Prepared }) => Promise<ReplyOf<D>>
  },
): Route
export function route(declaration: unknown): Route {
  return checkRoute(declaration as Route)
}

/**
 * Declares a route whose requests are committed together. `commit` writes the rows and jobs of all `calls` in the given
 * transaction, with set-based SQL only. It returns the responses in the same order. A rejected call that has written
 * nothing gets a `Problem`. Responses are sent after the commit. If `commit` throws, each call is tried separately.
 */
export function groupedRoute<const D extends Schemas>(
  declaration: Declared<D> & {
    raw?: never
    prepare?: never
    commit: NoInfer<(tx: Db, calls: readonly CallOf<D>[]) => Promise<readonly (ReplyOf<D> | Problem)[]>>
  } & Settling<D>,
): Route
/**
 * Declares a grouped route with `prepare`, which runs before the call joins a group and outside its transaction. So it
 * delays no other call. Its result is passed to `commit` as `prepared`. It also runs for repeated requests, so it must
 * have no effects.
 */
export function groupedRoute<const D extends Schemas, Prepared = unknown>(
  declaration: Declared<D> & {
    raw?: never
    prepare: (call: CallOf<D> & { db: DatabasePool }) => Promise<Prepared>
    commit: (
      tx: Db,
      calls: readonly (CallOf<D> & { prepared: Prepared })[],
    ) => Promise<readonly (ReplyOf<D> | Problem)[]>
  } & Settling<D>,
): Route
export function groupedRoute(declaration: unknown): Route {
  return checkRoute(declaration as Route)
}

interface Settling<D extends Schemas> {
  /**
   * Called after the commit for callers who wait for the result. Returns another response, or undefined to keep the
   * response. Repeated requests get the first response without waiting, unless `settlesRepeats` is true. If `settle`
   * returns a `Problem`, the idempotency key is released, because the request had no effect. If `settle` throws a
   * `Problem`, the key is kept.
   */
  settle?: NoInfer<
    (reply: StoredReplyOf<D>, call: CallOf<D> & { db: DatabasePool }) => Promise<ReplyOf<D> | Problem | undefined>
  >
  /** Also runs `settle` for repeated requests, with the first response as the start. */
  settlesRepeats?: true
}

/**
 * Declares a route that responds after the commit. The result of `handle` is stored under the idempotency key instead
 * of the response. `follow` creates the response from this result, for repeated requests too, and can wait each time.
 * It returns undefined if it has responded with an event stream.
 */
export function followedRoute<const D extends Schemas & { idempotent: Idempotency }, Kept = unknown>(
  declaration: Declared<D> & {
    raw?: never
    public?: never
    handle: (call: CallOf<D> & { db: Db }) => Promise<Kept>
    follow: (
      kept: NoInfer<Kept>,
      call: CallOf<D> & { db: DatabasePool; ctx: Context; replayed: boolean },
    ) => Promise<ReplyOf<D> | undefined>
  },
): Route {
  return checkRoute(declaration as unknown as Route)
}

const contradictions: readonly [string, (route: Route) => boolean][] = [
  ['declare either `scope` or `public: true`', (route) => (route.public === true) === (route.scope !== undefined)],
  ['`raw` responses have no `reply`', (route) => route.reply !== undefined && route.raw !== undefined],
  [
    'a GET has no body and no idempotency key',
    ({ method, body, idempotent }) => method === 'GET' && Boolean(body || idempotent),
  ],
  ['idempotency keys belong to an organisation', (route) => Boolean(route.idempotent && route.public)],
  [
    'a route for public keys must be limited by IP address, so visitors cannot use the quota of servers',
    ({ site, limit }) => Boolean(site && limit && limit.by !== 'ip'),
  ],
  [
    '`enqueues` is for routes with a key and a JSON response',
    (route) => Boolean(route.enqueues && (route.public || route.raw)),
  ],
  ['a route with a key cannot ignore query parameters', (route) => Boolean(route.ignoresOtherQuery && !route.public)],
  ['an upload token replaces a key', (route) => takesUploadTokens(route) && Boolean(route.public || route.site)],
  ['a search is a GET with a key', (route) => Boolean(route.search && (route.public || route.method !== 'GET'))],
  [
    'a read from a replica is a GET with a key and a JSON response, without effects',
    ({ reads, ...route }) =>
      Boolean(reads && (route.public || route.raw || route.method !== 'GET' || hasEffects(route))),
  ],
  [
    'restrictions of keys are for routes with a key',
    ({ public: open, testKeys, locks }) => Boolean(open && (testKeys || locks)),
  ],
  ['routes shared by test and live keys must only read', (route) => route.testKeys === 'shared' && !isRead(route)],
  ['a key cannot be checked without the database', (route) => Boolean(route.withoutDatabase && !route.public)],
]

const hasEffects = ({ enqueues, streams, prepare, commit, follow }: Omit<Route, 'reads'>): boolean =>
  Boolean(enqueues || streams || prepare || commit || follow)

const isRead = (route: Route): boolean => (route.method === 'GET' || route.repeatable === true) && !hasEffects(route)

/** Returns the route. Throws if its declaration contradicts itself. */
export function checkRoute(route: Route): Route {
  const found = contradictions.find(([, is]) => is(route))
  if (found) throw new Error(`Route ${route.method} ${route.path}: ${found[0]}.`)
  return route
}

export const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'summary' in value
