import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { advisoryLockSpaces } from '#sql/advisory-locks.ts'
import { architectureFaults } from './support/architecture.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the tree keeps the rules that no linter knows', async (t) => {
  t.same(await architectureFaults(root), [])
})

test('each of those rules is seen to fail', async (t) => {
  const planted: Record<string, string> = {
    'lib/long.ts': '// line\n'.repeat(301),
    'lib/mailing/lists.ts': 'export const a = 1\n',
    'lib/one-area.ts': 'export const a = 1\n',
    'lib/two-areas.ts': 'export const a = 1\n',
    'workers/mail/send.ts': "import '#lib/two-areas.ts'\n",
    'sql/video/ask.ts': "import '#lib/one-area.ts'\nimport '#lib/two-areas.ts'\n",
    'test/long.test.ts': '// line\n'.repeat(401),
    'test/just-short-enough.test.ts': '// line\n'.repeat(400),
    'sql/video/helpers.ts': 'export const a = 1\n',
    'sql/video/camelCase.ts': 'export const a = 1\n',
    'sql/mailing/lists.ts': 'export const a = 1\n',
    'sql/migrations/0001_account.sql': 'select 1;\n',
    'sql/migrations/0003_video.sql': 'select 1;\n',
    'sql/migrations/10_mail.sql': 'select 1;\n',
    'tasks/index.ts': "import { probe } from './video/probe.ts'\nexport const tasks = [probe]\n",
    'tasks/video/probe.ts': "export const probe = { name: 'video/prob', pool: 'media', payload: {}, run() {} }\n",
    'tasks/video/remux.ts': "export const remux = { name: 'video/remux', pool: 'media', payload: {}, run() {} }\n",
    'tasks/video/ladder.ts': 'export const ladder = []\n',
    'tasks/video/rules/codecs.ts': 'export const codecs = []\n',
    'tasks/video/engine.ts': 'export const codecs = []\n',
    'ingress/video/index.ts':
      "import { get } from './assets.ts'\nexport const video = { operations: [{ id: 'video.asset.get', route: get }] }\n",
    'ingress/video/assets.ts':
      "export const get = { method: 'GET', path: '/', summary: '' }\nexport const list = { ...get }\n",
  }
  const tree = t.testdir({ 'package.json': '{"type":"module"}' })
  for (const [path, text] of Object.entries(planted)) {
    await mkdir(dirname(join(tree, path)), { recursive: true })
    await writeFile(join(tree, path), text)
  }
  t.same(await architectureFaults(tree), [
    'lib/long.ts has 301 lines, more than 300',
    'lib/mailing is no room of lib',
    'lib/one-area.ts is used by video alone',
    'route video.assets.get is video.asset.get',
    'route video.assets.list is in no table of contents',
    'sql/mailing is a folder of no area',
    'sql/migrations/0003_video.sql stands where 0002_<area>_<what>.sql should',
    'sql/migrations/10_mail.sql stands where 0003_<area>_<what>.sql should',
    'sql/video/camelCase.ts is not kebab-case',
    'sql/video/helpers.ts is named after no thing',
    'task video/remux is not in tasks/index.ts',
    'tasks/video/ladder.ts is no task',
    'tasks/video/probe.ts declares task video/prob',
    'test/long.test.ts has 401 lines, more than 400',
  ])
})

test('each kind of advisory lock has a space of its own, declared in one place', async (t) => {
  const spaces = Object.values(advisoryLockSpaces)
  t.equal(new Set(spaces).size, spaces.length)
  for (const layer of ['sql', 'tasks', 'workers', 'ingress', 'ops']) {
    for (const path of await readdir(join(root, layer), { recursive: true })) {
      if (!path.endsWith('.ts')) continue
      const text = await readFile(join(root, layer, path), 'utf8')
      t.notMatch(text, /pg_\w*advisory_\w*lock\w*\(\d+,/, `${layer}/${path} takes its space from lockSpaces`)
    }
  }
})
