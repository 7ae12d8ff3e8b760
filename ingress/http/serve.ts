import type { Context } from 'koa'
import { notFound, Problem } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import { createHandler } from './answering.ts'
import type { Operation } from './area.ts'
import { checkScope } from './auth.ts'
import { createCalls, type InternalCaller } from './calls.ts'
import { isCustomHost } from './custom-hosts.ts'
import { getDeclaredProblems } from './declared-problems.ts'
import { isOnOtherHost } from './hosts.ts'
import { getIdempotencyKey } from './idempotency.ts'
import { createConcurrencyLimiter } from './limits/at-once.ts'
import { getBuckets } from './limits/buckets.ts'
import { setRateLimitHeaders } from './limits/rate-limits.ts'
import { createReplies } from './reply.ts'
import { isSecure } from './request/client.ts'
import { goneStatus } from './request/client-gone.ts'
import { type AskedInput, createValidator } from './request/validate.ts'
import { setCrossOriginHeaders, setTransportSecurity } from './route-headers.ts'
import type { Runtime } from './runtime.ts'
import { readUploadToken, takesUploadTokens } from './upload-tokens.ts'

export interface OperationHandler {
  serve(ctx: Context): Promise<void>
  ask(given: AskedInput, caller: Caller, by: InternalCaller): Promise<unknown>
}

/** Creates the functions that handle the HTTP requests of an operation, and its calls from dashboard pages. */
export function createOperationHandler(operation: Operation, runtime: Runtime): OperationHandler {
  const { route } = operation
  const { ofRequest, ofPage } = createValidator(route)
  const handle = createHandler(operation, runtime)
  const calls = createCalls(operation, runtime)
  const replies = createReplies(operation)
  const reservePlace = route.atOnce && createConcurrencyLimiter(route.atOnce)
  const checkDeclared = createProblemCheck(operation, runtime)
  const openDb = route.withoutDatabase ? runtime.guardedDb : runtime.db
  const dbOf = (caller: Caller | undefined) => (caller ? runtime.shares.of(caller.org.id) : openDb)

  async function serve(ctx: Context): Promise<void> {
    ctx.state.operation = operation
    setTransportSecurity(ctx, operation)
    if (isSecure(ctx.req) && !route.viewers) throw notFound('path')
    setCrossOriginHeaders(ctx, route)
    if (takesUploadTokens(route)) ctx.state.uploadToken = readUploadToken(ctx, runtime.signingSecret)
    if (route.withoutDatabase) await admit(ctx)
    else await runtime.breaker.guard(() => admit(ctx))
  }

  async function admit(ctx: Context): Promise<void> {
    const client = runtime.client(ctx.req)
    await checkHost(client.host)
    ctx.state.ip = client.ip
    const caller = route.public ? undefined : await authenticate(ctx, client.ip)
    await limitRate(ctx, caller, client.ip)
    using _place = reservePlace?.(caller?.org.id ?? client.ip)
    const input = await ofRequest(ctx, caller?.org.id)
    await runtime.reads
      .run(route, caller?.org.id, dbOf(caller), async (db) => {
        const call = calls.ofRequest(ctx, client, caller, input, db)
        await replies.send(ctx, call, () => handle(call, caller, input, getIdempotencyKey(ctx)))
      })
      .catch(checkDeclared)
  }

  async function checkHost(host: string): Promise<void> {
    if (isOnOtherHost(operation, host)) throw notFound('path')
    if (!route.viewers && (await isCustomHost(host, route, runtime.customHosts))) throw notFound('path')
  }

  async function authenticate(ctx: Context, ip: string): Promise<Caller> {
    const { uploadToken } = ctx.state
    return uploadToken
      ? await runtime.auth.checkUpload(ctx, operation, uploadToken)
      : await runtime.auth.check(ctx, operation, ip)
  }

  async function limitRate(ctx: Context, caller: Caller | undefined, ip: string): Promise<void> {
    const status = await runtime.take(getBuckets(operation, caller, ip, ctx.state.uploadToken))
    if (status) setRateLimitHeaders(ctx, status)
  }

  async function ask(given: AskedInput, caller: Caller, by: InternalCaller): Promise<unknown> {
    if (route.public || route.raw !== undefined || (route.streams && !route.follow))
      throw new Error(`${operation.id} can be called only by HTTP requests.`)
    checkScope(caller, operation)
    await runtime.take(getBuckets(operation, caller, by.ip, undefined, by.limitedAs))
    using _place = reservePlace?.(caller.org.id)
    const input = ofPage(given)
    const call = calls.ofPage(by, caller, input, dbOf(caller))
    const answer = await runtime.reads
      .run(route, caller.org.id, call.db, (db) => handle({ ...call, db }, caller, input))
      .catch(checkDeclared)
    return await replies.toValue(call, answer)
  }

  return { serve, ask }
}

/** Creates the function that reports problems that the route does not declare. It throws every error again. */
function createProblemCheck(operation: Operation, runtime: Runtime): (error: unknown) => never {
  const declared = new Set(getDeclaredProblems(operation.route).map(({ code }) => code))
  return (error) => {
    if (error instanceof Problem && error.status !== goneStatus && !declared.has(error.code)) {
      runtime.undeclared(operation, error)
    }
    throw error
  }
}
