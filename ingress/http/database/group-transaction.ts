import { Problem } from '#lib/errors.ts'
import * as idempotency from '#sql/account/idempotency.ts'
import type { Db } from '#sql/db.ts'
import { type Answer, replay } from '../idempotency.ts'
import type { Route } from '../route.ts'

export interface Member {
  call: object
  ref: idempotency.Ref | undefined
}

export type Outcome = Answer | Error

export async function commitGroup(
  tx: Db,
  route: Pick<Route, 'commit'>,
  present: (value: unknown) => string,
  group: readonly Member[],
): Promise<Outcome[]> {
  const refs = group.flatMap(({ ref }) => (ref ? [ref] : []))
  const claimed = refs.length > 0 ? await idempotency.claim(tx, refs) : new Set<string>()
  const isFresh = ({ ref }: Member) => ref === undefined || claimed.has(idempotency.nameOf(ref))
  const repeated = refs.filter((ref) => !claimed.has(idempotency.nameOf(ref)))
  const stored = repeated.length > 0 ? await idempotency.find(tx, repeated) : new Map<string, idempotency.StoredReply>()

  const fresh = group.filter(isFresh)
  const replies = fresh.length > 0 ? await route.commit?.(tx, fresh.map(({ call }) => call) as never) : []
  if (replies?.length !== fresh.length) throw new Error('`commit` must return one response per call.')
  const done = new Map(fresh.map((member, i) => [member, outcomeOf(replies[i], present)]))
  await keepAnswers(tx, done)
  return group.map((member) => done.get(member) ?? repeatedOutcome(member.ref as idempotency.Ref, stored))
}

function outcomeOf(reply: unknown, present: (value: unknown) => string): Outcome {
  return reply instanceof Error ? reply : { text: present(reply), replayed: false }
}

function repeatedOutcome(ref: idempotency.Ref, stored: ReadonlyMap<string, idempotency.StoredReply>): Outcome {
  const before = stored.get(idempotency.nameOf(ref))
  if (!before) return new Error('An idempotency key was neither free nor in use.')
  try {
    return replay(ref, before)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

async function keepAnswers(tx: Db, done: ReadonlyMap<Member, Outcome>): Promise<void> {
  const given: { ref: idempotency.Ref; reply: string }[] = []
  const refused: idempotency.Ref[] = []
  for (const [{ ref }, outcome] of done) {
    if (!ref) continue
    if (outcome instanceof Error) refused.push(ref)
    else given.push({ ref, reply: outcome.text })
  }
  if (given.length > 0) await idempotency.keep(tx, given)
  if (refused.length > 0) await idempotency.release(tx, refused)
}
