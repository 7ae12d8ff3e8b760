import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Actor } from '#sql/account/audit.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Services } from './container.ts'
import type { UploadToken } from './upload-tokens.ts'

/**
 * The organisation, key and plan of a request, and its actor. The actor is the key, or the member who uses a dashboard
 * page. Public routes have no caller.
 */
type CallerOf<Public> = Public extends true
  ? { org: undefined; key: undefined; plan: undefined; actor: undefined }
  : { org: Caller['org']; key: Caller['key']; plan: Caller['plan']; actor: Actor }

export type Call<Params, Query, Body, Public> = CallerOf<Public> & {
  operation: string
  params: Params
  query: Query
  body: Body
  ip: string
  uploadToken: UploadToken | undefined
  origin: string
  header(name: string): string | undefined
  set(name: string, value: string): void
  /** Aborts when the client disconnects before the response. The abort reason is a `Problem`. */
  signal: AbortSignal
  log: Logger
  requestId: string
  trace: string | undefined
  services: Services
}

export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & PathParams<Rest>
  : unknown

export type ParamsOf<Path extends string, P extends z.ZodType> = [P] extends [z.ZodUndefined]
  ? PathParams<Path>
  : z.output<P>

export type AnyCall = Omit<Call<unknown, unknown, unknown, true>, 'org' | 'key' | 'plan' | 'actor'> & {
  [K in 'org' | 'key' | 'plan']: Caller[K] | undefined
} & { actor: Actor | undefined }
