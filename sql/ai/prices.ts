import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'ai',
  'prices',
  z.object({
    id: Id,
    model: z.string(),
    currency: z.string().nullable(),
    input: z.number().nullable(),
    cached_input: z.number().nullable(),
    output: z.number().nullable(),
    minute: z.number().nullable(),
    valid_from: z.date(),
    created_by: z.string(),
  }),
)

export type PriceRow = z.infer<typeof table.Row>

/** Billionths of the currency per million tokens, or per minute of audio. */
export const Price = table.Row.pick({ id: true, model: true, cached_input: true, minute: true }).extend({
  currency: z.string(),
  input: z.number(),
  output: z.number(),
})

export type Price = z.infer<typeof Price>

/** Returns the current prices of models. Models without a price are missing. */
export async function listCurrent(db: Db, models: readonly string[]): Promise<ReadonlyMap<string, Price>> {
  if (models.length === 0) return new Map()
  const rows = await db.any(sql.type(Price)`
    select * from (
      select distinct on (model) id, model, currency, input, cached_input, output, minute from ai.prices
      where model = any(${sql.array([...models], 'text')}) and valid_from <= clock_timestamp()
      order by model, valid_from desc
    ) as p where currency is not null`)
  return new Map(rows.map((price) => [price.model, price]))
}

export async function find(db: Db, id: string): Promise<Price | null> {
  return await db.maybeOne(sql.type(Price)`
    select id, model, currency, input, cached_input, output, minute from ai.prices
    where id = ${id} and currency is not null`)
}

/** Returns the prices of all models: past, current and future ones, newest first. */
export async function list(db: Db, limit = 10_000): Promise<readonly PriceRow[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from ai.prices order by model, valid_from desc limit ${limit}`)
}

/** Adds a price. Returns false if the model already has a price from exactly this time. */
export async function add(
  db: Db,
  { valid_from, ...price }: Omit<PriceRow, 'id' | 'valid_from'> & { valid_from?: Date | undefined },
): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    ${table.insert({ id: newId(), ...price, valid_from })} on conflict (model, valid_from) do nothing`)
  return rowCount > 0
}
