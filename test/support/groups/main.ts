/**
 * Writes one entry per group of test files and prints the entries' paths. Arguments: paths of test files from the root of
 * the checkout.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { environmentsOf } from './environments.ts'

/** Entries are written here. tap runs each in its own process. */
const folder = '.tap/groups'

/** Maximum number of files in a group. */
const most = 12

const areaOf = (file: string): string => file.split('/').slice(1, -1).join('-') || 'root'

const groups = new Map<string, string[]>()
for (const file of process.argv.slice(2).toSorted()) {
  const key = JSON.stringify([areaOf(file).split('-')[0], await environmentsOf(file)])
  groups.set(key, [...(groups.get(key) ?? []), file])
}
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const [key, files] of groups) {
  const [area] = JSON.parse(key)
  const count = Math.ceil(files.length / most)
  for (let n = 0; n < count; n++) {
    const part = files.filter((_, at) => at % count === n)
    const name = `${folder}/${area}-${[...groups.keys()].indexOf(key)}-${n + 1}.ts`
    await writeFile(
      name,
      `import { runFiles } from '../../test/support/groups/run-files.ts'\nawait runFiles(${JSON.stringify(part, null, 2)})\n`,
    )
    console.log(name)
  }
}
