import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export interface PlanLimit {
  /** Unit of the limit. Sizes accept KiB, MiB, GiB and TiB. */
  unit: 'requests' | 'bytes' | 'messages' | 'participants' | 'channels' | 'jobs' | 'tokens' | 'lines' | 'streams'
  initial: number
  description: string
  /** For request limits: who the requests are counted for, and the window in milliseconds. */
  rate?: { bucket: string; by: CountedBy; windowMs: number }
}

/**
 * Requests with server keys count for the key and its organisation. Requests with public keys count for the visitor and
 * the key.
 */
type CountedBy = 'key' | 'org' | 'visitor' | 'site'

const kib = 2 ** 10
const minuteMs = 60_000

export const limits = {
  key_requests_per_minute: {
    unit: 'requests',
    initial: 300,
    description: 'requests per minute per server key',
    rate: { bucket: 'key', by: 'key', windowMs: minuteMs },
  },
  key_burst: {
    unit: 'requests',
    initial: 30,
    description: 'requests per second per server key',
    rate: { bucket: 'burst', by: 'key', windowMs: 1_000 },
  },
  org_requests_per_minute: {
    unit: 'requests',
    initial: 600,
    description: 'requests per minute for all server keys',
    rate: { bucket: 'org', by: 'org', windowMs: minuteMs },
  },
  // A form needs three calls per visitor, and a message needs two or three receipts. Two requests per second are enough
  // for an office behind one IP address.
  visitor_requests_per_minute: {
    unit: 'requests',
    initial: 120,
    description: 'requests per minute per visitor with a public key',
    rate: { bucket: 'visitor', by: 'visitor', windowMs: minuteMs },
  },
  // Enough for a thousand forms, or for 25 visitors who each reach the visitor limit.
  site_requests_per_minute: {
    unit: 'requests',
    initial: 3_000,
    description: 'requests per minute for all visitors with one public key',
    rate: { bucket: 'site', by: 'site', windowMs: minuteMs },
  },
  upload_bytes: { unit: 'bytes', initial: 2 * kib ** 3, description: 'maximum size of a single upload' },
  storage_bytes: {
    unit: 'bytes',
    initial: 10 * kib ** 3,
    description: 'storage, including uploads in progress',
  },
  monthly_messages: { unit: 'messages', initial: 3_000, description: 'messages sent per month' },
  room_participants: { unit: 'participants', initial: 10, description: 'participants per room' },
  live_channels: { unit: 'channels', initial: 2, description: 'live channels' },
  waiting_jobs: {
    unit: 'jobs',
    initial: 1_000,
    description: 'pending jobs per pool; further jobs are rejected',
  },
  video_lines: { unit: 'lines', initial: 1080, description: 'lines of the largest video rendition' },
  log_streams: { unit: 'streams', initial: 5, description: 'log streams' },
  monthly_tokens: { unit: 'tokens', initial: 200_000, description: 'language model tokens per month' },
} as const satisfies Record<string, PlanLimit>

export type LimitName = keyof typeof limits

export const limitNames = Object.keys(limits) as LimitName[]

/** Request limits from this value on are not enforced, so requests are not counted. */
export const uncountedRequests = 1_000_000_000

export const table = defineTable(
  'account',
  'plans',
  z.object({
    name: z.string(),
    ...(Object.fromEntries(limitNames.map((name) => [name, z.number()])) as Record<LimitName, z.ZodNumber>),
  }),
)

export const Plan = table.Row

export type Plan = z.infer<typeof Plan>

export async function list(db: Db): Promise<readonly Plan[]> {
  return await db.any(sql.type(Plan)`
    select ${table.columns()} from account.plans order by org_requests_per_minute, name`)
}

export async function findForOrganisation(db: Db, orgId: string): Promise<Plan> {
  return await db.one(sql.type(Plan)`
    select ${table.columns('p')} from account.plans as p join account.orgs as o on o.plan = p.name where o.id = ${orgId}`)
}

export async function put(db: Db, plan: Plan): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert(plan)}
    on conflict (name) do update set (${table.columns()}) = row(${table.columns('excluded')})`)
}
