import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import { keepDays, limits, lockContactRoom } from '#sql/email/sandbox.ts'
import { problem } from '../../http/problem-kinds.ts'

export const isSandbox = ({ mode }: Caller['key']): boolean => mode === 'test'

export const sandboxLimit = problem(409, 'sandbox_limit', 'The sandbox is full.')

export const createSandboxFull = () =>
  sandboxLimit(
    `The sandbox is full (${limits.messages} messages or ${limits.bytes} bytes). Messages expire after ${keepDays} days.`,
    { max_messages: limits.messages, max_bytes: limits.bytes },
  )

/**
 * Throws 409 if the sandbox has no room for these contacts. Until the transaction ends, no other request can add
 * contacts.
 */
export async function assertContactRoom(tx: Db, orgId: string, emails: readonly string[]): Promise<void> {
  if (await lockContactRoom(tx, orgId, emails)) return
  throw sandboxLimit(`A sandbox can have ${limits.contacts} contacts. Delete contacts first.`, {
    max_contacts: limits.contacts,
  })
}
