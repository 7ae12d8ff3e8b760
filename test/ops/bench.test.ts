import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const main = fileURLToPath(new URL('../../ops/trials/bench/main.ts', import.meta.url))

t.test('a measurement without the program it compares with says what to install, and no more', async (t) => {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; out: string; err: string }>()
  const env = { PATH: t.testdir() }
  execFile(process.execPath, [main, 'scan'], { env, timeout: 60_000 }, (error, out, err) =>
    resolve({ code: error?.code, out, err }),
  )
  const { code, out, err } = await promise
  t.equal(err, 'clamdscan is not installed. Install the package clamdscan to compare with it.\n')
  t.equal(out, '')
  t.equal(code, 1)
})
