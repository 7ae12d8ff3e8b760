import '../support/work-environment.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { readGuide } from '../support/guide.ts'
import { guideBlocks } from '../support/guide-blocks.ts'
import { freePort } from '../support/postgres.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(300_000)
const guide = await readGuide('ingress/jobs/README.md')
const stack = await workStack(t)
await stack.startWorkers()
const { secret } = (await stack.ask('GET /v1/jobs/signing-secret')).body

/** Runs the server of the quickstart on a free port. Returns its port and what it prints. */
async function startServer(folder: string) {
  const port = await freePort()
  const block = guideBlocks(guide).find(({ language, code }) => language === 'js' && code.includes('createServer'))
  const client = new URL('../../sdk/node/src/index.ts', import.meta.url).href
  const code = (block?.code ?? '').replace("'millrace'", `'${client}'`).replace('listen(4000)', `listen(${port})`)
  await writeFile(join(folder, 'server.mjs'), code)
  const env = childEnvironment({ JOBS_SECRET: secret })
  const server = spawn(process.execPath, [join(folder, 'server.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => server.kill())
  const said = { printed: '' }
  server.stdout.on('data', (text) => {
    said.printed += text
  })
  await once(server, 'spawn')
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(url, { method: 'POST' }).catch(() => null)) !== null, { what: 'it listens' })
  return { port, url, said }
}

t.test('every call of the guide works as shown, and its server verifies and prints the job', async (t) => {
  const folder = t.testdir()
  const { port, url, said } = await startServer(folder)
  t.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401, 'a request without a signature')
  const replace = { '127.0.0.1:4000': `127.0.0.1:${port}` }
  const run = { folder, baseUrl: stack.ingress.url, apiKey: stack.key, replace }
  await runGuide(guide, { ...run, languages: ['sh'] })
  t.match(said.printed, /[\w-]{36} 1 \{ order: 1042 \}/)
})

t.test('the examples for Node and Python create a job', async (t) => {
  const run = { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: stack.key }
  const replace = { 'http://127.0.0.1:4000': stack.server.url }
  for (const language of ['js', 'python']) {
    const only = ({ code }: { code: string }) => code.includes('jobs.create(')
    const [step] = await runGuide(guide, { ...run, replace, languages: [language], only })
    t.equal((await stack.read(step?.out.trim() ?? '')).status, 200, language)
  }
})
