import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** One thing that a plan limits. */
export interface PlanLimit {
  /** What the number counts; sizes may be written with KiB, MiB, GiB and TiB. */
  unit: 'requests' | 'bytes' | 'messages' | 'participants' | 'channels' | 'jobs' | 'tokens' | 'lines'
  /** What plan `free` begins with. */
  initial: number
  description: string
  /** Of a limit of requests: whose they are, and the milliseconds within which they are counted. */
  rate?: { bucket: string; by: CountedBy; windowMs: number }
}

/** Whose requests are counted: with a server key the key's and its organisation's, with a public one its visitor's and its own. */
type CountedBy = 'key' | 'org' | 'visitor' | 'site'

const kib = 2 ** 10
const minuteMs = 60_000

/** What plans limit, by the column of `account.plans`, in the order that operators are shown. */
export const limits = {
  key_requests_per_minute: {
    unit: 'requests',
    initial: 300,
    description: 'requests per minute of one server key',
    rate: { bucket: 'key', by: 'key', windowMs: minuteMs },
  },
  key_burst: {
    unit: 'requests',
    initial: 30,
    description: 'requests per second of one server key',
    rate: { bucket: 'burst', by: 'key', windowMs: 1_000 },
  },
  org_requests_per_minute: {
    unit: 'requests',
    initial: 600,
    description: 'requests per minute of all server keys',
    rate: { bucket: 'org', by: 'org', windowMs: minuteMs },
  },
  // A form takes a visitor three calls, and a message that comes two or three receipts: two a second are for an office that
  // is behind one address.
  visitor_requests_per_minute: {
    unit: 'requests',
    initial: 120,
    description: 'requests per minute of one visitor with a public key',
    rate: { bucket: 'visitor', by: 'visitor', windowMs: minuteMs },
  },
  // A thousand forms: 25 visitors who use all of theirs, so that none alone has more than a twenty-fifth.
  site_requests_per_minute: {
    unit: 'requests',
    initial: 3_000,
    description: 'requests per minute of all visitors with one public key',
    rate: { bucket: 'site', by: 'site', windowMs: minuteMs },
  },
  upload_bytes: { unit: 'bytes', initial: 2 * kib ** 3, description: 'largest single upload' },
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
  monthly_tokens: { unit: 'tokens', initial: 200_000, description: 'language model tokens per month' },
} as const satisfies Record<string, PlanLimit>

export type LimitName = keyof typeof limits

export const limitNames = Object.keys(limits) as LimitName[]

/** Requests a minute or a second from here on are not counted at all. */
export const uncountedRequests = 1_000_000_000

/** Plans: what organisations may use. */
export const table = defineTable(
  'account',
  'plans',
  z.object({
    name: z.string(),
    ...(Object.fromEntries(limitNames.map((name) => [name, z.number()])) as Record<LimitName, z.ZodNumber>),
  }),
)

/** What an organisation may use. */
export const Plan = table.Row

/** A row of `account.plans`. */
export type Plan = z.infer<typeof Plan>

/** Every plan, smallest first. */
export async function list(db: Db): Promise<readonly Plan[]> {
  return await db.any(sql.type(Plan)`
    select ${table.columns()} from account.plans order by org_requests_per_minute, name`)
}

export async function ofOrg(db: Db, orgId: string): Promise<Plan> {
  return await db.one(sql.type(Plan)`
    select ${table.columns('p')} from account.plans as p join account.orgs as o on o.plan = p.name where o.id = ${orgId}`)
}

/** Adds a plan or replaces its numbers; every process follows within seconds. */
export async function put(db: Db, plan: Plan): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert(plan)}
    on conflict (name) do update set (${table.columns()}) = row(${table.columns('excluded')})`)
}
