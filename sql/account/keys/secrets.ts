import { z } from 'zod'
import { findCell } from '#lib/cell-marks.ts'
import { Id, newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import { type Db, sql } from '../../db.ts'
import { defineTable, getColumns } from '../../table.ts'

export const table = defineTable(
  'account',
  'key_secrets',
  z.object({
    id: Id,
    key_id: Id,
    hash: z.string(),
    start: z.string(),
    /** Whole key if it is public. `null` for a secret, and for public keys of earlier releases. */
    public_key: z.string().nullable(),
    keep_hours: z.number().nullable(),
    created_at: z.date(),
    expires_at: z.date().nullable(),
    first_used_at: z.date().nullable(),
    last_used_at: z.date().nullable(),
    revoked_at: z.date().nullable(),
  }),
)

export const Secret = table.Row.omit({ hash: true, public_key: true })

export type Secret = z.infer<typeof Secret>

const columns = getColumns(Secret)

/** Returns the first characters of a secret: prefix, cell and four characters. 230 random bits stay unknown. */
function startOf({ prefix, secret }: { prefix: string; secret: string }): string {
  const cell = findCell(secret)
  return secret.slice(0, prefix.length + (cell === undefined ? 0 : cell.length + 1) + 4)
}

/** Adds a secret to a key. A trigger creates the same row from the hash in the key’s row. */
export async function insert(
  tx: Db,
  { keyId, keepHours = null, ...shown }: { keyId: string; prefix: string; secret: string; keepHours?: number | null },
): Promise<void> {
  const hash = hashSecret(shown.secret)
  const public_key = shown.prefix === 'bt_site_' ? shown.secret : null
  const row = { id: newId(), key_id: keyId, hash, start: startOf(shown), public_key, keep_hours: keepHours }
  await tx.query(sql.typeAlias('void')`
    ${table.insert(row)} on conflict (hash) do update set start = excluded.start, public_key = excluded.public_key
    where key_secrets.key_id = excluded.key_id`)
}

const good = sql.fragment`revoked_at is null and (expires_at is null or expires_at > now())`

export async function listActive(db: Db, keyIds: readonly string[]): Promise<readonly Secret[]> {
  return await db.any(sql.type(Secret)`
    select ${columns} from account.key_secrets
    where key_id = any (${sql.array([...keyIds], 'uuid')}) and ${good} order by id desc`)
}

/** Returns the newest active text of a public key. `null` for a secret key, and for public keys of earlier releases. */
export async function findPublicText(db: Db, keyId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ public_key: true }))`
    select public_key from account.key_secrets where key_id = ${keyId} and ${good} order by id desc limit 1`)
}

/** Gives a key a new secret. Each previous secret ends `keepHours` after the new secret is created or first used. */
export async function rotate(
  tx: Db,
  { id: keyId, prefix }: { id: string; prefix: string },
  { secret, keepHours, fromFirstUse }: { secret: string; keepHours: number; fromFirstUse: boolean },
): Promise<void> {
  if (!fromFirstUse) {
    await tx.query(sql.typeAlias('void')`
      update account.key_secrets set expires_at = least(expires_at, now() + ${keepHours} * interval '1 hour')
      where key_id = ${keyId} and ${good}`)
    // Processes of the previous release read only this column, and must not accept an ended secret.
    if (keepHours === 0) {
      await tx.query(sql.typeAlias('void')`
        update account.keys set hash = ${hashSecret(secret)} where id = ${keyId}`)
    }
  }
  await insert(tx, { keyId, prefix, secret, keepHours: fromFirstUse ? keepHours : null })
}

/** Records the first use of a secret, which can end the previous secrets. */
export async function begin(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    with used as (
      update account.key_secrets set first_used_at = now() where id = ${id} and first_used_at is null
      returning key_id, keep_hours
    )
    update account.key_secrets as s set expires_at = least(s.expires_at, now() + used.keep_hours * interval '1 hour')
    from used
    where s.key_id = used.key_id and s.id < ${id} and used.keep_hours is not null
      and s.revoked_at is null and (s.expires_at is null or s.expires_at > now())`)
}

/** Records the last use of secrets and keys of any organisation, at most once per minute for each secret or key. */
export async function touchAll(db: Db, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return
  const rows = [...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, at]) => [id, at.toISOString()])
  await db.query(sql.typeAlias('void')`
    with touched as (
      update account.key_secrets as s set last_used_at = u.at
      from ${sql.unnest(rows, ['uuid', 'timestamptz'])} as u (id, at)
      where s.id = u.id and (s.last_used_at is null or s.last_used_at < u.at - interval '1 minute')
      returning s.key_id, u.at
    )
    update account.keys as k set last_used_at = t.at
    from (select key_id, max(at) as at from touched group by key_id) as t
    where k.id = t.key_id and (k.last_used_at is null or k.last_used_at < t.at - interval '1 minute')`)
}
