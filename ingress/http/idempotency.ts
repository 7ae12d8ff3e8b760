import { hash } from 'node:crypto'
import type { Context } from 'koa'
import { canonicalJson } from '#lib/canonical.ts'
import { badRequest, conflict } from '#lib/errors.ts'
import * as idempotency from '#sql/account/idempotency.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { Operation } from './area.ts'
import type { Input } from './request/validate.ts'

export interface Answer {
  text: string
  replayed: boolean
}

const maxKeyLength = 255

export function getIdempotencyKey({ headers }: Context): string | undefined {
  const given = headers['idempotency-key']
  return typeof given === 'string' ? given.trim() : undefined
}

/**
 * Returns the reference of a request with an idempotency key, or undefined if it has no key. A key is valid for one
 * organisation and operation. Requests of sandbox keys and live keys never share responses, nor do web pages with different
 * upload tokens.
 */
export function getIdempotencyRef(
  operation: Operation,
  caller: Caller,
  input: Input,
  header: string | undefined,
  startToken?: string,
): idempotency.Ref | undefined {
  const { idempotent } = operation.route
  if (!idempotent) return undefined
  const field = idempotent === true ? undefined : idempotent.field
  const inBody = field && (input.body as Record<string, unknown> | undefined)?.[field]
  if (header === '') throw badRequest([{ field: 'header.idempotency-key', issue: 'must not be empty' }])
  const key = header ?? (typeof inBody === 'string' ? inBody : '')
  if (key === '') return undefined
  if (header && inBody && header !== inBody) {
    throw badRequest([{ field: `body.${field}`, issue: 'must be equal to the `Idempotency-Key` header' }])
  }
  if (key.length > maxKeyLength) {
    const where = header ? 'header.idempotency-key' : `body.${field}`
    throw badRequest([{ field: where, issue: `must have at most ${maxKeyLength} characters` }])
  }
  const locks = boundBy(caller.key)
  const hashed = (body: unknown) =>
    hash('sha256', canonicalJson([input.params, input.query ?? null, body, ...(locks ? [locks] : [])]), 'hex')
  const former = inBody ? { formerHash: hashed(input.given ?? null) } : {}
  return {
    orgId: caller.org.id,
    operation: scopeOf(operation, caller, startToken),
    key,
    hash: hashed(withoutKey(input.given, field)),
    ...former,
  }
}

function scopeOf({ id }: Operation, { key }: Caller, startToken: string | undefined): string {
  return [id, ...(key.mode === 'test' ? ['(sandbox)'] : []), ...(startToken ? [`(${startToken})`] : [])].join(' ')
}

/**
 * Returns the locks that a handler checks, or undefined. The locks are part of the request’s identity. A key with other
 * locks must not get the stored response, because no handler would check its access.
 */
function boundBy({ locks: { origins: _, ...locks } }: Caller['key']): Caller['key']['locks'] | undefined {
  const given = Object.entries(locks).filter(([, lock]) => lock !== undefined)
  return given.length > 0 ? Object.fromEntries(given) : undefined
}

function withoutKey(given: unknown, field: string | undefined): unknown {
  if (field === undefined || typeof given !== 'object' || given === null) return given ?? null
  return { ...given, [field]: undefined }
}

/** Returns the stored response for a repeated request. Throws 409 if the key was used for a different request. */
export function replay(ref: idempotency.Ref, stored: idempotency.StoredReply): Answer {
  const isSame = stored.hash === ref.hash || stored.hash === ref.formerHash
  if (!isSame || stored.reply === null) {
    throw conflict(
      'This idempotency key was used for a different request, or by a key with different locks. Use a new idempotency key.',
    )
  }
  return { text: stored.reply, replayed: true }
}

export async function findStoredAnswer(db: Db, ref: idempotency.Ref): Promise<Answer | undefined> {
  const stored = (await idempotency.find(db, [ref])).get(idempotency.nameOf(ref))
  return stored && replay(ref, stored)
}

/**
 * Runs `work` and stores its response in one transaction, unless a response is already stored. If another request with
 * the same key is running, waits until it has finished. If `work` throws, nothing is stored.
 */
export async function runOnce(
  db: DatabasePool,
  ref: idempotency.Ref,
  work: (tx: Db) => Promise<string>,
): Promise<Answer> {
  return await db.transaction(async (tx) => {
    const claimed = await idempotency.claim(tx, [ref])
    if (claimed.size === 0) {
      const before = await findStoredAnswer(tx, ref)
      if (!before) throw new Error('An idempotency key was neither free nor in use.')
      return before
    }
    const text = await work(tx)
    await idempotency.keep(tx, [{ ref, reply: text }])
    return { text, replayed: false }
  })
}
