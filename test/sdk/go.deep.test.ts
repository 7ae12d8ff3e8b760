import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { run } from '../support/python.ts'
import { newMark, served } from './served.ts'
import { type Outcome, type Program, runList } from './shared-list.ts'

const client = fileURLToPath(new URL('../../sdk/go/', import.meta.url))
const caller = fileURLToPath(new URL('go-caller/', import.meta.url))

t.setTimeout(600_000)
const folder = await mkdtemp(join(tmpdir(), 'millrace-go-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
// The client has no dependencies, so nothing is loaded.
const env = { GOCACHE: join(folder, 'cache'), GOPATH: join(folder, 'path'), GOFLAGS: '-mod=mod', GOPROXY: 'off' }
const go = (args: string[], cwd: string) => run('go', args, { cwd, env })

t.test('the Go client is formatted, has no findings of vet, and its own tests pass', async (t) => {
  t.equal(await run('gofmt', ['-l', client, caller]), '')
  await go(['vet', './...'], client)
  await go(['test', './...'], client)
  t.pass()
})

t.test('the Go client makes the calls of the shared list, except the guard’s proof of work', async (t) => {
  const program = join(folder, 'caller')
  await go(['build', '-o', program, '.'], caller)
  const api = await served(t)
  const runWithGo = async (list: Program) =>
    JSON.parse(await run(program, [], { input: JSON.stringify(list) })) as Record<string, Outcome>
  const { faults, outcomes } = await runList(t, api, newMark(), runWithGo, ['guard_token', 'solve'])
  t.same(faults, [])
  t.ok(Object.keys(outcomes).length >= 100)
})
