import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { run, runPython } from '../support/python.ts'
import { runWithNode } from './node-caller.ts'
import { newMark, served } from './served.ts'
import { contradictions, differences, type Outcome, type Program, runList, sharedCalls } from './shared-list.ts'

t.setTimeout(300_000)
const api = await served(t)

t.test('the Node client makes every call of the shared list', async (t) => {
  const { faults, outcomes } = await runList(t, api, newMark(), runWithNode)
  t.same(faults, [])
  t.ok(Object.keys(outcomes).length >= 60)
})

const caller = fileURLToPath(new URL('python-caller.py', import.meta.url))

/** Makes the calls of the list with one of Python's clients. */
const runWith = (args: string[]) => async (program: Program) =>
  JSON.parse(await runPython([caller, ...args], { input: JSON.stringify(program) })) as Record<string, Outcome>

t.test('both clients of Python get from the shared list what they should, and the same', async (t) => {
  const blocking = await runList(t, api, newMark(), runWith([]))
  t.same(blocking.faults, [])
  const awaiting = await runList(t, api, newMark(), runWith(['async']))
  t.same(awaiting.faults, [])
  t.same(contradictions(awaiting.outcomes, blocking.outcomes), [])
})

const phpCaller = fileURLToPath(new URL('php-caller.php', import.meta.url))

t.test('the PHP client makes the calls of the shared list, except the guard’s proof of work', async (t) => {
  const lacking = ['guard_token', 'solve']
  const runWithPhp = async (program: Program) =>
    JSON.parse(await run('php', [phpCaller], { input: JSON.stringify(program) })) as Record<string, Outcome>
  const { faults, outcomes } = await runList(t, api, newMark(), runWithPhp, lacking)
  t.same(faults, [])
  t.ok(Object.keys(outcomes).length >= 100)
})

t.test('the quickstart of the PHP client runs as it is', async (t) => {
  const client = fileURLToPath(new URL('../../sdk/php', import.meta.url))
  const guide = await readFile(`${client}/README.md`, 'utf8')
  const program = /```php\n([\s\S]*?)```/.exec(guide)?.[1]?.replace(/^ {3}/gm, '') ?? ''
  const folder = t.testdir({ 'send.php': program, millrace: t.fixture('symlink', client) })
  const env = { MILLRACE_BASE_URL: api.baseUrl, MILLRACE_API_KEY: api.keys.millrace ?? api.keys.push ?? '' }
  t.match(await run('php', ['send.php'], { cwd: folder, env }), /^\w+\n$/)
})

t.test('the list notices what is not as expected', async (t) => {
  t.same(differences({ a: '<string>', b: [1] }, { a: 'x', b: [1], more: true }, ''), [])
  t.same(differences({ a: '<string>', b: [1], c: null }, { a: 1, b: [], c: 0 }, ''), [
    '.a is 1, no string',
    '.b has 0 items, not 1',
    '.c is 0, not null',
  ])
  const names = (await sharedCalls()).map(({ id }) => id)
  t.equal(new Set(names).size, names.length, 'no two calls have one name')
})
