import { cp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { heuristicsVersion, versionOfSources } from '../../workers/scan/heuristics.ts'

const sources = fileURLToPath(new URL('../../workers/scan', import.meta.url))

t.test(
  'the heuristics are named by their sources, wherever these lie, and any change of them gives a new name',
  async (t) => {
    const folder = join(t.testdir(), 'copy')
    const now = () => versionOfSources(folder)
    await cp(sources, folder, { recursive: true })
    const whole = await now()
    t.equal(whole, await heuristicsVersion())
    t.match(whole, /^[0-9a-f]{12}$/)
    await writeFile(join(folder, 'zip', 'notes.txt'), 'no source')
    t.equal(await now(), whole)
    await writeFile(join(folder, 'zip', 'end.ts'), 'export {}\n')
    const changed = await now()
    await rename(join(folder, 'zip', 'end.ts'), join(folder, 'zip', 'fin.ts'))
    const renamed = await now()
    await rm(join(folder, 'zip', 'fin.ts'))
    t.equal(new Set([whole, changed, renamed, await now()]).size, 4)
  },
)
