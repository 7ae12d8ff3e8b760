import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import { type MovedTable, readMovedTables } from '#sql/account/move/tables.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { compare } from '#tasks/account/rules/move/compare.ts'
import { copyPeople } from '#tasks/account/rules/move/people.ts'
import { type Moving, stayingTables } from '#tasks/account/rules/move/plan.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import type { Scope } from '../support/postgres.ts'
import { type Filler, filler } from './every-table.ts'

/** One of two cells: its database, and what fills it. */
export interface TestCell {
  db: DatabasePool
  all: Filler
}

/** Two cells, without ingress and workers. */
export interface TwoCells {
  here: TestCell
  there: TestCell
  tables: readonly MovedTable[]
  /** A move that has not begun. */
  movingOf(orgId: string): Moving
  /** An organisation that has rows in every table, and nothing live. */
  fullOrg(): ReturnType<typeof testOrg>
  /** Adds to its audit log. */
  append(orgId: string): Promise<void>
}

/** How moves go in tests: no process remembers anything. */
export const manner = { actor: 'test', mostSeconds: 60, handSeconds: 5, heedMs: 0 }

/** Opens two cells that go with the test. */
export async function twoCells(t: Scope): Promise<TwoCells> {
  const [here, there] = [await cell(t), await cell(t)]
  const tables = await readMovedTables(here.db, stayingTables)
  return {
    here,
    there,
    tables,
    movingOf: (orgId) => ({
      move: { id: newId(), org_id: orgId, objects: 'shared' },
      source: { name: 'a', db: here.db, storage: undefined },
      target: { name: 'b', db: there.db, storage: undefined },
      tables,
      tell: () => {},
    }),
    async fullOrg() {
      const made = await testOrg(here.db, ['account:audit'])
      await here.all.fill(made.org.id)
      for (const table of ['voice.calls', 'rooms.broadcasts', 'rooms.rooms'])
        await here.db.query(sql.typeAlias('void')`update ${sql.identifier(table.split('.'))} set ended_at = now()`)
      await here.db.query(sql.typeAlias('void')`delete from live.sessions`)
      return made
    },
    append: (orgId) =>
      here.db.transaction((tx) =>
        audit.append(tx, { orgId, actor: { kind: 'operator', id: null, name: 'x' }, action: 'key.created' }),
      ),
  }
}

async function cell(t: Scope): Promise<TestCell> {
  const { db, url } = await testDatabase(t)
  const all = await filler(url)
  t.teardown(all.end)
  return { db, all }
}

const Job = z.object({
  key: z.string().nullable(),
  priority: z.number(),
  attempts: z.number(),
  run_at: z.date(),
})

/** An organisation's jobs of the pool core. */
export const jobsOf = (db: DatabasePool, orgId: string) =>
  db.any(sql.type(Job)`
    select key, priority, attempts, run_at from jobs_core._private_jobs where payload ->> 'org' = ${orgId} order by key`)

/** Tables in which both cells differ. */
export async function differing(moving: Moving): Promise<string[]> {
  const found = await compare(moving, await copyPeople(moving))
  return [...found.differing.keys()].map(({ name }) => name)
}
