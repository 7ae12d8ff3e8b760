import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'email',
  'host_challenges',
  z.object({ token: z.string(), hostname: z.string(), answer: z.string() }),
)

export async function put(tx: Db, hostname: string, token: string, answer: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ token, hostname, answer })}
    on conflict (token) do update set answer = excluded.answer, hostname = excluded.hostname`)
}

export async function findAnswer(db: Db, token: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(z.object({ answer: z.string() }))`
    select answer from email.host_challenges where token = ${token}`)
}

export async function remove(tx: Db, hostname: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from email.host_challenges where hostname = ${hostname}`)
}
