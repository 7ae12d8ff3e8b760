import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import { Millrace } from '../../../sdk/node/src/index.ts'
import { readGuide, runSnippet } from '../../support/guide.ts'
import { guideBlocks } from '../../support/guide-blocks.ts'
import { freePort, type Scope } from '../../support/postgres.ts'
import { dataFolder, Stack } from '../../support/stack.ts'
import { until } from '../../support/until.ts'

/** A quick start that runs against a real Millrace, until the test ends. */
export interface Project {
  url: string
  /** Secret of its webhook endpoint. */
  secret: string
  mailUrl: string
  /** Returns everything that the project has printed. */
  output: () => string
}

export interface Recipe {
  framework: string
  /** Program and arguments that start the project on a port, and texts that replace parts of the README. */
  command: (port: number) => [string, ...string[]]
  replace?: Record<string, string>
  /** Headings of the README whose commands are run. Default: "Create the project". */
  headings?: string[]
  /** Port of Millrace for email. Default: the port with STARTTLS. */
  smtp?: 'mail_submission' | 'mail_submissions'
  /** Folder of the project, in the folder where the commands of the README run. */
  folder: string
  environment?: Record<string, string>
  /** Changes the project before it starts, for example for an old version of the framework. */
  prepare?: (folder: string) => Promise<void>
}

const quickstarts = fileURLToPath(new URL('../../../sdk/quickstarts/', import.meta.url))

/** Starts Millrace, creates the project as its README says, and starts it. */
export async function startProject(t: Scope & { testdir: () => string }, recipe: Recipe): Promise<Project> {
  const data = await dataFolder(t)
  const stack = new Stack(data, await freePort())
  const [facts, port] = [await stack.ready(180_000), await freePort()]
  t.teardown(async () => void (await stack.stop('SIGTERM')))
  const url = `http://localhost:${port}`
  const client = new Millrace({ baseUrl: facts.base_url, apiKey: facts.keys.millrace ?? '' })
  const types = ['email.*', 'files.*']
  const { secret } = await client.account.webhooks.create({ url: `${url}/hooks`, types })
  const environment = {
    ...{ MILLRACE_BASE_URL: facts.base_url, MILLRACE_API_KEY: facts.keys.millrace ?? '', WEBHOOK_SECRET: secret },
    ...{
      SMTP_HOST: 'localhost',
      SMTP_PORT: String(facts.ports[recipe.smtp ?? 'mail_submission']),
      EMAIL_FROM: 'orders@dev.example',
    },
    ...{ SSL_CERT_FILE: join(data, 'submission.crt'), ...recipe.environment },
  }
  const folder = await create(t.testdir(), recipe, environment)
  const { child, output } = start(folder, recipe.command(port), environment)
  t.teardown(async () => {
    if (child.pid && (child.exitCode ?? child.signalCode) === null) process.kill(-child.pid, 'SIGKILL')
  })
  await until(() => answers(url, child, output), { timeout: 60_000, what: `the project answers: ${output()}` })
  for (const { code } of await stepsOf(recipe.framework, ['Before production']))
    await runStep(folder, code, {}, environment)
  return { url, secret, mailUrl: facts.mail_url ?? '', output }
}

/** Runs the steps of the README in an empty folder, and copies each file before the first step that follows it. */
async function create(
  empty: string,
  { framework, folder, replace = {}, prepare, headings = ['Create the project'] }: Recipe,
  environment: Record<string, string>,
) {
  const project = join(empty, folder)
  const [first, ...others] = await stepsOf(framework, headings)
  if (!first) throw new Error(`The README of ${framework} has no step.`)
  await runStep(empty, first.code, replace, environment)
  await copyFiles(join(quickstarts, framework), project)
  for (const { code } of others) await runStep(project, code, replace, environment)
  await prepare?.(project)
  return project
}

/** Returns the commands of a README below some headings. */
const stepsOf = async (framework: string, headings: readonly string[]) =>
  guideBlocks(await readGuide(`sdk/quickstarts/${framework}/README.md`)).filter(
    ({ heading, language }) => language === 'sh' && headings.includes(heading),
  )

async function runStep(folder: string, code: string, replace: Record<string, string>, env: Record<string, string>) {
  // The environment has the values that a reader fills in.
  let text = `set -e\n${code.replaceAll(/^export .*$/gm, '')}`
  for (const [from, to] of Object.entries(replace)) text = text.replaceAll(from, to)
  const { code: status, out, err } = await runSnippet(folder, text, env)
  if (status !== 0) throw new Error(`The step ended with ${status}: ${text}\n${out}\n${err}`)
}

async function copyFiles(from: string, to: string): Promise<void> {
  for (const file of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!file.isFile() || file.name === 'README.md') continue
    const target = join(to, join(file.parentPath, file.name).slice(from.length))
    await mkdir(dirname(target), { recursive: true })
    await cp(join(file.parentPath, file.name), target)
  }
}

function start(cwd: string, [program, ...args]: [string, ...string[]], environment: Record<string, string>) {
  const child = spawn(program, args, { cwd, env: childEnvironment(environment), stdio: 'pipe', detached: true })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => said.push(text))
  return { child, output: () => said.join('') }
}

async function answers(url: string, child: ChildProcess, output: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`The project ended: ${output()}`)
  const reply = await fetch(url).catch(() => undefined)
  if (reply && reply.status >= 500) throw new Error(`${await reply.text()}\n${output()}`)
  return reply !== undefined
}
