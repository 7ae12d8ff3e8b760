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
import type { Call, HandlerContext, ParamsOf } from './call.ts'
import type { PresentedJson } from './presented.ts'
import type { RouteFacts } from './route-facts.ts'

/**
 * Where the idempotency key is sent: in the `Idempotency-Key` header. If `field` is set, a body field is also possible.
 */
export type Idempotency = true | { field: string }

interface Shape<Path extends string, P, Q, B, R, Public, Idem> extends RouteFacts {
  path: Path
  params?: P
  query?: Q
  /**
   * Schema of the body. It and the objects in it are `z.strictObject`, because a misspelt optional field must not be
   * ignored.
   */
  body?: B
  reply?: R
  public?: Public
  scope?: Scope | readonly Scope[]
  /**
   * Repeated requests with the same key get the first response. Do not use it for responses that show a secret once,
   * because responses are stored.
   */
  idempotent?: Idem
}

type Access<Public> = Public extends true ? { scope?: never } : { public?: never; scope: Scope | readonly Scope[] }

// biome-ignore lint/suspicious/noConfusingVoidType: what an async function without a return statement returns.
type Answer<R extends z.ZodType> = [R] extends [z.ZodUndefined] ? void : z.input<R>

export interface Route extends Shape<string, z.ZodObject, z.ZodObject, z.ZodType, z.ZodType, boolean, Idempotency> {
  raw?: true | string
  repeats?: (call: never) => Promise<boolean>
  prepare?: (call: never) => Promise<unknown>
  handle?: (call: never) => Promise<unknown>
  commit?: (tx: Db, calls: never) => Promise<readonly unknown[]>
  settle?: (reply: never, call: never) => Promise<unknown>
  follow?: (kept: never, call: never) => Promise<unknown>
  settlesRepeats?: true
}

/**
 * Type of a route’s handler. NoInfer keeps the literal types in `handle`’s result, so `{ status: 'open' }` matches its
 * enum.
 */
type RouteHandler<
  Path extends string,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  Public,
  More,
  R,
> = (call: Call<ParamsOf<Path, P>, z.output<Q>, z.output<B>, Public> & More) => Promise<R>

/**
 * Declares a route with `prepare`, which runs before `handle` and outside its transaction. Its result is passed to
 * `handle` as `prepared`.
 */
export function route<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
  Public extends boolean = false,
  Idem extends Idempotency | undefined = undefined,
  Prepared = unknown,
>(
  declaration: Shape<Path, P, Q, B, R, Public, Idem> &
    Access<Public> & {
      prepare: RouteHandler<Path, P, Q, B, Public, { db: DatabasePool }, Prepared>
      handle: RouteHandler<Path, P, Q, B, Public, HandlerContext<Idem, undefined> & { prepared: Prepared }, Answer<R>>
    },
): Route
/**
 * Declares a route. `handle` returns the response body and throws `Problem`s. A `raw` route writes to `ctx` directly.
 * With `idempotent`, `handle` runs in a transaction (`db`) that is repeated after a serialization failure, so it must
 * contain only SQL. Use `prepare` for all other work.
 */
export function route<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
  Public extends boolean = false,
  Idem extends Idempotency | undefined = undefined,
  Raw extends true | string | undefined = undefined,
>(
  declaration: Shape<Path, P, Q, B, R, Public, Idem> &
    Access<Public> & {
      raw?: Raw
      prepare?: never
      /**
       * Returns true if the request repeats an accepted one and adds no job. Called only before a request is rejected
       * because of its backlog.
       */
      repeats?: NoInfer<RouteHandler<Path, P, Q, B, Public, { db: DatabasePool }, boolean>>
      handle: NoInfer<RouteHandler<Path, P, Q, B, Public, HandlerContext<Idem, Raw>, Answer<R> | PresentedJson>>
    },
): Route
export function route(declaration: unknown): Route {
  return checked(declaration as Route)
}

/**
 * Declares a route whose requests are committed together. `commit` writes the rows and jobs of all `calls` in the given
 * transaction, with set-based SQL only. It returns the responses in the same order. A rejected call that has written
 * nothing gets a `Problem`. Responses are sent after the commit. If `commit` throws, each call is tried separately.
 */
export function groupedRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
  Public extends boolean = false,
  Idem extends Idempotency | undefined = undefined,
>(
  declaration: Shape<Path, P, Q, B, R, Public, Idem> &
    Access<Public> & {
      commit: NoInfer<
        (
          tx: Db,
          calls: readonly Call<ParamsOf<Path, P>, z.output<Q>, z.output<B>, Public>[],
        ) => Promise<readonly (Answer<R> | Problem)[]>
      >
      /**
       * Called after the commit for callers who wait for the result. Returns another response, or undefined to keep the
       * response. Repeated requests get the first response without waiting, unless `settlesRepeats` is true. If
       * `settle` returns a `Problem`, the idempotency key is released, because the request had no effect. If `settle`
       * throws a `Problem`, the key is kept.
       */
      settle?: NoInfer<
        (
          reply: z.output<R>,
          call: Call<ParamsOf<Path, P>, z.output<Q>, z.output<B>, Public> & { db: DatabasePool },
        ) => Promise<Answer<R> | Problem | undefined>
      >
      /** Also runs `settle` for repeated requests, with the first response as the start. */
      settlesRepeats?: true
    },
): Route {
  return checked(declaration as unknown as Route)
}

/**
 * Declares a route that responds after the commit. The result of `handle` is stored under the idempotency key instead
 * of the response. `follow` creates the response from this result, for repeated requests too, and can wait each time.
 * It returns undefined if it has responded with an event stream.
 */
export function followedRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
  Kept = unknown,
>(
  declaration: Shape<Path, P, Q, B, R, false, Idempotency> & {
    scope: Scope | readonly Scope[]
    idempotent: Idempotency
    handle: RouteHandler<Path, P, Q, B, false, { db: Db }, Kept>
    follow: (
      kept: NoInfer<Kept>,
      call: Call<ParamsOf<Path, P>, z.output<Q>, z.output<B>, false> & {
        db: DatabasePool
        ctx: Context
        replayed: boolean
      },
    ) => Promise<Answer<R> | undefined>
  },
): Route {
  return checked(declaration as unknown as Route)
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
  ['an upload token replaces a key', (route) => Boolean(route.uploadToken && (route.public || route.site))],
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

function checked(route: Route): Route {
  const found = contradictions.find(([, is]) => is(route))
  if (found) throw new Error(`Route ${route.method} ${route.path}: ${found[0]}.`)
  return route
}

export const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'summary' in value
