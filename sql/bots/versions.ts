import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Variable = z.object({ key: z.string(), label: z.string(), required: z.boolean() })

export type Variable = z.infer<typeof Variable>

export const table = defineTable(
  'bots',
  'versions',
  z.object({
    bot_id: Id,
    version: z.number(),
    template_key: z.string().nullable(),
    template_version: z.number().nullable(),
    system_prompt: z.string(),
    greeting: z.string().nullable(),
    fallback: z.string(),
    starter_questions: z.array(z.string()),
    variables: z.array(Variable),
    variable_values: z.record(z.string(), z.string()),
    temperature: z.number().nullable(),
    max_tokens: z.number(),
    created_at: z.date(),
  }),
)

export type Version = z.infer<typeof table.Row>

export type Persona = Omit<Version, 'bot_id' | 'version' | 'created_at'>

const columns = table.columns()

export async function insert(tx: Db, version: Omit<Version, 'created_at'>): Promise<Version> {
  const row = { ...version, starter_questions: sql.array(version.starter_questions, 'text') as never }
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${columns}`)
}

export async function find(db: Db, botId: string, version: number): Promise<Version> {
  return await db.one(sql.type(table.Row)`
    select ${columns} from bots.versions where bot_id = ${botId} and version = ${version}`)
}

export async function findCurrent(db: Db, botIds: readonly string[]): Promise<ReadonlyMap<string, Version>> {
  if (botIds.length === 0) return new Map()
  const rows = await db.any(sql.type(table.Row)`
    select ${table.columns('v')} from bots.versions as v
    join bots.bots as b on b.id = v.bot_id and b.version = v.version
    where b.id = any(${sql.array([...botIds], 'uuid')})`)
  return new Map(rows.map((row) => [row.bot_id, row]))
}
