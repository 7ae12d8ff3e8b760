import t from 'tap'
import { testDatabase } from '../support/database.ts'
import { readGuide } from '../support/guide.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { runGuide } from '../support/run-guide.ts'

t.setTimeout(240_000)

const { db } = await testDatabase(t)
const { keys } = await testOrg(db, ['account:read'])
const ingress = await testIngress(t, db, [], { only: ['mcp', 'docs', 'account', 'email', 'files'] })

t.test('every call of the guide works as shown', async (t) => {
  const guide = await readGuide('ingress/mcp/README.md')
  const run = { folder: t.testdir(), baseUrl: ingress.url, apiKey: keys.main }
  const steps = await runGuide(guide, { ...run, languages: ['sh'] })
  t.equal(steps.filter(({ json }) => json).length, 3)
})

t.test('the page of the guide lists all tools', async (t) => {
  const { text } = await ingress.ask('GET /docs/guides/mcp.md')
  t.match(text, /\| `send_email` +\|[^\n]*`email:send`/)
  t.match(text, /\| `delete_file` +\|[^\n]*\| yes/)
  t.notMatch(text, /<!-- table/)
})
