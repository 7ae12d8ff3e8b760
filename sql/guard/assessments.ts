import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'
import { Tier } from './sites.ts'

export const Decision = z.enum(['allow', 'challenge', 'deny'])

export const Reason = z.object({ code: z.string(), weight: z.int(), detail: z.string() })

export type Reason = z.infer<typeof Reason>

/** Signals of a web page. A client can forge them, so they can only increase the score. */
export const Signals = z.object({
  webdriver: z.boolean().optional(),
  languages: z.int().min(0).max(1000).optional(),
  interactions: z.int().min(0).max(1_000_000).optional(),
  ms_on_page: z.int().min(0).max(86_400_000).optional(),
  touch: z.boolean().optional(),
})

export type Signals = z.infer<typeof Signals>

export const table = defineTable(
  'guard',
  'assessments',
  z.object({
    id: Id,
    org_id: Id,
    site_id: Id,
    action: z.string(),
    subject: z.string(),
    signals: Signals,
    decision: Decision,
    tier: Tier.nullable(),
    score: z.int(),
    reasons: z.array(Reason),
    created_at: z.date(),
    expires_at: z.date(),
  }),
  { retention: hours(24, 'expires_at') },
)

export type Assessment = z.infer<typeof table.Row>

export async function insert(
  db: Db,
  assessment: Omit<Assessment, 'created_at' | 'expires_at'>,
  seconds: number,
): Promise<Date> {
  const { signals, reasons, ...plain } = assessment
  const row = {
    ...plain,
    signals: sql.jsonb(signals),
    reasons: sql.jsonb(reasons),
    expires_at: sql.fragment`now() + ${seconds} * interval '1 second'`,
  }
  return (await db.one(sql.type(table.Row.pick({ expires_at: true }))`${table.insert(row)} returning expires_at`))
    .expires_at
}

const AssessmentFacts = table.Row.pick({ signals: true, decision: true })

/** Returns a valid assessment of exactly this attempt. `null` for an assessment of another visitor. */
export async function findFor(
  db: Db,
  { id, siteId, action, subject }: { id: string; siteId: string; action: string; subject: string },
): Promise<z.infer<typeof AssessmentFacts> | null> {
  return await db.maybeOne(sql.type(AssessmentFacts)`
    select signals, decision from guard.assessments
    where id = ${id} and site_id = ${siteId} and action = ${action} and subject = ${subject} and expires_at > now()`)
}
