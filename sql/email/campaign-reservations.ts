import { z } from 'zod'
import { lockRoom } from '../account/usage/budgets.ts'
import { type Db, sql } from '../db.ts'
import type { Campaign } from './campaigns.ts'
import * as usage from './usage.ts'

/**
 * Counts messages of a campaign as usage before they are created. Returns the granted number, which replaces the
 * previous reservation.
 */
export async function reserve(tx: Db, campaign: Campaign, messages: number): Promise<number> {
  const { id, org_id } = campaign
  // `take` locks the budget before the usage. In another order, campaigns and single messages would deadlock.
  await lockRoom(tx, 'email.messages', [org_id])
  await giveBack(tx, campaign)
  const granted = (await usage.take(tx, [{ org_id, messages }])).get(org_id) ?? 0
  await tx.query(sql.typeAlias('void')`
    update email.campaigns set reserved = ${granted}, reserved_at = now() where id = ${id}`)
  return granted
}

/** Returns the number of reserved messages. A reservation counts only on its day (UTC), because usage is counted by day. */
export async function getReserved(tx: Db, { id }: Campaign): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ reserved: z.number() }))`
    select case when (reserved_at at time zone 'utc')::date = (now() at time zone 'utc')::date then reserved else 0 end as reserved
    from email.campaigns where id = ${id}`)
}

/** Gives back the messages that were reserved and not created. Call it before other locks of the transaction. */
export async function giveBack(tx: Db, { id, org_id, reserved, reserved_at }: Campaign): Promise<void> {
  if (reserved === 0 || reserved_at === null) return
  await usage.giveBack(
    tx,
    Array.from({ length: reserved }, () => ({ org_id, created_at: reserved_at })),
  )
  await tx.query(sql.typeAlias('void')`update email.campaigns set reserved = 0 where id = ${id}`)
}
