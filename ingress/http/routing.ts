import Router from '@koa/router'
import type { Context, Middleware, Next } from 'koa'
import type { Operation } from './area.ts'

type Serve = (ctx: Context) => Promise<void>

/** Creates a router of all operations. Throws if two operations have the same method and path. */
export function createRouter(operations: ReadonlyMap<Operation, { serve: Serve }>): Router {
  const router = new Router({ sensitive: true })
  const taken = new Map<string, string>()
  for (const [operation, { serve }] of operations) {
    const place = `${operation.route.method} ${operation.path.replace(/\{\w+\}/g, '{}')}`
    const other = taken.get(place)
    if (other) throw new Error(`${operation.id} and ${other} both handle ${place}`)
    taken.set(place, operation.id)
    const path = operation.path.replace(/\{(\w+)\}/g, ':$1')
    router.register(path, [operation.route.method], serve, { name: operation.id })
  }
  return router
}

/** The first two segments of a path. `*` means any segment, or none. */
type Start = readonly [first: string, second: string]

const anywhere: Start = ['*', '*']

/**
 * Creates the middleware that serves the requests of a router. A router compares a path with the expression of each
 * route until all are compared. Therefore, each request uses a part of the router: the routes that can have the first two
 * segments of its path, in the same order.
 */
export function serveRoutes(router: Router): Middleware {
  const starts = router.stack.map(({ path }) => startOf(String(path)))
  const parts = new Map<string, Middleware>()
  for (const start of [anywhere, ...starts.filter(([first]) => first !== '*')]) {
    if (parts.has(keyOf(start))) continue
    const part = new Router({ sensitive: true })
    part.stack = router.stack.filter((_, i) => canHave(starts[i] ?? anywhere, start))
    parts.set(keyOf(start), part.routes() as Middleware)
  }
  const find = ([first, second]: Start) =>
    parts.get(keyOf([first, second])) ?? parts.get(keyOf([first, '*'])) ?? parts.get(keyOf(anywhere))
  return async (ctx: Context, next: Next) => {
    const [, first = '', second = ''] = ctx.path.split('/', 3)
    await find([first, second])?.(ctx, next)
  }
}

const keyOf = ([first, second]: Start): string => `${first}/${second}`

function startOf(path: string): Start {
  const [, first = '', second = ''] = path.split('/')
  return [segmentOf(first), segmentOf(second)]
}

const segmentOf = (segment: string): string => (/^[\w.-]+$/.test(segment) ? segment : '*')

/** True if a route can have a path with the start. A part for any second segment has the routes of all of them. */
const canHave = ([first, second]: Start, [wanted, next]: Start): boolean =>
  first === '*'
    ? second === '*' || next === '*' || second === next
    : first === wanted && (second === '*' || second === next)
