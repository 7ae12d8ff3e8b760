import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'
import { Mode } from './keys.ts'

export const deviceMinutes = 10

/** Seconds between two requests of a device. Each earlier request adds the same number (RFC 8628 §3.5). */
export const pollSeconds = 5

/** Key that a member has approved. It is created when the device collects it. */
export const Granted = z.object({
  name: z.string(),
  scopes: z.array(z.string()),
  mode: Mode,
  expires_at: z.string().nullable(),
})

export type Granted = z.infer<typeof Granted>

/** Requests of programs for an API key (RFC 8628). The codes are hashed. */
export const table = defineTable(
  'account',
  'device_logins',
  z.object({
    id: Id,
    device_hash: z.string(),
    user_hash: z.string(),
    client_name: z.string(),
    scopes: z.array(z.string()),
    mode: Mode,
    network: z.string(),
    state: z.enum(['pending', 'approved', 'denied', 'used']),
    interval_seconds: z.number(),
    polled_at: z.date().nullable(),
    org_id: Id.nullable(),
    user_id: Id.nullable(),
    granted: Granted.nullable(),
    key_id: Id.nullable(),
    decided_at: z.date().nullable(),
    created_at: z.date(),
    expires_at: z.date(),
  }),
  { retention: hours(24, 'expires_at') },
)

export type DeviceLogin = z.infer<typeof table.Row>

export type NewDeviceLogin = Pick<DeviceLogin, 'client_name' | 'scopes' | 'mode' | 'network' | 'user_hash'> & {
  device_code: string
}

/** Maximum number of open requests, in total and of one network. */
const [mostOpen, mostOfNetwork] = [10_000, 100]

/** Returns null if there are too many open requests, or another open request has the same user code. */
export async function insert(db: Db, { device_code, scopes, ...given }: NewDeviceLogin): Promise<DeviceLogin | null> {
  const open = sql.fragment`from account.device_logins where state = 'pending' and expires_at > now()`
  return await db.maybeOne(sql.type(table.Row)`
    insert into account.device_logins (id, device_hash, user_hash, client_name, scopes, mode, network, interval_seconds, expires_at)
    select ${newId()}, ${hashSecret(device_code)}, ${given.user_hash}, ${given.client_name}, ${sql.array(scopes, 'text')},
      ${given.mode}, ${given.network}, ${pollSeconds}, now() + ${deviceMinutes} * interval '1 minute'
    where (select count(*) from (select ${open} limit ${mostOpen}) as o) < ${mostOpen}
      and (select count(*) from (select ${open} and network = ${given.network} limit ${mostOfNetwork}) as n) < ${mostOfNetwork}
    on conflict do nothing returning ${table.columns()}`)
}

const isOpen = sql.fragment`state = 'pending' and expires_at > now()`

/** Returns an open request by its user code. */
export async function findOpen(db: Db, userHash: string): Promise<DeviceLogin | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from account.device_logins where user_hash = ${userHash} and ${isOpen}`)
}

/** Approves or denies an open request. Returns false if it was already decided or has expired. */
export async function decide(
  tx: Db,
  id: string,
  { orgId, userId, granted }: { orgId: string; userId: string; granted: Granted | null },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.device_logins
    set state = ${granted ? 'approved' : 'denied'}, org_id = ${orgId}, user_id = ${userId},
      granted = ${granted && sql.jsonb(granted)}, decided_at = now()
    where id = ${id} and ${isOpen}`)
  return rowCount === 1
}

const Poll = table.Row.extend({ open: z.boolean(), early: z.boolean() })

/**
 * Records a request of a device and returns its row, locked until the transaction ends. `early` is true if the device
 * did not wait. Then it must wait longer next time. Null if the device code is unknown.
 */
export async function poll(tx: Db, deviceCode: string): Promise<z.infer<typeof Poll> | null> {
  return await tx.maybeOne(sql.type(Poll)`
    with before as (
      select id as device_id, polled_at > now() - interval_seconds * interval '1 second' as was_early
      from account.device_logins where device_hash = ${hashSecret(deviceCode)} for no key update)
    update account.device_logins set polled_at = now(),
      interval_seconds = least(60, interval_seconds + case when was_early then ${pollSeconds}::integer else 0 end)
    from before where id = device_id
    returning ${table.columns()}, expires_at > now() as open, coalesce(was_early, false) as early`)
}

/** Records that the device has collected its key. Returns false if it was collected before. */
export async function use(tx: Db, id: string, keyId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.device_logins set state = 'used', key_id = ${keyId} where id = ${id} and state = 'approved'`)
  return rowCount === 1
}
