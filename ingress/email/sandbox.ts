import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { keepDays, limits, lockContactRoom } from '#sql/email/sandbox.ts'
import { problem } from '../http/problem-kinds.ts'

/** Whether a key records without delivering, and has contacts of its own. */
export const isSandbox = ({ mode }: Caller['key']): boolean => mode === 'test'

/** A sandbox has no room for more. */
export const sandboxLimit = problem(409, 'sandbox_limit', 'The sandbox is full.')

/** The refusal of a message more than a sandbox keeps. */
export const sandboxFull = () =>
  sandboxLimit(
    `The sandbox is full (${limits.messages} messages or ${limits.bytes} bytes). Messages expire after ${keepDays} days.`,
    { max_messages: limits.messages, max_bytes: limits.bytes },
  )

/** Throws 409 unless a sandbox may have these contacts, too; no other request adds any until the transaction ends. */
export async function demandRoom(tx: Db, orgId: string, emails: readonly string[]): Promise<void> {
  if (await lockContactRoom(tx, orgId, emails)) return
  throw sandboxLimit(`A sandbox can have ${limits.contacts} contacts. Delete contacts first.`, {
    max_contacts: limits.contacts,
  })
}
