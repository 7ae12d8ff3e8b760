import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type DatabasePool, sql } from '../../db.ts'

const Row = z.object({ facts: z.record(z.string(), z.string().nullable()) })

export async function readFacts(
  db: DatabasePool,
  table: FragmentSqlToken,
  belongs: FragmentSqlToken,
  facts: readonly string[],
  take: (rows: readonly z.infer<typeof Row>['facts'][]) => Promise<void>,
): Promise<void> {
  const pairs = facts.flatMap((fact) => [
    sql.fragment`${sql.literalValue(fact)}`,
    sql.fragment`${sql.identifier(['t0', fact])}::text`,
  ])
  await db.transaction(async (tx) => {
    await tx.query(sql.unsafe`select set_config('idle_in_transaction_session_timeout', '0', true)`)
    await tx.query(sql.unsafe`
      declare facts_of_rows no scroll cursor for
      select json_build_object(${sql.join(pairs, sql.fragment`, `)}) as facts from ${table} as t0 where ${belongs}`)
    for (;;) {
      const rows = await tx.anyFirst(sql.type(Row)`fetch 500 from facts_of_rows`)
      if (rows.length === 0) return
      await take(rows)
    }
  })
}
