import type { Context, Next } from 'koa'
import { Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { log, withLogContext } from '#lib/log.ts'
import { maskText } from '#lib/mask.ts'
import { collectJobs } from '#lib/request-jobs.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Operation } from '../area.ts'
import { errorBody, toProblem } from '../problems.ts'
import { RateLimited, setRateLimitHeaders } from './rate-limits.ts'

export interface Sample {
  operation: string
  method: string
  status: number
  seconds: number
  id: string
  clientId: string | undefined
  caller: Caller | undefined
  problem: Problem | undefined
  ctx: Context
  jobs: readonly string[]
}

const saneId = /^[A-Za-z0-9._:-]{8,128}$/

export async function assignRequestId(ctx: Context, next: Next): Promise<void> {
  const given = ctx.get('x-request-id')
  const own = newId()
  const clientId = saneId.test(given) ? given : undefined
  const requestId = clientId ?? own
  Object.assign(ctx.state, { requestId, ownId: own, clientId })
  ctx.set('x-request-id', requestId)
  ctx.set('x-content-type-options', 'nosniff')
  await withLogContext({ request_id: requestId }, next)
}

/** Parameters of paths whose values give access. `viewer` can be a token. */
const accessParameter = /\{(\w*token|viewer)\}/i

/** Returns a path without tokens. Paths of hidden and unknown routes can contain one. */
export function getLoggedPath(operation: Operation | undefined, path: string): string {
  if (!operation) return maskText(path)
  return operation.route.hidden || accessParameter.test(operation.path) ? operation.path : path
}

export function logRequest(observe?: (sample: Sample) => void): (ctx: Context, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const start = performance.now()
    using collected = collectJobs(ctx.state.requestId)
    await next()
    const operation: Operation | undefined = ctx.state.operation
    const id = operation?.id ?? 'none'
    const ms = performance.now() - start
    const { ownId, clientId, caller, problem } = ctx.state
    const facts = { id: ownId, clientId, caller, problem, ctx, jobs: collected.jobs }
    observe?.({ operation: id, method: ctx.method, status: ctx.status, seconds: ms / 1000, ...facts })
    const path = getLoggedPath(operation, ctx.path)
    log.info({ operation: id, method: ctx.method, path, status: ctx.status, ms: Math.round(ms * 10) / 10 }, 'request')
  }
}

/**
 * Converts errors to responses. Internal errors are logged completely. `sendPage` returns false if the client gets JSON.
 */
export const answerProblems =
  (sendPage: (ctx: Context, problem: Problem) => boolean) =>
  async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      const problem = toProblem(error)
      ctx.state.problem = problem
      if (problem.status === 500) log.error({ err: error }, 'request failed')
      else if (!(error instanceof Problem))
        log.warn({ err: (error as Error).message }, 'request failed: a service is unavailable')
      setProblemHeaders(ctx, problem, error)
      const operation: Operation | undefined = ctx.state.operation
      if (sendPage(ctx, problem)) return
      ctx.type = 'application/json; charset=utf-8'
      const bodyOf = operation?.route.problemBody ?? errorBody
      ctx.body = JSON.stringify(bodyOf(problem, ctx.state.requestId))
    }
  }

function setProblemHeaders(ctx: Context, problem: Problem, error: unknown): void {
  if (error instanceof RateLimited) setRateLimitHeaders(ctx, error.rateLimit)
  if (problem.retryAfter !== undefined) ctx.set('retry-after', String(Math.ceil(problem.retryAfter)))
  if (problem.status === 401) ctx.set('www-authenticate', 'Bearer')
  ctx.remove('content-disposition')
  ctx.status = problem.status
  ctx.set('cache-control', 'no-store')
}
