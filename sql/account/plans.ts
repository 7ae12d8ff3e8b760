import { z } from 'zod'
import { type Db, sql } from '../db.ts'

/** What an organisation may use; sizes in bytes. */
export const Plan = z.object({
  name: z.string(),
  key_requests_per_minute: z.number(),
  key_burst: z.number(),
  org_requests_per_minute: z.number(),
  upload_bytes: z.number(),
  storage_bytes: z.number(),
  monthly_messages: z.number(),
  room_participants: z.number(),
  live_channels: z.number(),
  waiting_jobs: z.number(),
})

/** A row of `account.plans`. */
export type Plan = z.infer<typeof Plan>

const columns = sql.fragment`name, key_requests_per_minute, key_burst, org_requests_per_minute, upload_bytes,
  storage_bytes, monthly_messages, room_participants, live_channels, waiting_jobs`

/** Every plan, smallest first. */
export async function list(db: Db): Promise<readonly Plan[]> {
  return await db.any(sql.type(Plan)`select ${columns} from account.plans order by org_requests_per_minute, name`)
}

/** Adds a plan or replaces its numbers; processes heed them within seconds. */
export async function put(db: Db, plan: Plan): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into account.plans (${columns})
    values (${plan.name}, ${plan.key_requests_per_minute}, ${plan.key_burst}, ${plan.org_requests_per_minute},
      ${plan.upload_bytes}, ${plan.storage_bytes}, ${plan.monthly_messages}, ${plan.room_participants},
      ${plan.live_channels}, ${plan.waiting_jobs})
    on conflict (name) do update set (${columns}) = row(excluded.*)`)
}
