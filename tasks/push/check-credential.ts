import { z } from 'zod'
import { describe } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { toStorableText } from '#lib/outside-text.ts'
import * as credentials from '#sql/push/credentials.ts'
import { task } from '../queue/task.ts'

/** Checks a credential with its provider and stores the result. Callers wait for it with `ask` (tasks/queue/ask.ts). */
export const checkCredential = task({
  name: 'push/check-credential',
  pool: 'push',
  payload: z.object({ credentialId: Id }),
  tracked: true,
  attempts: 1,
  timeout: 15_000,
  async run({ credentialId }, { db, push, seal, signal }) {
    const credential = await credentials.findById(db, credentialId)
    const secret = credential && seal.open(credential.secret, credential.id)
    if (!credential || secret === null) return null
    const { id, provider, environment, facts } = credential
    const check = await push.check({ id, provider, environment, facts, secret }, signal).then(
      (fault) => ({ state: fault === undefined ? ('ok' as const) : ('failed' as const), reason: fault ?? null }),
      (error: Error) => ({ state: 'unreachable' as const, reason: toStorableText(describe(error), 500) }),
    )
    await credentials.saveCheck(db, id, check)
    return check
  },
})
