import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

let made = 0

export const automation: Owned = ({ make, db, owner }) => {
  const createRule = () =>
    make('POST /v1/automation/rules', {
      name: `rule-${made++}`,
      event: 'email.bounced',
      action: { type: 'job', url: 'https://example.com/' },
    })
  return {
    made: {
      '/v1/automation/rules': createRule,
      // Without workers no rule is started.
      '/v1/automation/runs': async () => {
        const id = newId()
        await db.query(sql.typeAlias('void')`
          insert into automation.runs (id, org_id, rule_id, event_id, event_type, status)
          values (${id}, ${owner.org.id}, ${await createRule()}, ${newId()}, 'email.bounced', 'failed')`)
        return id
      },
    },
    bodies: { 'automation.rules.update': { name: 'renamed' } },
  }
}
