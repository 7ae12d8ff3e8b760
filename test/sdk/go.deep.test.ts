import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { readContract } from '../../sdk/generate/document.ts'
import { buildSnippets } from '../../sdk/generate/snippets.ts'
import type { Scope } from '../support/postgres.ts'
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

const moduleText = `module example\n\ngo 1.19\n\nrequire millrace.dev/go v1.0.0\n\nreplace millrace.dev/go => ${client}\n`

/** Runs the program of the guide. */
async function runQuickstart(
  t: Scope & { match: (text: string, pattern: RegExp) => unknown },
  url: string,
  key: string,
) {
  const guide = await readFile(join(client, 'README.md'), 'utf8')
  const at = join(folder, 'quickstart')
  await mkdir(at)
  const program = /```go\n([\s\S]*?)```/.exec(guide)?.[1]?.replace(/^ {3}/gm, '') ?? ''
  await writeFile(join(at, 'main.go'), program)
  await writeFile(join(at, 'go.mod'), moduleText)
  const settings = { MILLRACE_BASE_URL: url, MILLRACE_API_KEY: key }
  t.match(await run('go', ['run', '.'], { cwd: at, env: { ...env, ...settings } }), /^[0-9a-f-]{36}\n$/)
}

t.test('the Go client is formatted, has no findings of vet, and its own tests pass', async (t) => {
  t.equal(await run('gofmt', ['-l', client, caller]), '')
  await go(['vet', './...'], client)
  await go(['test', './...'], client)
  t.pass()
})

t.test('every call that the reference shows compiles', async () => {
  const { methods, schemas } = readContract()
  const calls = methods.map((method, i) => {
    const source = buildSnippets(method, schemas).find(({ lang }) => lang === 'Go')?.source ?? ''
    const used = source.startsWith('answer') ? '\tfmt.Println(answer, err)\n' : ''
    return `func call${i}(ctx context.Context, client *millrace.Client, err error) {\n${source}\n${used}}\n`
  })
  const at = join(folder, 'calls')
  await mkdir(at)
  const imports = 'import (\n"context"\n"fmt"\nmillrace "millrace.dev/go"\n)\n'
  await writeFile(join(at, 'main.go'), `package main\n${imports}${calls.join('\n')}\nfunc main() { fmt.Println() }\n`)
  await writeFile(join(at, 'go.mod'), moduleText)
  await go(['vet', '.'], at)
})

t.test('the Go client makes the calls of the shared list, except the guard’s proof of work', async (t) => {
  const program = join(folder, 'caller')
  await go(['build', '-o', program, '.'], caller)
  const api = await served(t)
  const runWithGo = async (list: Program) =>
    JSON.parse(await run(program, [], { input: JSON.stringify(list) })) as Record<string, Outcome>
  await runQuickstart(t, api.baseUrl, api.keys.millrace ?? api.keys.push ?? '')
  const { faults, outcomes } = await runList(t, api, newMark(), runWithGo, ['guard_token', 'solve'])
  t.same(faults, [])
  t.ok(Object.keys(outcomes).length >= 100)
})
