/**
 * Run by hand, `npm run evasions -- [seeds] [folder]...`: has the real clamd, set up as the product sets it up, and all that is
 * looked for beside it examine ClamAV's test files, every evasion, the ordinary files of as many seeds (24, more than 1,000
 * files) and all files of folders, and prints a table. A test file or an evasion that is clean is a fault, and so is an ordinary
 * file that is not.
 */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createClamd } from '../../workers/scan/clamd/clamd.ts'
import { testClamd } from '../support/clamd.ts'
import { elsewhere, inArchives, measured } from './evasions.ts'
import { ordinaryFiles, typeOf } from './ordinary.ts'
import { examineBytes, type Upload } from './stand-in.ts'

const [seeds = '24', ...folders] = process.argv.slice(2)
const largest = 64 * 1024 ** 2
const outcomes = ['clean', 'infected', 'suspicious', 'unscannable', 'failed'] as const

type Row = Record<(typeof outcomes)[number] | 'files' | 'faults', number>

const ends: (() => unknown)[] = []
const clamd = await testClamd({ teardown: (end) => void ends.push(end as () => unknown) })
const engine = createClamd({ socket: clamd.socket }, 2 ** 30)
const folder = await mkdtemp(join(tmpdir(), 'millrace-proof-'))
const rows = new Map<string, Row>()
try {
  for (const [group, shapes] of Object.entries({ measured, inArchives, elsewhere })) {
    for (const [name, upload] of Object.entries(shapes)) await look(`evasions: ${group}`, name, upload, 'not clean')
  }
  await lookThrough('clamav-testfiles', '/usr/share/clamav-testfiles', 'not clean', /^clam/)
  for (let seed = 1; seed <= Number(seeds); seed++) {
    const made = join(folder, `${seed}`)
    for (const { name, bytes } of await ordinaryFiles(made, seed))
      await look(`ordinary: ${kindOf(name)}`, name, { bytes, name, type: typeOf(name) }, 'clean')
    await rm(made, { recursive: true })
  }
  for (const root of folders) await lookThrough(root, root, 'clean')
} finally {
  await rm(folder, { recursive: true, force: true })
  for (const end of ends.reverse()) await end()
}
const all = blank()
for (const row of rows.values()) for (const key of Object.keys(all) as (keyof Row)[]) all[key] += row[key]
console.table(Object.fromEntries([...rows, ['all', all]]))
process.exit(all.faults > 0 ? 1 : 0)

function blank(): Row {
  return { files: 0, clean: 0, infected: 0, suspicious: 0, unscannable: 0, failed: 0, faults: 0 }
}

function kindOf(name: string): string {
  return name.split('.').slice(1).at(-1) ?? 'none'
}

async function lookThrough(group: string, root: string, wanted: 'clean' | 'not clean', like = /./): Promise<void> {
  for (const path of await readdir(root, { recursive: true }).catch(() => [])) {
    const found = await stat(join(root, path)).catch(() => null)
    const name = basename(path)
    if (!found?.isFile() || found.size > largest || !like.test(name)) continue
    await look(group, path, { bytes: await readFile(join(root, path)), name, type: typeOf(name) }, wanted)
  }
}

async function look(group: string, what: string, upload: Upload, wanted: 'clean' | 'not clean'): Promise<void> {
  const { status, reasons } = await examineBytes(folder, upload, engine).catch((error: Error) => ({
    status: 'failed' as const,
    reasons: [{ code: 'failed', detail: error.message }],
  }))
  const isFault = status === 'failed' || (status === 'clean') !== (wanted === 'clean')
  const row = rows.get(group) ?? blank()
  rows.set(group, { ...row, files: row.files + 1, [status]: row[status] + 1, faults: row.faults + (isFault ? 1 : 0) })
  if (isFault) console.log(`${group}: ${what} is ${status}`, JSON.stringify(reasons.slice(0, 2)))
}
