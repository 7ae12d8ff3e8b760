import { requireVariable } from '#lib/config.ts'
import { hideText } from '#lib/hidden-text.ts'
import { isClosing } from '#sql/account/closures.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as prefixes from '#sql/verify/prefixes.ts'
import * as settingsRows from '#sql/verify/settings.ts'
import * as verifications from '#sql/verify/verifications.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { follow } from './follow.ts'
import { findAuthority } from './rules/authority.ts'
import { channels } from './rules/channels/index.ts'
import { createCode, hashCode } from './rules/codes.ts'
import { isCountryAllowed } from './rules/countries.ts'
import { emitVerification } from './rules/emit-verification.ts'
import { recordFailure } from './rules/record-failure.ts'
import { sendTask } from './rules/send-task.ts'

/**
 * Creates a code and submits its message. The code exists only in this transaction: the database has its keyed hash, and
 * the message has it sealed. A second run finds the message and returns.
 */
export const send = task({
  ...sendTask,
  timeout: 30_000,
  async run({ id, send }, { db }) {
    await db.transaction((tx) => sendCode(tx, id, send))
  },
  giveUp: ({ id, send }, _, { db }) => giveUp(db, id, send),
})

async function sendCode(tx: Db, id: string, send: number): Promise<void> {
  const verification = await verifications.lockForSend(tx, id, send)
  if (!verification || (await isClosing(tx, verification.org_id))) return
  const { org_id, key_id, sandbox, recipient, code_length, channel, country } = verification
  const settings = await settingsRows.find(tx, org_id)
  if (!sandbox && country !== null) {
    if ((await prefixes.findFor(tx, org_id, recipient))?.state === 'blocked') return await block(tx, verification)
    if (!isCountryAllowed(channel, country, settings))
      return await recordFailure(tx, verification, 'country_not_allowed', send)
  }
  const authority = await findAuthority(tx, org_id, key_id, channel)
  if ('refused' in authority) return await recordFailure(tx, verification, authority.refused, send)
  const secret = requireVariable('SIGNING_SECRET')
  const code = createCode(code_length)
  const outcome = await channels[channel].send(tx, {
    verification,
    settings,
    code: sandbox ? code : hideText(code, recipient, secret),
    fromDomains: authority.fromDomains,
  })
  if ('refused' in outcome) return await recordFailure(tx, verification, outcome.refused, send)
  await verifications.setSent(tx, id, {
    hash: hashCode(id, code, secret),
    messageId: outcome.messageId,
    delivery: sandbox ? 'delivered' : 'queued',
  })
  await emitVerification(tx, 'verify.sent', verification)
  if (!sandbox) await enqueue(tx, follow, { id, send, look: 0 }, { orgId: org_id, at: new Date(Date.now() + 1_000) })
}

/** The range of the number was blocked after the start. */
async function block(tx: Db, verification: verifications.Verification): Promise<void> {
  const blocked = await verifications.setBlocked(tx, verification, 'prefix_blocked')
  if (blocked) await emitVerification(tx, 'verify.undeliverable', blocked)
}

async function giveUp(db: DatabasePool, id: string, send: number): Promise<void> {
  await db.transaction(async (tx) => {
    const verification = await verifications.lockForSend(tx, id, send)
    if (verification) await recordFailure(tx, verification, 'send_failed', send)
  })
}
