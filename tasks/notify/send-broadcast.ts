import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import { isHeld } from '#sql/account/move/moves.ts'
import type { Db } from '#sql/db.ts'
import * as recipients from '#sql/notify/broadcast-people.ts'
import * as broadcasts from '#sql/notify/broadcasts.ts'
import { filterEntitled } from '../account/rules/entitled-keys.ts'
import { task } from '../queue/task.ts'
import { emitEndedBroadcast } from './rules/broadcast-events.ts'
import { tellPeople } from './rules/tell-people.ts'

const pageSize = 250

/** Number of pages per run. Then other jobs get their turn. */
const pagesPerRun = 4

/** Delay in milliseconds while the organisation moves to another cell. */
const heldMs = 10_000

/**
 * Notifies the people of a broadcast, page by page. A page, its counts and the start of the next page are one
 * transaction, so a crash neither loses nor repeats anyone.
 */
export const sendBroadcast = task({
  name: 'notify/send-broadcast',
  pool: 'core',
  payload: z.object({ broadcastId: Id }),
  attempts: 8,
  timeout: 5 * 60_000,
  async run({ broadcastId }, { db, signal }) {
    for (let page = 0; page < pagesPerRun; page++) {
      signal.throwIfAborted()
      if (!(await db.transaction((tx) => sendPage(tx, broadcastId)))) return
    }
    throw new Later(0, 'more people follow')
  },
  async giveUp({ broadcastId }, _error, { db }) {
    await db.transaction((tx) => endBroadcast(tx, broadcastId, { status: 'failed', reason: 'given_up' }))
  },
  revive: ({ broadcastId }, { db }) => broadcasts.retry(db, broadcastId),
})

/** Processes one page of people. Returns false if nobody is left, or if the broadcast has ended. */
async function sendPage(tx: Db, id: string): Promise<boolean> {
  const broadcast = await broadcasts.lock(tx, id)
  if (broadcast?.status !== 'running') return false
  if (await isHeld(tx, broadcast.org_id)) throw new Later(heldMs, 'The organisation is being moved.')
  const hindrance = await findOrgHindrance(tx, broadcast)
  if (hindrance !== undefined) {
    await endBroadcast(tx, id, { status: 'failed', reason: hindrance })
    return false
  }
  const { page, last } = await takePage(tx, broadcast)
  if (last === null) {
    await endBroadcast(tx, id, { status: 'completed', reason: null })
    return false
  }
  const key = broadcast.key_id === null ? null : await keys.find(tx, broadcast.org_id, broadcast.key_id)
  const ended = await tellPeople(tx, broadcast, key, page)
  await recipients.endMany(tx, ended)
  const countOf = (outcome: recipients.Recipient['outcome']) => ended.filter((one) => one.outcome === outcome).length
  const counts = { told: countOf('told'), refused: countOf('refused'), failed: countOf('failed') }
  await broadcasts.advance(tx, id, counts, last)
  return true
}

/** Returns why nobody else can be notified, by the current state of the organisation and of the key. */
async function findOrgHindrance(tx: Db, { org_id, key_id }: broadcasts.Broadcast): Promise<string | undefined> {
  if (await closures.isClosing(tx, org_id)) return 'organisation_closing'
  if (key_id !== null && !(await filterEntitled(tx, [key_id], 'notify:write')).has(key_id)) return 'key_revoked'
  return undefined
}

/** Returns the next people, who are current members of the topic, and the last row. Null if nobody is left. */
async function takePage(tx: Db, broadcast: broadcasts.Broadcast) {
  if (broadcast.audience === 'recipients') {
    const page = await recipients.listWaiting(tx, broadcast.id, pageSize)
    return { page, last: page.at(-1)?.id ?? null }
  }
  const found = await recipients.listCandidates(tx, broadcast, pageSize)
  const page = await recipients.addMany(
    tx,
    found.map(({ user_id, subject, person_id }) => ({
      ...{ broadcast_id: broadcast.id, org_id: broadcast.org_id, user_id, subject, person_id },
    })),
  )
  return { page, last: found.at(-1)?.id ?? null }
}

/** Ends a running broadcast and refuses its waiting people. Returns null if it has already ended. */
export async function endBroadcast(
  tx: Db,
  id: string,
  { status, reason }: Pick<broadcasts.Broadcast, 'status' | 'reason'>,
): Promise<broadcasts.Broadcast | null> {
  const running = await broadcasts.lock(tx, id)
  if (running?.status !== 'running') return null
  // People of a broadcast that was given up stay waiting, because it can be retried.
  if (status !== 'completed' && reason !== 'given_up') {
    const refused = await recipients.refuseWaiting(tx, id, reason ?? status)
    await broadcasts.advance(tx, id, { told: 0, refused, failed: 0 }, running.last_person)
  }
  const ended = await broadcasts.end(tx, id, { status, reason })
  if (ended) await emitEndedBroadcast(tx, ended)
  return ended
}
