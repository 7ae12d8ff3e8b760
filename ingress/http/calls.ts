import type { Context } from 'koa'
import { log } from '#lib/log.ts'
import type { Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import { keyActor } from './acting.ts'
import type { HandledCall } from './answering.ts'
import type { Operation } from './area.ts'
import type { Client } from './request/client.ts'
import { getClientSignal } from './request/client-gone.ts'
import type { Input } from './request/validate.ts'
import type { Runtime } from './runtime.ts'

/** The member who uses a dashboard page, with the address and the ID of the page’s request. */
export interface InternalCaller {
  ip: string
  origin: string
  requestId: string
  actor: Actor
  /** Has the operation’s limits to itself, instead of its organisation: for example one customer of the organisation. */
  limitedAs?: string
}

interface Calls {
  ofRequest(ctx: Context, client: Client, caller: Caller | undefined, input: Input, db: DatabasePool): HandledCall
  ofPage(by: InternalCaller, caller: Caller, input: Input, db: DatabasePool): HandledCall
}

/** Creates the functions that build the call of an operation, which its handler receives. */
export function createCalls(operation: Operation, { services }: Runtime): Calls {
  const { id, route } = operation
  return {
    ofRequest: (ctx, client, caller, { params, query, body }, db) => ({
      org: caller?.org,
      key: caller?.key,
      plan: caller?.plan,
      actor: caller && keyActor(caller.key),
      operation: id,
      params,
      query,
      body,
      ip: client.ip,
      uploadToken: ctx.state.uploadToken,
      origin: client.origin,
      header: (name) => ctx.get(name) || undefined,
      set: (name, value) => setDeclaredHeader(ctx, operation, name, value),
      get signal() {
        return getClientSignal(ctx.res)
      },
      log,
      requestId: ctx.state.requestId,
      trace: ctx.state.traceparent,
      services,
      db,
      ctx: route.raw === undefined ? undefined : ctx,
      prepared: undefined,
    }),
    ofPage: ({ ip, origin, requestId, actor }, caller, { params, query, body }, db) => ({
      ...caller,
      actor,
      operation: id,
      params,
      query,
      body,
      ip,
      uploadToken: undefined,
      origin,
      header: () => undefined,
      set: () => {},
      signal: new AbortController().signal,
      log,
      requestId,
      trace: undefined,
      services,
      db,
      ctx: undefined,
      prepared: undefined,
    }),
  }
}

function setDeclaredHeader(ctx: Context, { id, route }: Operation, name: string, value: string): void {
  if (!route.headers || !(name in route.headers)) throw new Error(`${id} does not declare the header ${name}.`)
  ctx.set(name, value)
}
