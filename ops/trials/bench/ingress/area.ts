import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, type Db, sql } from '#sql/db.ts'
import { enqueue, enqueueMany } from '#tasks/queue/enqueue.ts'
import { area } from '../../../../ingress/http/area.ts'
import { groupedRoute, route } from '../../../../ingress/http/route.ts'
import { noOp } from '../no-op.ts'

export async function makeTable(db: DatabasePool): Promise<void> {
  await db.query(sql.typeAlias('void')`create schema bench`)
  await db.query(sql.typeAlias('void')`
    create table bench.notes (id uuid primary key, org_id uuid not null, text text not null,
      created_at timestamptz not null default now())`)
}

const Note = z.object({ text: z.string().min(1).max(200), urgent: z.boolean().default(false) })
const Accepted = z.object({ id: z.string() })
const facts = { method: 'POST', scope: 'stream:write', body: Note, status: 202, reply: Accepted } as const

interface NewNote {
  id: string
  org_id: string
  text: string
}

export const one = route({
  ...facts,
  path: '/one',
  summary: 'Store a note',
  async handle({ body, org, db }) {
    const id = newId()
    await db.transaction(async (tx) => {
      await insertMany(tx, [{ id, org_id: org.id, text: body.text }])
      await enqueue(tx, noOp, {})
    })
    return { id }
  },
})

export const many = groupedRoute({
  ...facts,
  path: '/many',
  summary: 'Store a grouped note',
  async commit(tx, calls) {
    const notes = calls.map(({ body, org }) => ({ id: newId(), org_id: org.id, text: body.text }))
    await insertMany(tx, notes)
    await enqueueMany(
      tx,
      noOp,
      notes.map(() => ({})),
    )
    return notes.map(({ id }) => ({ id }))
  },
})

async function insertMany(tx: Db, notes: NewNote[]): Promise<void> {
  const rows = notes.map(({ id, org_id, text }) => [id, org_id, text])
  await tx.query(sql.prepared('bench.insert_many', z.object({}))`
    insert into bench.notes (id, org_id, text) select * from ${sql.unnest(rows, ['uuid', 'uuid', 'text'])}`)
}

export const bench = area({
  name: 'bench',
  title: 'Bench',
  description: 'Requests of the ingress benchmark.',
  base: '/v1/bench',
  platform: true,
  routes: { notes: { one, many } },
})
