import '../support/voice-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import * as numbers from '#sql/voice/numbers.ts'
import { readGuide } from '../support/guide.ts'
import { program } from '../support/millrace.ts'
import { runGuide } from '../support/run-guide.ts'
import { ownNumber, phone, startSip, trunksTo, voiceStack } from './stack.ts'

t.setTimeout(240_000)
const guide = await readGuide('ingress/voice/README.md')
const { db, databaseUrl, url, orgId, key, ask } = await voiceStack(t)

t.test('an operator assigns a number and rules as in the guide', async (t) => {
  await numbers.remove(db, ownNumber)
  await db.query(sql.typeAlias('void')`update account.orgs set name = 'dev' where id = ${orgId}`)
  const [step] = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: url,
    apiKey: key,
    sections: ['Assign a number and rules'],
    replace: { 'npx millrace': program },
    environment: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' },
  })
  t.match(step, { err: '', out: /Office/ })
  t.match(await ask('GET /v1/voice/dids'), { body: { data: [{ number: ownNumber, friendly_name: 'Office' }] } })
})

t.test('the call of the guide is connected and hung up', async (t) => {
  const [a, b] = await Promise.all([phone(t, 'a'), phone(t, 'b')])
  await startSip(t, databaseUrl, db, trunksTo(a.port, b.port))
  const steps = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: url,
    apiKey: key,
    sections: ['Quickstart'],
    languages: ['sh', 'js', 'python'],
    oneOfEach: true,
  })
  t.match(
    steps.flatMap(({ json }) => json?.status ?? []),
    ['queued', 'in_progress', 'in_progress'],
  )
  t.same([await a.ended, await b.ended], [0, 0], `${a.errors()}${b.errors()}`)
})

t.test('the status of the guide can be read', async (t) => {
  const [step] = await runGuide(guide, {
    folder: t.testdir(),
    baseUrl: url,
    apiKey: key,
    sections: ['Check whether calls are possible'],
  })
  t.type(step?.json.trunks.known, 'number')
})
