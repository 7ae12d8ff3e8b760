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
import { checkRoute } from './route-contradictions.ts'
import type { RouteFacts } from './route-facts.ts'
import type { CallOf, Declared, HandledCallOf, Idempotency, ReplyOf, Schemas, StoredReplyOf } from './route-types.ts'

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
    commit: NoInfer<(tx: Db, calls: readonly CallOf<D>[]) => Promise<readonly (ReplyOf<D> | Problem)[]>>
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
  },
): Route {
  return checkRoute(declaration as unknown as Route)
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

export const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'summary' in value
