import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Scope } from '#tasks/account/rules/scopes.ts'
import type { Call, ParamsOf } from './call.ts'
import { checkRoute, type Route } from './route.ts'
import type { RouteFacts } from './route-facts.ts'

interface Removal<Path extends string, P extends z.ZodType> extends Omit<RouteFacts, 'method' | 'status'> {
  path: Path
  params?: P
  scope: Scope | readonly Scope[]
  /** Names the object in the error `No such …`. */
  what: string
  /** The field of the response that identifies the object. Its value is the last parameter of the path. */
  reply?: Readonly<Record<string, z.ZodType>>
  /** Runs in a transaction. Returns false or null if the object does not exist. */
  remove(call: Call<ParamsOf<Path, P>, unknown, unknown, false> & { db: Db }): Promise<unknown>
}

/** Declares a DELETE. It responds with the ID of the object and `deleted: true`, or with 404. */
export function removeRoute<const Path extends string, P extends z.ZodType = z.ZodUndefined>({
  what,
  reply = { id: Id },
  remove,
  ...declaration
}: Removal<Path, P>): Route {
  const [field = 'id'] = Object.keys(reply)
  const last = declaration.path.split(/[{}]/).at(-2)
  const parameter = last ?? field
  return checkRoute({
    ...declaration,
    method: 'DELETE',
    status: 200,
    reply: z.object({ ...reply, deleted: z.literal(true) }),
    problems: ['not_found', ...(declaration.problems ?? [])],
    async handle({ db, ...call }: { db: DatabasePool; params: Record<string, string> }) {
      const removed = await db.transaction((tx) => remove({ ...call, db: tx } as never))
      if (removed === false || removed === null) throw notFound(what)
      return { [field]: call.params[parameter], deleted: true }
    },
  } as unknown as Route)
}
