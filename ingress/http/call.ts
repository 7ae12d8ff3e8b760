import type { Context } from 'koa'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Services } from './container.ts'
import type { UploadToken } from './upload-tokens.ts'

/** The organisation, key and plan of a request, and who acts by it: the key, or the member who asks from a page. A public route has none. */
type CallerOf<Public> = Public extends true
  ? { org: undefined; key: undefined; plan: undefined; actor: undefined }
  : { org: Caller['org']; key: Caller['key']; plan: Caller['plan']; actor: Actor }

/** What every route's code is given about one request. */
export type Call<Params, Query, Body, Public> = CallerOf<Public> & {
  /** The id of the operation. */
  operation: string
  params: Params
  query: Query
  body: Body
  /** The client's address, past trusted proxies. */
  ip: string
  /** The upload's token that the request is made with; undefined when it is made with a key. */
  uploadToken: UploadToken | undefined
  /** Scheme and host under which the client reached us. */
  origin: string
  /** A request header, by its lower-case name. */
  header(name: string): string | undefined
  /** Sets one of the response headers that the route declares. */
  set(name: string, value: string): void
  /** Aborts when the client is gone before its answer, with the problem that the request then ends with. */
  signal: AbortSignal
  log: Logger
  requestId: string
  /** The request's span, for the jobs of grouped routes; undefined when nothing is traced. */
  trace: string | undefined
  /** Gives what the process has one of, by its declaration. */
  services: Services
}

/** What `handle` has beside the call: an idempotent route's `db` is the transaction in which its answer is kept. */
export type HandlerContext<Idempotent, Raw> = {
  db: [Idempotent] extends [undefined] ? DatabasePool : Db
  ctx: [Raw] extends [undefined] ? undefined : Context
}

/** The names in `{braces}` of a path, each a string. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : unknown

/** The params of a route: by its schema, or else plain strings by its path. */
export type ParamsOf<Path extends string, P extends z.ZodType> = [P] extends [z.ZodUndefined]
  ? PathParams<Path>
  : z.output<P>

/** A call of a route whose types are not known here, as the machinery passes it on. */
export type AnyCall = Omit<Call<unknown, unknown, unknown, true>, 'org' | 'key' | 'plan' | 'actor'> & {
  [K in 'org' | 'key' | 'plan']: Caller[K] | undefined
} & { actor: Actor | undefined }
