import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { commandLine } from '../support/millrace.ts'

const nowhere = 'postgres://127.0.0.1:1/none'
const { run } = commandLine(nowhere)
const empty = t.testdir({})

/** What doctor says of the dashboard: of its address, and of whom its mail comes from. */
async function doctor(environment: Record<string, string>) {
  const { out } = await run('doctor --json --only dashboard', { MILLRACE_DATA: empty, ...environment })
  return JSON.parse(out).filter(({ check }: { check: string }) => check === 'dashboard')
}

t.test('without TLS the dashboard is well on this machine alone', async (t) => {
  const [away, near] = [{ ok: false, found: /unencrypted/, todo: /https:\/\// }, { ok: true }]
  for (const [url, wanted] of [
    ['https://app.example.com', near],
    ['http://localhost:8080', near],
    ['http://[::1]:8080', near],
    ['http://localhost.example.com', away],
  ] as const)
    t.match(await doctor({ APP_URL: url, MAIL_PLATFORM_FROM: 'Us@example.com' }), [
      { ...wanted },
      { ok: true, found: /us@example\.com$/ },
    ])
  const [found] = await doctor({ PUBLIC_URL: 'http://192.0.2.7:8080', MAIL_HOSTNAME: 'localhost' })
  t.match(found, { ...away, found: /http:\/\/192\.0\.2\.7:8080/ }, 'it is at PUBLIC_URL without APP_URL')
})

t.test('codes to sign in come from an address that others take mail of, except where they are caught', async (t) => {
  const sender = async (environment: Record<string, string>) => (await doctor(environment))[1]
  t.match(await sender({}), { ok: false, found: /no-reply@localhost/, todo: /MAIL_PLATFORM_FROM/ })
  t.match(await sender({ MAIL_HOSTNAME: 'mail.example.com' }), { ok: true, found: /no-reply@mail\.example\.com$/ })
  const stack = t.testdir({})
  await writeFile(join(stack, 'dev.json'), JSON.stringify({ database_url: nowhere }))
  t.match(await sender({ MILLRACE_DATA: stack }), { ok: true, found: /stack/ })
  t.match(
    await sender({ MILLRACE_DATA: stack, DATABASE_URL: `${nowhere}-other` }),
    { ok: false },
    'of another database',
  )
})
