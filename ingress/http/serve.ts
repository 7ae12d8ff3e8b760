import { isIP } from 'node:net'
import type { Context } from 'koa'
import { notFound, Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import { keyActor } from './acting.ts'
import { createHandler, createPresenter, type HandledCall } from './answering.ts'
import type { Operation } from './area.ts'
import { checkScope } from './auth.ts'
import { getDeclaredProblems } from './declared-problems.ts'
import { computeEtag, matchesEtag } from './etag.ts'
import { dashboardUrl, isDashboard, isOnOtherHost, ownHost } from './hosts.ts'
import type { Answer } from './idempotency.ts'
import { createConcurrencyLimiter } from './limits/at-once.ts'
import { getBuckets } from './limits/buckets.ts'
import { setRateLimitHeaders } from './limits/rate-limits.ts'
import { isSecure } from './request/client.ts'
import { getClientSignal, goneStatus } from './request/client-gone.ts'
import { type AskedInput, createValidator, type Input } from './request/validate.ts'
import type { Runtime } from './runtime.ts'
import { readUploadToken } from './upload-tokens.ts'

export interface OperationHandler {
  serve(ctx: Context): Promise<void>
  ask(given: AskedInput, caller: Caller, by: InternalCaller): Promise<unknown>
}

export interface InternalCaller {
  ip: string
  origin: string
  requestId: string
  actor: Actor
}

export function createOperationHandler(operation: Operation, runtime: Runtime): OperationHandler {
  const { route } = operation
  const { ofRequest, ofPage } = createValidator(route)
  const present = createPresenter(operation)
  const answer = createHandler(operation, runtime)
  const follow = route.follow as ((kept: unknown, call: unknown) => Promise<unknown>) | undefined
  const handle = route.handle as ((call: unknown) => Promise<unknown>) | undefined
  const db = route.withoutDatabase ? runtime.guardedDb : runtime.db
  const poolOf = (caller: Caller | undefined) => (caller ? runtime.shares.of(caller.org.id) : db)
  const places = route.atOnce && createConcurrencyLimiter(route.atOnce)
  const declared = new Set(getDeclaredProblems(route).map(({ code }) => code))

  async function sendFollowed(ctx: Context, call: HandledCall, { text, replayed }: Answer): Promise<void> {
    ctx.status = route.status
    ctx.set('cache-control', 'no-store')
    if (replayed) ctx.set('idempotent-replayed', 'true')
    const value = await follow?.(JSON.parse(text), { ...call, ctx, replayed })
    if (value !== undefined) send(ctx, { text: present(value), replayed })
  }

  async function answerRaw(ctx: Context, call: HandledCall): Promise<void> {
    ctx.status = route.status
    ctx.set('cache-control', 'no-store')
    if (typeof route.raw === 'string') ctx.type = route.raw
    await handle?.(call)
  }

  function send(ctx: Context, { text, replayed }: Answer): void {
    if (replayed) ctx.set('idempotent-replayed', 'true')
    ctx.set('cache-control', route.etag ? 'private, no-cache' : 'no-store')
    ctx.body = text === '' ? null : text
    ctx.status = route.status
    if (text !== '') ctx.type = 'application/json; charset=utf-8'
    if (!route.etag) return
    const tag = computeEtag(text)
    ctx.set('etag', tag)
    if (matchesEtag(ctx.get('if-none-match'), tag)) ctx.status = 304
  }

  async function isCustomers(host: string): Promise<boolean> {
    if (isIP(host) !== 0 || !host.includes('.') || host === ownHost || host === dashboardUrl.hostname) return false
    for (const hosts of runtime.customHosts) {
      if (route.withoutDatabase ? hosts.isOwned(host) : (await hosts.ownerOf(host)) !== undefined) return true
    }
    return false
  }

  async function respond(ctx: Context, call: HandledCall, caller: Caller | undefined, input: Input): Promise<void> {
    if (route.raw !== undefined) await answerRaw(ctx, call)
    else if (follow) await sendFollowed(ctx, call, await answer(call, caller, input, idempotencyKeyOf(ctx)))
    else send(ctx, await answer(call, caller, input, idempotencyKeyOf(ctx)))
  }

  function checkDeclared(error: unknown): never {
    if (error instanceof Problem && error.status !== goneStatus && !declared.has(error.code)) {
      runtime.undeclared(operation, error)
    }
    throw error
  }

  async function identify(ctx: Context, ip: string): Promise<Caller> {
    const { uploadToken } = ctx.state
    return uploadToken
      ? await runtime.auth.checkUpload(ctx, operation, uploadToken)
      : await runtime.auth.check(ctx, operation, ip)
  }

  async function admit(ctx: Context): Promise<void> {
    const client = runtime.client(ctx.req)
    if (isOnOtherHost(operation, client.host)) throw notFound('path')
    if (!route.viewers && (await isCustomers(client.host))) throw notFound('path')
    ctx.state.ip = client.ip
    const { uploadToken } = ctx.state
    const caller = route.public ? undefined : await identify(ctx, client.ip)
    const rateLimit = await runtime.take(getBuckets(operation, caller, client.ip, uploadToken))
    if (rateLimit) setRateLimitHeaders(ctx, rateLimit)
    using _place = caller && places?.(caller.org.id)
    const input = await ofRequest(ctx, caller?.org.id)
    const callOn = (db: DatabasePool): HandledCall => ({
      ...ofCaller(caller),
      operation: operation.id,
      params: input.params,
      query: input.query,
      body: input.body,
      ip: client.ip,
      uploadToken,
      origin: client.origin,
      header: (name) => ctx.get(name) || undefined,
      set: (name, value) => setDeclared(ctx, operation, name, value),
      get signal() {
        return getClientSignal(ctx.res)
      },
      log,
      requestId: ctx.state.requestId,
      trace: ctx.state.traceparent,
      services: runtime.services,
      db,
      ctx: route.raw === undefined ? undefined : ctx,
      prepared: undefined,
    })
    await runtime.reads
      .run(route, caller?.org.id, poolOf(caller), (db) => respond(ctx, callOn(db), caller, input))
      .catch(checkDeclared)
  }

  async function ask(
    given: AskedInput,
    caller: Caller,
    { ip, origin, requestId, actor }: InternalCaller,
  ): Promise<unknown> {
    if (route.public || route.raw !== undefined || route.streams)
      throw new Error(`${operation.id} can be called only by HTTP requests.`)
    checkScope(caller, operation)
    await runtime.take(getBuckets(operation, caller, ip))
    using _place = places?.(caller.org.id)
    const input = ofPage(given)
    const call: HandledCall = {
      ...caller,
      actor,
      operation: operation.id,
      params: input.params,
      query: input.query,
      body: input.body,
      ip,
      uploadToken: undefined,
      origin,
      header: () => undefined,
      set: () => {},
      signal: new AbortController().signal,
      log,
      requestId,
      trace: undefined,
      services: runtime.services,
      db: poolOf(caller),
      ctx: undefined,
      prepared: undefined,
    }
    const { text, replayed } = await runtime.reads
      .run(route, caller.org.id, poolOf(caller), (db) => answer({ ...call, db }, caller, input))
      .catch(checkDeclared)
    if (follow) return JSON.parse(present(await follow(JSON.parse(text), { ...call, replayed })))
    return text === '' ? undefined : JSON.parse(text)
  }

  async function serve(ctx: Context): Promise<void> {
    ctx.state.operation = operation
    if (isDashboard(operation) && dashboardUrl.protocol === 'https:')
      ctx.set('strict-transport-security', 'max-age=31536000')
    if (isSecure(ctx.req) && !route.viewers) throw notFound('path')
    if (route.cors || route.site) {
      ctx.set('access-control-allow-origin', '*')
      ctx.set('access-control-expose-headers', [exposed, ...Object.keys(route.headers ?? {})].join(', '))
    }
    if (route.uploadToken) {
      ctx.vary('Origin')
      ctx.set('access-control-expose-headers', exposed)
      ctx.state.uploadToken = readUploadToken(ctx, runtime.signingSecret)
    }
    if (route.withoutDatabase) await admit(ctx)
    else await runtime.breaker.guard(() => admit(ctx))
  }

  return { serve, ask }
}

const ofCaller = (caller: Caller | undefined) => ({
  org: caller?.org,
  key: caller?.key,
  plan: caller?.plan,
  actor: caller && keyActor(caller.key),
})

function idempotencyKeyOf({ headers }: Context): string | undefined {
  const given = headers['idempotency-key']
  return typeof given === 'string' ? given.trim() : undefined
}

const exposed = 'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, idempotent-replayed'

function setDeclared(ctx: Context, { id, route }: Operation, name: string, value: string): void {
  if (!route.headers || !(name in route.headers)) throw new Error(`${id} does not declare the header ${name}.`)
  ctx.set(name, value)
}
