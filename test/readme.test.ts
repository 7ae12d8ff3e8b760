import t from 'tap'
import { Environment, sections } from '#lib/config.ts'
import { configPage } from '../ops/config-table.ts'
import { retentionPage } from '../ops/retention-table.ts'

t.test('the tables of ops/CONFIGURE.md have every variable with its default, as declared', async (t) => {
  const { now, declared } = await configPage()
  t.equal(now, declared, 'run `node ops/config-table.ts`, which writes them anew')
  for (const name of Object.keys(Environment.shape)) t.ok(now.includes(`| \`${name}\``), name)
})

t.test('no variable is declared twice', async (t) => {
  const names = Object.values(sections).flatMap((variables) => Object.keys(variables))
  t.same(names.sort(), Object.keys(Environment.shape).sort())
})

t.test('the table of retentions has every retention, as declared', async (t) => {
  const { now, declared } = await retentionPage()
  t.equal(now, declared, 'run `node ops/retention-table.ts`, which writes it anew')
})
