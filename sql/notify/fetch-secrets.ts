import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Secret of an organisation that signs the requests of `fetch` steps, encrypted. */
export const table = defineTable(
  'notify',
  'fetch_secrets',
  z.object({
    org_id: Id,
    secret: z.string(),
    previous_secret: z.string().nullable(),
    /** End of the time in which requests are also signed with the previous secret. */
    previous_until: z.date().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const FetchSecret = table.Row

export type FetchSecret = z.infer<typeof FetchSecret>

/** Associated data of the encryption. */
export const getSecretContext = (orgId: string): string => `notify fetch ${orgId}`

/** Time in hours in which requests are also signed with the previous secret. */
export const previousHours = 24

export async function find(db: Db, orgId: string): Promise<FetchSecret | null> {
  return await db.maybeOne(sql.type(FetchSecret)`
    select ${table.columns()} from notify.fetch_secrets where org_id = ${orgId}`)
}

/** Creates the secret of an organisation, or replaces it. */
export async function put(tx: Db, orgId: string, secret: string): Promise<FetchSecret> {
  return await tx.one(sql.type(FetchSecret)`
    insert into notify.fetch_secrets as f (org_id, secret) values (${orgId}, ${secret})
    on conflict (org_id) do update set secret = excluded.secret, previous_secret = f.secret,
      previous_until = now() + make_interval(hours => ${previousHours}), updated_at = now()
    returning ${table.columns()}`)
}
