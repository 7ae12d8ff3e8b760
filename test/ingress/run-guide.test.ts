import t from 'tap'
import { pushStack } from '../push/stack.ts'
import { runGuide } from '../support/run-guide.ts'

const guide = `# Contacts

\`\`\`sh
export MILLRACE_API_KEY=bt_live_…
\`\`\`

## Quickstart

\`\`\`sh
curl -sS "$MILLRACE_BASE_URL/push/v1/apps" -H "Authorization: Bearer $MILLRACE_API_KEY" -H 'Content-Type: application/json' -d '{"name": "Shop"}'
\`\`\`

\`\`\`js
import { Millrace } from 'millrace'
console.log((await new Millrace().push.listApps()).data.length)
\`\`\`

\`\`\`json
{ "id": "01a2f3", "name": "…" }
\`\`\`

\`\`\`sh
export APP_ID=01a2f3
\`\`\`

\`\`\`sh
# Repeat until the app can be read.
curl -sS "$MILLRACE_BASE_URL/push/v1/apps/$APP_ID" -H "Authorization: Bearer $MILLRACE_API_KEY"
\`\`\`

\`\`\`json
{ "id": "01a2f3", "name": "Shop" }
\`\`\`
`

t.test('the examples of a guide run with real values, in each language', async (t) => {
  const stack = await pushStack(t)
  const run = { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: stack.key }
  const steps = await runGuide(guide, { ...run, languages: ['sh', 'js'] })
  t.match(steps.at(-1)?.json, { name: 'Shop' })
  t.equal(steps.find(({ language }) => language === 'js')?.out, '1\n')
  await t.rejects(runGuide(guide.replace('"name": "…"', '"title": "…"'), run), /response.title is missing/)
  await t.rejects(runGuide(guide.replaceAll('/push/v1/apps', '/push/v1/nothing'), run), /response.id is missing/)
  await t.rejects(runGuide('# Empty\n', run), /No example was run/)
})
