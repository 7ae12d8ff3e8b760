import type { Context } from 'koa'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Services } from './container.ts'
import type { UploadToken } from './upload-tokens.ts'

/**
 * The organisation, key and plan of a request, and the actor: the key, or the member who uses a page. Public routes
 * have none.
 */
type CallerOf<Public> = Public extends true
  ? { org: undefined; key: undefined; plan: undefined; actor: undefined }
  : { org: Caller['org']; key: Caller['key']; plan: Caller['plan']; actor: Actor }

/** The data about a request for every handler. */
export type Call<Params, Query, Body, Public> = CallerOf<Public> & {
  operation: string
  params: Params
  query: Query
  body: Body
  /** The client’s IP address from the trusted proxies. */
  ip: string
  /** The upload token of the request. Undefined if the request uses a key. */
  uploadToken: UploadToken | undefined
  /** Scheme and host in the client’s URL. */
  origin: string
  /** Returns a request header by its lowercase name. */
  header(name: string): string | undefined
  /** Sets a declared response header. */
  set(name: string, value: string): void
  /** Aborts when the client disconnects before the response. The reason is the problem of the request. */
  signal: AbortSignal
  log: Logger
  requestId: string
  /** The span of the request, for the jobs of grouped routes. Undefined without tracing. */
  trace: string | undefined
  /** Returns the service of this process for a declaration. */
  services: Services
}

/** Additional values for `handle`. For an idempotent route, `db` is the transaction that stores the response. */
export type HandlerContext<Idempotent, Raw> = {
  db: [Idempotent] extends [undefined] ? DatabasePool : Db
  ctx: [Raw] extends [undefined] ? undefined : Context
}

/** The names in `{braces}` of a path. Each value is a string. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : unknown

/** The parameters of a route: by its schema, otherwise strings by its path. */
export type ParamsOf<Path extends string, P extends z.ZodType> = [P] extends [z.ZodUndefined]
  ? PathParams<Path>
  : z.output<P>

/** A call whose route type is not known. */
export type AnyCall = Omit<Call<unknown, unknown, unknown, true>, 'org' | 'key' | 'plan' | 'actor'> & {
  [K in 'org' | 'key' | 'plan']: Caller[K] | undefined
} & { actor: Actor | undefined }
