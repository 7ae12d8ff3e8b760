/**
 * Words used in ingress:
 *   route      one method and path, declared once: schemas, scope, limits, and the code that answers
 *   operation  a route in its place: its id is `<area>.<resource>.<export>`
 *   area       a table of contents: base path and routes
 *   call       one request to a route, validated
 */

import type { Context } from 'koa'
import type { z } from 'zod'
import type { Problem } from '#lib/errors.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import type { Call, HandlerContext, ParamsOf } from './call.ts'
import type { Presented } from './presented.ts'
import type { RouteFacts } from './route-facts.ts'

/** Where an idempotency key may stand: the `Idempotency-Key` header, and the body field if one is named. */
export type Idempotency = true | { field: string }

interface Shape<Path extends string, P, Q, B, R, Public, Idem> extends RouteFacts {
  path: Path
  params?: P
  query?: Q
  /** A `z.strictObject`, as are the objects in it: an optional field that is misspelt must not be ignored in silence. */
  body?: B
  reply?: R
  public?: Public
  /** The scope a key must carry; of several, every one. */
  scope?: Scope | readonly Scope[]
  /** Repeats with the same key get the first answer again. Not for answers that show a secret once: answers are kept. */
  idempotent?: Idem
}

type Access<Public> = Public extends true ? { scope?: never } : { public?: never; scope: Scope | readonly Scope[] }

// biome-ignore lint/suspicious/noConfusingVoidType: what an async function without a return statement returns.
type Answer<R extends z.ZodType> = [R] extends [z.ZodUndefined] ? void : z.input<R>

/** A route that forgot its type parameters. */
export interface Route extends Shape<string, z.ZodObject, z.ZodObject, z.ZodType, z.ZodType, boolean, Idempotency> {
  raw?: true | string
  repeats?: (call: never) => Promise<boolean>
  prepare?: (call: never) => Promise<unknown>
  /** Answers one call. */
  handle?: (call: never) => Promise<unknown>
  /** Answers many calls in one transaction. */
  commit?: (tx: Db, calls: never) => Promise<readonly unknown[]>
  /** Waits, after the commit, for more that the answer may tell. */
  settle?: (reply: never, call: never) => Promise<unknown>
  /** Makes the answer, after the commit, from what `handle` has returned. */
  follow?: (kept: never, call: never) => Promise<unknown>
  settlesRepeats?: true
}

/** What has no type parameter to infer keeps `handle`'s literals literal (NoInfer), so that `{ status: 'open' }` fits its enum. */
type RouteHandler<
  Path extends string,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  Public,
  More,
  R,
> = (call: Call<ParamsOf<Path, P>, z.output<Q>, z.output<B>, Public> & More) => Promise<R>

/** Declares a route whose `prepare` runs before `handle`, outside its transaction; its result is `prepared`. */
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
 * Declares a route. `handle` returns the answer's body and throws `Problem`s; a `raw` one writes to `ctx` itself. With
 * `idempotent`, `handle` runs in a transaction (`db`) whose body is run again after a serialization failure, so nothing
 * but SQL belongs in it: what else must be done is done by `prepare`.
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
      /** The content type of an answer that `handle` writes to `ctx` itself; `true` when there is no body to type. */
      raw?: Raw
      prepare?: never
      /** Whether this repeats a request that was accepted before and adds no job; asked only before one is refused for its backlog. */
      repeats?: NoInfer<RouteHandler<Path, P, Q, B, Public, { db: DatabasePool }, boolean>>
      handle: NoInfer<RouteHandler<Path, P, Q, B, Public, HandlerContext<Idem, Raw>, Answer<R> | Presented>>
    },
): Route
export function route(declaration: unknown): Route {
  return checked(declaration as Route)
}

/**
 * Declares a route whose requests are committed many at a time: `commit` writes the rows and jobs of all `calls` in the
 * given transaction (set-based, SQL only) and returns their answers in the same order, a `Problem` for one that is refused
 * and has written nothing. Each request is answered after the commit. When it throws, its calls are tried one by one.
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
       * What to answer instead, for a caller who wants to wait for what follows the commit; undefined leaves the answer as it is.
       * Repeats get the answer that was given first, and wait for nothing, unless `settlesRepeats`. A `Problem` that is returned
       * gives the idempotency key back, as nothing came of the request; one that is thrown does not.
       */
      settle?: NoInfer<
        (
          reply: z.output<R>,
          call: Call<ParamsOf<Path, P>, z.output<Q>, z.output<B>, Public> & { db: DatabasePool },
        ) => Promise<Answer<R> | Problem | undefined>
      >
      /** Repeats are settled anew, from the answer that was given first. */
      settlesRepeats?: true
    },
): Route {
  return checked(declaration as unknown as Route)
}

/**
 * Declares a route whose answer comes after the commit. What `handle` returns in its transaction is kept under the idempotency
 * key in place of the answer: `follow` makes the answer from it, for repeats, too, and so may wait with each of them. It
 * returns undefined when it has answered with an event stream.
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
        /** Whether an earlier request with the same idempotency key was handled. */
        replayed: boolean
      },
    ) => Promise<Answer<R> | undefined>
  },
): Route {
  return checked(declaration as unknown as Route)
}

/** What no declaration may say, by why not. */
const contradictions: readonly [string, (route: Route) => boolean][] = [
  ['declare either `scope` or `public: true`', (route) => (route.public === true) === (route.scope !== undefined)],
  ['`raw` answers have no `reply`', (route) => route.reply !== undefined && route.raw !== undefined],
  [
    'a GET has no body and no idempotency key',
    ({ method, body, idempotent }) => method === 'GET' && Boolean(body || idempotent),
  ],
  ['idempotency keys belong to an organisation', (route) => Boolean(route.idempotent && route.public)],
  [
    'what public keys may call is limited by address, as no visitor may spend what servers need',
    ({ site, limit }) => Boolean(site && limit && limit.by !== 'ip'),
  ],
  [
    '`enqueues` is for routes with a key and a JSON answer',
    (route) => Boolean(route.enqueues && (route.public || route.raw)),
  ],
  ['what a key asks for is never ignored', (route) => Boolean(route.ignoresOtherQuery && !route.public)],
  ['an upload token takes the place of a key', (route) => Boolean(route.uploadToken && (route.public || route.site))],
  ['a search is a GET with a key', (route) => Boolean(route.search && (route.public || route.method !== 'GET'))],
  [
    'what a replica reads is a GET with a key and a JSON answer, of which nothing comes',
    ({ reads, ...route }) =>
      Boolean(reads && (route.public || route.raw || route.method !== 'GET' || hasEffects(route))),
  ],
  [
    'what binds keys is for routes with a key',
    ({ public: open, testKeys, locks }) => Boolean(open && (testKeys || locks)),
  ],
  [
    'what test and live keys share is read, and changed by neither',
    (route) => route.testKeys === 'shared' && !isRead(route),
  ],
  ['a key cannot be checked without the database', (route) => Boolean(route.withoutDatabase && !route.public)],
]

const hasEffects = ({ enqueues, streams, prepare, commit, follow }: Omit<Route, 'reads'>): boolean =>
  Boolean(enqueues || streams || prepare || commit || follow)

/** Whether it changes nothing, as far as its declaration says. */
const isRead = (route: Route): boolean => (route.method === 'GET' || route.repeatable === true) && !hasEffects(route)

/** Refuses, at start, a declaration that contradicts itself. */
function checked(route: Route): Route {
  const found = contradictions.find(([, is]) => is(route))
  if (found) throw new Error(`Route ${route.method} ${route.path}: ${found[0]}.`)
  return route
}

/** Whether a module's export is a route. */
export const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'summary' in value
