import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Changes of object states, written by a trigger. IDs grow with time, so `at` needs no index. */
export const table = defineTable('files', 'state_changes', z.object({ id: z.number(), object_id: Id, at: z.date() }), {
  retention: days('FILE_CHANGES_DAYS', 'at', {
    where: sql.fragment`old.id in (select id from files.state_changes order by id limit 5000)`,
  }),
})
