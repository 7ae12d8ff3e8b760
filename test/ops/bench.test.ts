import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parseOptions } from '../../ops/trials/bench/parse-options.ts'

const main = fileURLToPath(new URL('../../ops/trials/bench/main.ts', import.meta.url))

/** Runs a benchmark with the given arguments, and without the programs of this machine. */
async function bench(t: { testdir(): string }, ...args: string[]) {
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; out: string; err: string }>()
  const env = { PATH: t.testdir() }
  execFile(process.execPath, [main, ...args], { env, timeout: 60_000 }, (error, out, err) =>
    resolve({ code: error?.code, out, err }),
  )
  return promise
}

t.test('a measurement without the program it compares with says what to install, and no more', async (t) => {
  const { code, out, err } = await bench(t, 'scan')
  t.equal(err, 'clamdscan is not installed. Install the package clamdscan to compare with it.\n')
  t.equal(out, '')
  t.equal(code, 1)
})

t.test('a wrong option is reported without a stack', async (t) => {
  const { code, out, err } = await bench(t, 'depth', '--rows', '1000', '--fewer', '1000')
  t.same([code, out, err], [1, '', '--fewer must be smaller than --rows.\n'])
})

t.test('wrong options and names are reported', async (t) => {
  const options = { jobs: { about: 'jobs in a round', default: 50 } }
  t.same(parseOptions({ options, names: 'areas' }, ['wiki', '--jobs', '5']), { numbers: { jobs: 5 }, names: ['wiki'] })
  t.same(parseOptions({ options }, []), { numbers: { jobs: 50 }, names: [] })
  const wrong: [string[], RegExp][] = [
    [['--jobs', 'many'], /^--jobs must be a number above 0\.$/],
    [['--job', '5'], /^Unknown option '--job'.*\nnpm run bench lists the options of each benchmark\.$/],
    [['--jobs'], /^Option '--jobs <value>' argument missing\n/],
    [['core'], /^Unexpected argument 'core'/],
  ]
  for (const [args, message] of wrong)
    t.throws(() => parseOptions({ options }, args), { name: 'InvalidOptionError', message }, args.join(' '))
})
