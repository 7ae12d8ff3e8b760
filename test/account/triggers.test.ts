import { readFile } from 'node:fs/promises'
import t from 'tap'
import { z } from 'zod'
import { triggers as ofAccount } from '#sql/account/triggers.ts'
import { sql } from '#sql/db.ts'
import { triggers as ofDirectory } from '#sql/directory/triggers.ts'
import { triggers as ofIdentity } from '#sql/identity/triggers.ts'
import { triggers as ofKnowledge } from '#sql/knowledge/triggers.ts'
import { testDatabase } from '../support/database.ts'

const { db } = await testDatabase(t)

const Trigger = z.object({ on: z.string(), trigger: z.string() })

t.test('each trigger that crosses areas is named by the area that owns its effect, and in its guide', async (t) => {
  // A function that names a schema of another area crosses into it.
  const crossing = await db.any(sql.type(Trigger)`
    select format('%s.%s', n.nspname, c.relname) as on, g.tgname as trigger
    from pg_trigger as g join pg_class as c on c.oid = g.tgrelid join pg_namespace as n on n.oid = c.relnamespace
    join pg_proc as p on p.oid = g.tgfoid
    where not g.tgisinternal and n.nspname not like 'jobs\\_%' and exists (
      select from pg_namespace as other
      where other.nspname <> n.nspname and other.nspname !~ '^(pg_|information_schema|public|jobs_)'
        and p.prosrc ~ format('\\m%s\\.', other.nspname))`)
  const named = [...ofAccount, ...ofDirectory, ...ofIdentity, ...ofKnowledge].map(({ on, trigger }) => ({
    on,
    trigger,
  }))
  const sorted = (list: readonly z.infer<typeof Trigger>[]) => list.map(({ on, trigger }) => `${on} ${trigger}`).sort()
  t.same(sorted(named), sorted(crossing))
  const guides = [
    ['../../ops/CONFIGURE.md', ofAccount],
    ['../../ingress/directory/README.md', ofDirectory],
    ['../../ingress/identity/README.md', ofIdentity],
    ['../../ingress/bots/README.md', ofKnowledge],
  ] as const
  const ai = await readFile(new URL('../../ingress/ai/README.md', import.meta.url), 'utf8')
  for (const [path, triggers] of guides) {
    const guide = `${await readFile(new URL(path, import.meta.url), 'utf8')}\n${ai}`
    for (const { on, trigger, effect } of triggers)
      t.ok(guide.includes(`\`${trigger}\` on \`${on}\` ${effect}`), trigger)
  }
})
