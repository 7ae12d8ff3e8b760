import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const Pose = z.enum(['centre', 'left', 'right'])

export const FaceDecision = z.enum(['match', 'no_match', 'inconclusive'])

export const ChallengeResult = z.enum(['passed', 'failed', 'inconclusive', 'not_performed'])

export const FaceReason = z.object({
  code: z.enum(['different_face', 'uncertain_face', 'wrong_pose', 'unclear_pose', 'other_person', 'uncertain_person']),
  frame: z.int().nullable().describe('Number of the frame, from 1. `null` for the comparison with the document.'),
})

export type FaceReason = z.infer<typeof FaceReason>

export const table = defineTable(
  'identity',
  'face_checks',
  z.object({
    id: Id,
    org_id: Id,
    subject: z.string(),
    requirement: z.string(),
    challenge_required: z.boolean(),
    threshold: z.number(),
    consented_at: z.date().nullable(),
    object_id: Id.nullable(),
    poses: z.array(Pose).nullable(),
    challenge_id: Id.nullable(),
    challenge_expires_at: z.date().nullable(),
    challenge_used_at: z.date().nullable(),
    frames_hash: z.string().nullable(),
    challenges: z.number(),
    tries: z.number(),
    busy_until: z.date().nullable(),
    attempts: z.number(),
    decision: FaceDecision.nullable(),
    distance: z.number().nullable(),
    challenge_result: ChallengeResult.nullable(),
    reasons: z.array(FaceReason).nullable(),
    model: z.string().nullable(),
    created_at: z.date(),
    expires_at: z.date(),
    completed_at: z.date().nullable(),
  }),
  { retention: days(90, 'created_at') },
)

export const FaceCheck = table.Row

export type FaceCheck = z.infer<typeof FaceCheck>

type Start = Pick<FaceCheck, 'id' | 'org_id' | 'subject' | 'requirement' | 'expires_at'> &
  Partial<Pick<FaceCheck, 'challenge_required' | 'threshold'>>

/** Creates the check of a prompt. Returns the check that exists already, if there is one. */
export async function start(tx: Db, values: Start): Promise<FaceCheck> {
  await tx.query(sql.typeAlias('void')`${table.insert(values)} on conflict (id) do nothing`)
  return await tx.one(sql.type(FaceCheck)`
    select ${table.columns()} from identity.face_checks where id = ${values.id} for update`)
}

export async function find(db: Db, id: string): Promise<FaceCheck | null> {
  return await db.maybeOne(sql.type(FaceCheck)`
    select ${table.columns()} from identity.face_checks where id = ${id}`)
}

export async function findForObject(db: Db, orgId: string, objectId: string): Promise<FaceCheck | null> {
  return await db.maybeOne(sql.type(FaceCheck)`
    select ${table.columns()} from identity.face_checks
    where object_id = ${objectId} and org_id = ${orgId} order by id desc limit 1`)
}

export async function lock(tx: Db, id: string): Promise<FaceCheck | null> {
  return await tx.maybeOne(sql.type(FaceCheck)`
    select ${table.columns()} from identity.face_checks where id = ${id} for update`)
}

export async function update(tx: Db, id: string, values: Parameters<typeof table.set>[0]): Promise<FaceCheck> {
  return await tx.one(sql.type(FaceCheck)`
    update identity.face_checks set ${table.set(values)} where id = ${id} returning ${table.columns()}`)
}

export const filters = {
  idp_sub: table.equals('subject'),
  decision: table.equals('decision'),
}

export async function list(db: Db, orgId: string, { where, before, limit }: Page<typeof filters>) {
  return await db.any(sql.type(FaceCheck)`
    select ${table.columns()} from identity.face_checks where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
