import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'
import { keep, type Ref, releaseFailedReply } from '#sql/account/idempotency.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Operation } from './area.ts'
import type { AnyCall } from './call.ts'
import { createGroupCommit } from './database/group-commit.ts'
import { type Answer, findStoredAnswer, getIdempotencyRef, runOnce } from './idempotency.ts'
import { PresentedJson } from './presented.ts'
import type { Input } from './request/validate.ts'
import type { Runtime } from './runtime.ts'

export interface HandledCall extends AnyCall {
  db: DatabasePool
  ctx: Context | undefined
  prepared: unknown
}

export type CallHandler = (
  call: HandledCall,
  caller: Caller | undefined,
  input: Input,
  idempotencyKey?: string,
) => Promise<Answer>

type Handle = (call: unknown) => Promise<unknown>

export function createHandler(operation: Operation, runtime: Runtime): CallHandler {
  const { route } = operation
  const present = createPresenter(operation)
  const noted = route.follow ? (kept: unknown) => JSON.stringify(kept) : present
  const handle = route.handle as Handle | undefined
  const prepare = route.prepare as Handle | undefined
  const repeats = route.repeats as ((call: unknown) => Promise<boolean>) | undefined
  const settle = route.settle as ((reply: unknown, call: unknown) => Promise<unknown>) | undefined
  const commitInGroup = route.commit && createGroupCommit(runtime.db, route, present, runtime.groupCommit)

  async function work(call: HandledCall, ref: Ref | undefined): Promise<Answer> {
    if (commitInGroup) {
      if (prepare) call.prepared = await prepare(call)
      return await settled(await commitInGroup(call, ref), call, ref)
    }
    if (prepare) {
      const before = ref && (await findStoredAnswer(call.db, ref))
      if (before) return before
      call.prepared = await prepare(call)
    }
    if (ref) return await runOnce(call.db, ref, async (tx) => noted(await handle?.({ ...call, db: tx })))
    if (!route.idempotent) return fresh(present(await handle?.(call)))
    return fresh(await call.db.transaction(async (tx) => noted(await handle?.({ ...call, db: tx }))))
  }

  async function settled(answer: Answer, call: HandledCall, ref: Ref | undefined): Promise<Answer> {
    if (!settle || (answer.replayed && !route.settlesRepeats)) return answer
    const later = await settle(JSON.parse(answer.text), call)
    if (later === undefined) return answer
    if (later instanceof Problem) {
      if (ref) await releaseFailedReply(call.db, ref, answer.text)
      throw later
    }
    const text = present(later)
    if (ref && !answer.replayed) await keep(call.db, [{ ref, reply: text }])
    return { text, replayed: answer.replayed }
  }

  // If the route adds jobs, this first reserves a place for the request’s job in the backlog.
  return async function answer(
    call: HandledCall,
    caller: Caller | undefined,
    input: Input,
    idempotencyKey?: string,
  ): Promise<Answer> {
    const ref = caller && getIdempotencyRef(operation, caller, input, idempotencyKey, call.uploadToken?.start_id)
    if (!route.enqueues || !caller) return await work(call, ref)
    using place = await runtime.backlog.admit(caller, route.enqueues.pool)
    if (!place.refusal) return await work(call, ref)
    const before = ref && (await findStoredAnswer(call.db, ref))
    if (before) return before
    if (await repeats?.(call)) return await work(call, ref)
    throw place.refusal
  }
}

const fresh = (text: string): Answer => ({ text, replayed: false })

/** Creates the function that converts a reply to a JSON string. Fields that are not in the schema are omitted. */
export function createPresenter({ id, route }: Operation): (value: unknown) => string {
  const { reply } = route
  if (!reply) return () => ''
  return (value) => {
    if (value instanceof PresentedJson) return value.text
    const parsed = reply.safeParse(value)
    if (!parsed.success) throw new Error(`The response of ${id} does not match its schema.`, { cause: parsed.error })
    return JSON.stringify(parsed.data)
  }
}
