import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Test, test } from 'tap'
import { generateFiles } from '../../sdk/generate/generated.ts'
import { debianPython, pythonClient, run, runPython } from '../support/python.ts'

const examples = join(pythonClient, 'examples')

/** Builds the wheel without a network and installs it; returns the Python that has it. */
async function installed(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-python-'))
  t.teardown(() => rm(folder, { recursive: true }))
  await cp(pythonClient, join(folder, 'source'), { recursive: true })
  const offline = ['--no-index', '--no-deps', '--disable-pip-version-check', '-q']
  const source = ['--no-build-isolation', '-w', folder, join(folder, 'source')]
  await run(debianPython, ['-m', 'pip', 'wheel', ...offline, ...source])
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'))
  t.equal(wheel, 'millrace-1.0.0-py3-none-any.whl')
  await run(debianPython, ['-m', 'venv', '--system-site-packages', join(folder, 'venv')])
  const python = join(folder, 'venv/bin/python')
  await run(python, ['-m', 'pip', 'install', ...offline, join(folder, wheel ?? '')])
  return python
}

test('the wheel is built offline and installs; the examples are typed', async (t) => {
  const python = await installed(t)
  const from = await run(python, ['-c', 'import millrace; print(millrace.__file__, millrace.__version__)'], {
    cwd: '/',
  })
  t.match(from, /\/venv\/lib\/.*\/millrace\/__init__\.py 1\.0\.0\n/)

  const mypy = ['-m', 'mypy', '--strict', '--cache-dir', '/dev/null', '--python-executable', python]
  const files = (await readdir(examples)).filter((name) => name.endsWith('.py')).map((name) => join(examples, name))
  const wrong = join(t.testdir({ 'wrong.py': wrongCalls }), 'wrong.py')
  const said = await run(debianPython, [...mypy, ...files, wrong], { env: { MYPYPATH: examples } }).then(String, String)
  t.match(said, /wrong\.py:3: error: Missing named argument "app_id"/)
  t.match(said, /wrong\.py:4: error: .*"colour"/)
  t.match(said, /wrong\.py:5: error: TypedDict "Accepted" has no key "state"/)
  t.match(said, /Found 3 errors in 1 file/, 'the examples have none')
})

const wrongCalls = `from millrace import Millrace
client = Millrace(base_url="http://localhost")
client.push.send(target={"type": "user", "id": "1"})
client.push.get_message("1", colour="red")
client.push.send(app_id="1", target={"type": "user", "id": "1"})["state"]
`

test('events, retries and webhooks are as they should be', async (t) => {
  await runPython(['-m', 'unittest', 'discover', '-s', join(pythonClient, 'tests')])
  t.pass()
})

test('nothing is left of what is not generated any more', async (t) => {
  const made = new Set(generateFiles().map(({ path }) => path))
  const left = ['_sync', '_async/areas', 'types'].map(async (folder) => {
    const names = await readdir(join(pythonClient, 'src/millrace', folder), { recursive: true })
    return names.filter((name) => name.endsWith('.py')).map((name) => `sdk/python/src/millrace/${folder}/${name}`)
  })
  t.same(
    (await Promise.all(left)).flat().filter((path) => !made.has(path)),
    [],
  )
})

test('the client that blocks has nothing left that awaits', async (t) => {
  const blocking = generateFiles().filter(({ path }) => path.includes('/_sync/'))
  t.ok(blocking.length > 20)
  for (const { path } of blocking) {
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    t.notMatch(text, /\basync def\b|\bawait |\bAsync[A-Z]|\basyncio\b/, path)
  }
})
