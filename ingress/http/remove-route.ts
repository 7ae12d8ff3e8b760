import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import type { Call, ParamsOf } from './call.ts'
import { checkRoute, type Route } from './route.ts'
import type { RouteFacts } from './route-facts.ts'

interface Removal<Path extends string, P extends z.ZodType, Q extends z.ZodType>
  extends Omit<RouteFacts, 'method' | 'status'> {
  path: Path
  params?: P
  query?: Q
  scope: Scope | readonly Scope[]
  /** Names the object in the error `No such …`. */
  what: string
  /** Fields of the response that identify the object: path parameters, or a different name of the last one. */
  reply?: Readonly<Record<string, z.ZodType>>
  /** The field of the response that is true. */
  done?: 'deleted' | 'removed' | 'revoked'
  /** Runs in a transaction. Returns false or null if the object does not exist. */
  remove(call: Removed<Path, P, Q> & { db: Db }): Promise<unknown>
  /** Runs after the commit and before the response. */
  settle?(call: Removed<Path, P, Q>): Promise<unknown>
}

type Removed<Path extends string, P extends z.ZodType, Q extends z.ZodType> = Call<
  ParamsOf<Path, P>,
  z.output<Q>,
  unknown,
  false
>

/** Declares a DELETE. It responds with the ID of the object and `deleted: true`, or with 404. */
export function removeRoute<
  const Path extends string,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
>({ what, reply = { id: Id }, done = 'deleted', remove, settle, ...declaration }: Removal<Path, P, Q>): Route {
  const last = declaration.path.split(/[{}]/).at(-2) ?? ''
  return checkRoute({
    ...declaration,
    method: 'DELETE',
    status: 200,
    reply: z.object({ ...reply, [done]: z.literal(true) }),
    problems: ['not_found', ...(declaration.problems ?? [])],
    async handle({ db, ...call }: { db: DatabasePool; params: Record<string, string> }) {
      const removed = await db.transaction((tx) => remove({ ...call, db: tx } as never))
      if (removed === false || removed === null) throw notFound(what)
      await settle?.(call as never)
      const fields = Object.keys(reply).map((field) => [field, call.params[field] ?? call.params[last]])
      return { ...Object.fromEntries(fields), [done]: true }
    },
  } as unknown as Route)
}
