import '../support/voice-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import * as numbers from '#sql/voice/numbers.ts'
import { block, readGuide, runSnippet, writeFacts } from '../support/guide.ts'
import { program } from '../support/millrace.ts'
import { ownNumber, phone, startSip, trunksTo, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/voice/README.md')
const { db, databaseUrl, url, orgId, key, ask } = await voiceStack(t)
const folder = t.testdir({ bin: {} })
await writeFacts(folder, { base_url: url, keys: { platform: key } })

t.test('an operator gives a number and rules as the guide says', async (t) => {
  await numbers.remove(db, ownNumber)
  await db.query(sql.typeAlias('void')`update account.orgs set name = 'dev' where id = ${orgId}`)
  const said = await runSnippet(folder, `npx() { shift; ${program} "$@"; }\n${block(guide, 'sh', 'add-number')}`, {
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'warn',
  })
  t.match(said, { code: 0, err: '', out: /Office/ })
  t.match(await ask('GET /v1/voice/dids'), { body: { data: [{ number: ownNumber, friendly_name: 'Office' }] } })
})

t.test('the guide’s call is connected and hung up', async (t) => {
  const [a, b] = await Promise.all([phone(t, 'a'), phone(t, 'b')])
  await startSip(t, databaseUrl, db, trunksTo(a.port, b.port))
  const said = await runSnippet(folder, block(guide, 'sh', 'dev.json'))
  t.match(said, { code: 0, err: '', out: /"status":"in_progress"/ })
  t.same([await a.ended, await b.ended], [0, 0], `${a.errors()}${b.errors()}`)
})
