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
  // As in a fresh clone.
  await rm(join(folder, 'source/src/millrace/_sync'), { recursive: true })
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
  t.match(said, /wrong\.py:5: error: "Accepted" has no attribute "state"/)
  t.match(said, /Found 3 errors in 1 file/, 'the examples have none')
})

const wrongCalls = `from millrace import Millrace
client = Millrace(base_url="http://localhost")
client.push.send(target={"type": "user", "id": "1"})
client.push.get_message("1", colour="red")
client.push.send(app_id="1", target={"type": "user", "id": "1"}).state
`

test('events, retries and webhooks are as they should be', async (t) => {
  await runPython(['-m', 'unittest', 'discover', '-s', join(pythonClient, 'tests')])
  t.pass()
})

test('nothing is left of what is not generated any more', async (t) => {
  const made = new Set(generateFiles().map(({ path }) => path))
  const left = ['_async/areas', 'types'].map(async (folder) => {
    const names = await readdir(join(pythonClient, 'src/millrace', folder), { recursive: true })
    return names.filter((name) => name.endsWith('.py')).map((name) => `sdk/python/src/millrace/${folder}/${name}`)
  })
  t.same(
    (await Promise.all(left)).flat().filter((path) => !made.has(path)),
    [],
  )
})

test('the client that blocks is current, and has nothing left that awaits', async (t) => {
  const source = await mkdtemp(join(tmpdir(), 'millrace-python-'))
  t.teardown(() => rm(source, { recursive: true }))
  await cp(pythonClient, source, { recursive: true })
  const folder = join(source, 'src/millrace/_sync')
  await rm(folder, { recursive: true })
  await run(debianPython, [join(source, 'blocking.py')])
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.py'))
  t.ok(names.length > 20)
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    t.notMatch(text, /\basync def\b|\bawait |\bAsync[A-Z]|\basyncio\b/, name)
    const present = await readFile(join(pythonClient, 'src/millrace/_sync', name), 'utf8')
    t.ok(present === text, `${name}: run sdk/python/blocking.py`)
  }
})
