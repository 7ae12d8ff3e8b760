import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { groupedRoute } from '../../ingress/http/route.ts'
import { newId } from '../../lib/ids.ts'
import { type Db, sql } from '../../sql/db.ts'

/** The lock on which the commit of the note `last words` waits. */
export const commitLock = 4711

export async function installNotes(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`create table notes (id uuid primary key, text text not null)`)
  await db.query(sql.typeAlias('void')`
    create function hold_commit() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(4711);
      return null;
    end $$`)
  await db.query(sql.typeAlias('void')`
    create constraint trigger hold_commit after insert on notes deferrable initially deferred
    for each row when (new.text = 'last words') execute function hold_commit()`)
}

/** Stores a note. The response contains the process that stored it. */
const keep = groupedRoute({
  method: 'POST',
  path: '/notes',
  summary: 'Keep a note',
  scope: 'files:write',
  idempotent: true,
  status: 202,
  body: z.strictObject({ text: z.string() }),
  reply: z.object({ id: z.guid(), pid: z.int() }),
  async commit(tx, calls) {
    const rows = calls.map(({ body }) => [newId(), body.text])
    await tx.query(sql.typeAlias('void')`
      insert into notes (id, text) select * from ${sql.unnest(rows, ['uuid', 'text'])} as n`)
    return rows.map(([id]) => ({ id: id as string, pid: process.pid }))
  },
})

export const areas = [
  area({
    name: 'notes',
    title: 'Notes',
    description: 'Notes.',
    base: '/v1',
    platform: true,
    routes: { notes: { keep } },
  }),
]
