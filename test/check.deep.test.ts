import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Test, test } from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))
const settings = ['package.json', 'tsconfig.json', '.gitignore', 'ops/style.json', 'ops/layers.cjs']

const use = (name: string, from: string) => `import { ${name} } from '${from}'\nexport const it = [${name}]\n`
const one = 'export const one = 1\n'

/** A small tree in which every file but the first few holds one mistake. */
const planted: Record<string, string> = {
  'ops/start/main.ts': `${use('one', '../../lib/good.ts')}console.log(it)\n`,
  'lib/good.ts': `${one}export const unused = 2\n`,
  'ingress/main.ts': one,
  'workers/main.ts': one,
  'tasks/tasks.ts': one,
  'sql/tables.ts': one,
  'sdk/node/client.ts': one,
  'lib/type-error.ts': `export const text: string = 1\n`,
  'lib/any.ts': `export const anything: any = 1\n`,
  'lib/default.ts': `export default 1\n`,
  'lib/environment.ts': `export const home = process.env.HOME\n`,
  'lib/type-import.ts': `import { Config } from './typed.ts'\nexport type Again = Config\n`,
  'lib/typed.ts': `export interface Config {\n  a: 1\n}\n`,
  'lib/ring-a.ts': `import { b } from './ring-b.ts'\nexport const a = () => b\n`,
  'lib/ring-b.ts': `import { a } from './ring-a.ts'\nexport const b = () => a\n`,
  'tasks/queue/enqueue.ts': `export async function enqueue(): Promise<void> {}\n`,
  'tasks/floating.ts': `import { enqueue } from './queue/enqueue.ts'\nexport function it(): void {\n  enqueue()\n}\n`,
  'tasks/misused.ts': `import { enqueue } from './queue/enqueue.ts'\n;[1].forEach(async () => await enqueue())\n`,
  'lib/upward.ts': use('one', '../sql/tables.ts'),
  'sql/upward.ts': use('one', '../tasks/tasks.ts'),
  'tasks/upward.ts': use('one', '../workers/main.ts'),
  'sql/upward-type.ts': `import type { Tasks } from '../tasks/typed.ts'\nexport type It = Tasks\n`,
  'tasks/typed.ts': `export type Tasks = 1\n`,
  'ingress/video/sideways.ts': use('one', '../email/messages.ts'),
  'ingress/email/messages.ts': one,
  'ingress/workers.ts': use('one', '../workers/main.ts'),
  'workers/ingress.ts': use('one', '../ingress/main.ts'),
  'workers/rooms/table.ts': use('one', '../../sql/tables.ts'),
  'workers/koa.ts': `import Koa from 'koa'\nexport const it = new Koa()\n`,
  'tasks/graphile.ts': use('run', 'graphile-worker'),
  'tasks/engine.ts': use('createTransport', 'nodemailer'),
  'tasks/process.ts': use('spawn', 'node:child_process'),
  'lib/nowhere.ts': use('gone', './gone.ts'),
}

async function plant(t: Test): Promise<string> {
  // Not tap's own folder for fixtures: git and biome ignore it.
  const tree = await mkdtemp(join(await realpath(tmpdir()), 'millrace-check-'))
  t.teardown(() => rm(tree, { recursive: true }))
  for (const file of settings) await cp(join(root, file), join(tree, file))
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
  for (const [path, text] of Object.entries(planted)) {
    await mkdir(dirname(join(tree, path)), { recursive: true })
    await writeFile(join(tree, path), text)
  }
  return tree
}

/** Runs the tool of an npm script in the tree, with its arguments changed; returns what it prints. */
async function runTool(tree: string, script: string, extra: string[], drop: string[] = []): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const [tool = '', ...args] = (scripts[script] as string).split(' ').filter((word) => !drop.includes(word))
  const run = promisify(execFile)(join(root, 'node_modules/.bin', tool), [...args, ...extra], {
    cwd: tree,
    maxBuffer: 1 << 26,
  })
  const fails = (error: { code?: number; stdout: string }) => {
    if (!error.code) throw error
    return error
  }
  return (await run.catch(fails)).stdout
}

test('each rule of `npm run check` is seen to fail', async (t) => {
  const tree = await plant(t)

  t.test('types', async (t) => {
    t.match(await runTool(tree, 'check:types', []), /^lib\/type-error\.ts\(1,14\): error TS2322/m)
  })

  t.test('lint', async (t) => {
    const printed = await runTool(tree, 'check:lint', ['--reporter=github', '--max-diagnostics=none'])
    const lines = printed.replaceAll(`${tree}/`, '').matchAll(/title=lint\/(\w+\/\w+),file=([^,]+)/g)
    const found = [...lines].map(([, rule, file]) => `${file} ${rule}`)
    const wanted = [
      'lib/any.ts suspicious/noExplicitAny',
      'lib/default.ts style/noDefaultExport',
      'lib/environment.ts style/noProcessEnv',
      'lib/ring-a.ts suspicious/noImportCycles',
      'lib/type-import.ts style/useImportType',
      'tasks/floating.ts nursery/noFloatingPromises',
      'tasks/misused.ts nursery/noMisusedPromises',
    ]
    for (const mistake of wanted) t.ok(found.includes(mistake), mistake)
  })

  t.test('dead code', async (t) => {
    const { issues } = JSON.parse(await runTool(tree, 'check:dead', ['--reporter', 'json'])) as {
      issues: {
        file: string
        exports: { name: string }[]
        dependencies: { name: string }[]
        unlisted: { name: string }[]
      }[]
    }
    const of = (file: string) => issues.find((issue) => issue.file === file)
    t.match(of('lib/good.ts')?.exports, [{ name: 'unused' }], 'an export that nothing imports')
    t.ok(of('lib/any.ts'), 'a file that nothing imports')
    t.ok(
      of('package.json')?.dependencies.some(({ name }) => name === 'pg'),
      'a dependency that nothing uses',
    )
  })

  t.test('layers', async (t) => {
    const printed = await runTool(tree, 'check:layers', ['--output-type', 'json'], ['--output-type', 'err'])
    const { summary } = JSON.parse(printed) as {
      summary: { totalCruised: number; violations: { from: string; rule: { name: string; severity: string } }[] }
    }
    const errors = summary.violations.filter(({ rule }) => rule.severity === 'error')
    const found = errors.map(({ from, rule }) => `${from} ${rule.name}`)
    const wanted = [
      'ingress/video/sideways.ts areas-of-ingress-apart',
      'ingress/workers.ts ingress-and-workers-apart',
      'lib/nowhere.ts no-unresolved',
      'lib/ring-a.ts no-cycle',
      'lib/upward.ts lib-is-ground',
      'sql/upward-type.ts sql-on-lib',
      'sql/upward.ts sql-on-lib',
      'tasks/engine.ts engines-in-workers',
      'tasks/graphile.ts graphile-in-workers',
      'tasks/process.ts engines-in-workers',
      'tasks/upward.ts tasks-on-sql',
      'workers/ingress.ts workers-and-ingress-apart',
      'workers/koa.ts koa-in-ingress',
      'workers/rooms/table.ts engines-touch-no-table',
    ]
    for (const mistake of wanted) t.ok(found.includes(mistake), mistake)
    t.ok(summary.totalCruised > 20, 'it reads TypeScript at all')
  })
})

test('the layers of this tree are read, not passed over', async (t) => {
  const printed = await runTool(root, 'check:layers', ['--output-type', 'json'], ['--output-type', 'err'])
  t.ok(JSON.parse(printed).summary.totalCruised > 50)
})
