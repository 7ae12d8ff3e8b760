/**
 * Writes one entry per group of test files and prints the entries' paths. Arguments: paths of test files from the root of
 * the checkout. The files of a group have the same area and the same environment, and run in one process.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { environmentsOf } from './environments.ts'
import { timesFile } from './times.ts'

/** Entries are written here. tap runs each in its own process. */
const folder = '.tap/groups'

/** Maximum number of files in a group. */
const most = 12

/** Files that need their own process, and the reason. */
const alone: Readonly<Record<string, string>> = {
  'test/ai/meaning-memory.test.ts': 'it measures the memory of its process',
  'test/identity/mrz.test.ts': 'it draws SVG, which workers/identity/pixels.ts blocks for the whole process',
}

/** Areas whose groups take longest. They start first, so that no core waits for them at the end. */
const longest = ['ops', 'video', 'live', 'rooms', 'email', 'app']

interface Group {
  area: string
  files: string[]
}

for (const path of [folder, timesFile]) await rm(path, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const groups = (await groupFiles(process.argv.slice(2))).flatMap(split).toSorted((a, b) => rank(a) - rank(b))
for (const [at, group] of groups.entries()) console.log(await writeEntry(group, at + 1))

async function groupFiles(files: readonly string[]): Promise<Group[]> {
  const groups = new Map<string, Group>()
  for (const file of files.toSorted()) {
    const area = file.split('/').at(1)?.replace('.test.ts', '') ?? ''
    const key = JSON.stringify([area, await environmentsOf(file), file in alone && file])
    const group = groups.get(key) ?? { area, files: [] }
    group.files.push(file)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Returns groups of at most `most` files. Neighbours go to different groups, because they often take equally long. */
function split({ area, files }: Group): Group[] {
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, n) => ({ area, files: files.filter((_, at) => at % count === n) }))
}

function rank({ area }: Group): number {
  const at = longest.indexOf(area)
  return at === -1 ? longest.length : at
}

async function writeEntry({ area, files }: Group, number: number): Promise<string> {
  // tap starts its files in the order of their names.
  const path = `${folder}/${String(number).padStart(3, '0')}-${area}.ts`
  const list = JSON.stringify(files, null, 2)
  await writeFile(path, `import { runFiles } from '../../test/support/groups/run-files.ts'\nawait runFiles(${list})\n`)
  return path
}
