import type { Context } from 'koa'
import type { z } from 'zod'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import type { Call, PathParams } from './call.ts'
import type { RouteFacts } from './route-facts.ts'

/**
 * Where the idempotency key is sent: in the `Idempotency-Key` header. If `field` is set, a body field is also possible.
 */
export type Idempotency = true | { field: string }

/** The part of a declaration that determines the types of the handler’s call and result. */
export interface Schemas {
  path: string
  params?: z.ZodObject
  query?: z.ZodType
  /**
   * Schema of the body. It and the objects in it are `z.strictObject`, because a misspelt optional field must not be
   * ignored.
   */
  body?: z.ZodType
  reply?: z.ZodType
  public?: boolean
  /**
   * Repeated requests with the same key get the first response. Do not use it for responses that show a secret once,
   * because responses are stored.
   */
  idempotent?: Idempotency
  /** The handler writes the response to `ctx`. A string is the content type of the response. */
  raw?: true | string
}

type Access<D> = D extends { public: true } ? { scope?: never } : { scope: Scope | readonly Scope[] }

/**
 * The declaration without its handler. `D` is inferred from it. The mapped type takes only the keys of `Schemas`, so
 * that unknown keys are errors.
 */
export type Declared<D extends Schemas> = { [K in keyof D & keyof Schemas]: D[K] } & RouteFacts & Access<D>

type Output<D, K extends string> = D extends Record<K, z.ZodType> ? z.output<D[K]> : undefined

type ParamsOf<D extends Schemas> = D extends Record<'params', z.ZodType> ? z.output<D['params']> : PathParams<D['path']>

export type CallOf<D extends Schemas> = Call<
  ParamsOf<D>,
  Output<D, 'query'>,
  Output<D, 'body'>,
  D extends { public: true } ? true : false
>

/** A call with the values that `handle` needs. `db` is a transaction if the route is idempotent. */
export type HandledCallOf<D extends Schemas> = CallOf<D> & {
  db: D extends { idempotent: Idempotency } ? Db : DatabasePool
  ctx: D extends { raw: true | string } ? Context : undefined
}

// biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return statement returns void.
export type ReplyOf<D extends Schemas> = D extends Record<'reply', z.ZodType> ? z.input<D['reply']> : void

export type StoredReplyOf<D extends Schemas> = Output<D, 'reply'>
