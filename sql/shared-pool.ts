import { createSlots } from '#lib/slots.ts'
import type { DatabasePool } from './db.ts'

const taking: ReadonlySet<string | symbol> = new Set([
  'any',
  'anyFirst',
  'connect',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
  'stream',
  'transaction',
] satisfies (keyof DatabasePool)[])

type TakeMethod = (...given: unknown[]) => Promise<unknown>

/** Returns a view of the pool that uses up to `share` of its connections at the same time. Further work waits. */
export function limitPool(db: DatabasePool, share: number): DatabasePool {
  const slots = createSlots(share)
  const shared = new Map<string | symbol, TakeMethod>()
  const limited = (name: string | symbol): TakeMethod => {
    const take = Reflect.get(db, name).bind(db) as TakeMethod
    return async (...given) => {
      using _ = await slots.take()
      return await take(...given)
    }
  }
  return new Proxy(db, {
    get(target, name) {
      if (!taking.has(name)) return Reflect.get(target, name)
      const known = shared.get(name) ?? limited(name)
      shared.set(name, known)
      return known
    },
  })
}
