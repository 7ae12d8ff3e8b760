import { hash } from 'node:crypto'
import { canonical } from '#lib/canonical.ts'
import { badRequest, conflict } from '#lib/errors.ts'
import * as idempotency from '#sql/account/idempotency.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Operation } from './area.ts'
import type { Input } from './request/validate.ts'

/** An answer as it leaves: its body as JSON text, and whether it is a repeated one. */
export interface Answer {
  text: string
  replayed: boolean
}

const maxKeyLength = 255

/**
 * What names a request with an idempotency key; undefined for one without. Keys belong to the organisation and operation;
 * what a sandbox key sends never answers for what a live one does.
 */
export function refOf(
  operation: Operation,
  caller: Caller,
  input: Input,
  header: string | undefined,
): idempotency.Ref | undefined {
  const { idempotent } = operation.route
  if (!idempotent) return undefined
  const field = idempotent === true ? undefined : idempotent.field
  const inBody = field && (input.body as Record<string, unknown> | undefined)?.[field]
  if (header === '') throw badRequest([{ field: 'header.idempotency-key', issue: 'must not be empty' }])
  const key = header ?? (typeof inBody === 'string' ? inBody : '')
  if (key === '') return undefined
  if (header && inBody && header !== inBody) {
    throw badRequest([{ field: `body.${field}`, issue: 'differs from the header Idempotency-Key' }])
  }
  if (key.length > maxKeyLength) {
    const where = header ? 'header.idempotency-key' : `body.${field}`
    throw badRequest([{ field: where, issue: `is longer than ${maxKeyLength} characters` }])
  }
  const locks = boundBy(caller.key)
  const hashed = (body: unknown) =>
    hash('sha256', canonical([input.params, input.query ?? null, body, ...(locks ? [locks] : [])]), 'hex')
  const former = inBody ? { formerHash: hashed(input.given ?? null) } : {}
  const sandbox = caller.key.mode === 'test' ? ' (sandbox)' : ''
  return {
    orgId: caller.org.id,
    operation: operation.id + sandbox,
    key,
    hash: hashed(withoutKey(input.given, field)),
    ...former,
  }
}

/**
 * The locks by which a handler compares a request; undefined without any. They are part of the request: a kept answer is not given to
 * a key that is locked otherwise, as no handler would ask whether that key may have it.
 */
function boundBy({ locks: { origins: _, ...locks } }: Caller['key']): Caller['key']['locks'] | undefined {
  const given = Object.entries(locks).filter(([, lock]) => lock !== undefined)
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

/** A body but for its idempotency key: wherever that stands, the request is the same. */
function withoutKey(given: unknown, field: string | undefined): unknown {
  if (field === undefined || typeof given !== 'object' || given === null) return given ?? null
  return { ...given, [field]: undefined }
}

/** The kept answer to a repeated request; throws 409 when the key stood for another request. */
export function replay(ref: idempotency.Ref, stored: idempotency.StoredReply): Answer {
  const isSame = stored.hash === ref.hash || stored.hash === ref.formerHash
  if (!isSame || stored.reply === null) {
    throw conflict('This idempotency key was used for another request, or by a key with other locks.')
  }
  return { text: stored.reply, replayed: true }
}

/** The kept answer to a request, if there is one. */
export async function answered(db: Db, ref: idempotency.Ref): Promise<Answer | undefined> {
  const stored = (await idempotency.find(db, [ref])).get(idempotency.nameOf(ref))
  return stored && replay(ref, stored)
}

/**
 * Does `work` and keeps its answer in one transaction, unless an answer is kept already. While another request with the
 * same key is at work, this one waits for its end; work that throws leaves nothing behind.
 */
export async function once(db: DatabasePool, ref: idempotency.Ref, work: (tx: Db) => Promise<string>): Promise<Answer> {
  return await db.transaction(async (tx) => {
    const claimed = await idempotency.claim(tx, [ref])
    if (claimed.size === 0) {
      const before = await answered(tx, ref)
      if (!before) throw new Error('An idempotency key was neither free nor taken.')
      return before
    }
    const text = await work(tx)
    await idempotency.keep(tx, [{ ref, reply: text }])
    return { text, replayed: false }
  })
}
