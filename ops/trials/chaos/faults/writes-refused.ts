import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { type Fault, measureNextEffect, waitUntil } from '../fault.ts'

const nothing = sql.typeAlias('void')
const CountRow = z.object({ count: z.number() })

/**
 * Makes Postgres reject the rows that workers write around a task for a while: its start, its end, returned jobs and
 * failures. Writes of the tasks succeed.
 */
export const writesRefused: Fault = {
  name: 'writes-refused',
  what: 'every write around a task rejected',
  async strike(arena) {
    const { db } = arena.stage
    const eventuallyDone = (what: string, query: ReturnType<typeof nothing>) =>
      waitUntil(what, async () => (await db.query(query)) && true)
    await eventuallyDone(
      'writes are rejected',
      nothing`
      do $do$ begin
        create sequence chaos.refusals;
        create function chaos.refuse() returns trigger language plpgsql as $$ begin
          perform nextval('chaos.refusals');
          raise exception 'chaos: this write is refused' using errcode = '53100';
        end $$;
        create trigger refuse before update on jobs.runs for each row execute function chaos.refuse();
        create trigger refuse before update on jobs_core._private_jobs for each row when (new.flags is not null)
          execute function chaos.refuse();
        create trigger refuse before update on chaos.items for each row when (new.state = 'given_up')
          execute function chaos.refuse();
      end $do$`,
    )
    let count = 0
    try {
      await pause(arena.away)
      count = await waitUntil('rejections are counted', () =>
        db.oneFirst(sql.type(CountRow)`
          select (case when is_called then last_value else 0 end)::integer as count from chaos.refusals`),
      )
    } finally {
      await eventuallyDone(
        'writes are accepted again',
        nothing`
        do $do$ begin
          drop function if exists chaos.refuse cascade;
          drop sequence if exists chaos.refusals;
        end $do$`,
      )
    }
    return { recovery: await measureNextEffect(arena), broken: count > 0 ? [] : ['nothing was rejected'] }
  },
}
