import { readFile } from 'node:fs/promises'
import t from 'tap'
import { Environment } from '#lib/config.ts'

/** A row of the README's table, from the declaration. */
function row(name: string, field: (typeof Environment.shape)[keyof typeof Environment.shape]): string {
  const initial = field.safeParse(undefined).data
  const shown = initial === undefined || (Array.isArray(initial) && initial.length === 0) ? '' : ` \`${initial}\``
  return `| \`${name}\` |${shown} | ${field.description} |`
}

t.test('the README’s table names every variable with its default, as declared', async (t) => {
  const readme = (await readFile(new URL('../README.md', import.meta.url), 'utf8')).replace(/ +/g, ' ')
  for (const [name, field] of Object.entries(Environment.shape))
    t.ok(readme.includes(row(name, field)), row(name, field))
})
