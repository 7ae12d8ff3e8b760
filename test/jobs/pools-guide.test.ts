import { globSync, readFileSync } from 'node:fs'
import t from 'tap'
import { tasks } from '#tasks/index.ts'
import { poolNames } from '#tasks/pools.ts'
import { allDeclarations } from '../../workers/pools.ts'

const guide = readFileSync('workers/README.md', 'utf8')

/** Rows of the guide’s table: a pool, and its areas. */
const rows = [...guide.matchAll(/^\| `([\w-]+)` +\| ([^|]+?) +\|/gm)].map(([, pool = '', areas = '']) => ({
  pool,
  areas,
}))

t.test("the guide's table has each pool once, in the order in which they are declared", async (t) => {
  t.strictSame(
    rows.map(({ pool }) => pool),
    [...(await allDeclarations()).keys()],
  )
})

t.test('each pool serves the areas of its tasks', async (t) => {
  for (const { pool, areas } of rows) {
    const own = tasks.filter((task) => task.pool === pool).map(({ name }) => name.split('/')[0] as string)
    const told = pool === 'core' ? areas : areas.split(', ').sort().join()
    t.equal(told, pool === 'core' ? 'all areas' : [...new Set(own)].sort().join(), pool)
  }
})

t.test('the guide starts every pool, and no guide names one that is not there', async (t) => {
  const lists = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/--pools ([a-z][a-z,-]*[a-z])/g)].map(([, list = '']) => list.split(','))
  const served = lists('workers/README.md').sort((a, b) => b.length - a.length)[0] ?? []
  t.strictSame([...served].sort(), [...poolNames].sort())
  const guides = globSync('{*.md,{ingress,lib,ops,sql,tasks,workers}/**/*.md}')
  t.ok(guides.length > 5)
  for (const file of guides) {
    for (const name of lists(file).flat())
      t.ok(
        poolNames.some((pool) => pool === name),
        `${file}: ${name}`,
      )
  }
})
