import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ordinaryFiles, typeOf } from './ordinary.ts'
import { examineBytes } from './stand-in.ts'

/**
 * Run by hand, `node test/files/sweep.ts [seeds] [folder]...`: examines the ordinary files of as many seeds (20, more than
 * 1,000 files), and all files of folders, and prints a table by ending and what was not clean.
 */
const [seeds = '20', ...folders] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'millrace-sweep-'))
const rows = new Map<string, { files: number; bytes: number; clean: number }>()

try {
  for (let seed = 1; seed <= Number(seeds); seed++) {
    const made = join(folder, `${seed}`)
    for (const { name, bytes } of await ordinaryFiles(made, seed)) await count(name, bytes)
    await rm(made, { recursive: true })
  }
  for (const root of folders) {
    for (const path of await readdir(root, { recursive: true })) {
      const { size, isFile } = await statOf(join(root, path))
      if (isFile && size < 64 * 1024 ** 2) await count(basename(path), await readFile(join(root, path)))
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
const all = [...rows.values()]
rows.set('all', {
  files: all.reduce((sum, { files }) => sum + files, 0),
  bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
  clean: all.reduce((sum, { clean }) => sum + clean, 0),
})
console.table(Object.fromEntries([...rows].map(([kind, row]) => [kind, { ...row, other: row.files - row.clean }])))

async function statOf(path: string): Promise<{ size: number; isFile: boolean }> {
  const found = await stat(path).catch(() => null)
  return { size: found?.size ?? 0, isFile: found?.isFile() ?? false }
}

async function count(name: string, bytes: Buffer): Promise<void> {
  const { status, reasons } = await examineBytes(folder, { bytes, name, type: typeOf(name) })
  const kind = name.split('.').slice(1).at(-1) ?? 'none'
  const row = rows.get(kind) ?? { files: 0, bytes: 0, clean: 0 }
  rows.set(kind, {
    files: row.files + 1,
    bytes: row.bytes + bytes.length,
    clean: row.clean + (status === 'clean' ? 1 : 0),
  })
  if (status !== 'clean') console.log(status, name, JSON.stringify(reasons.slice(0, 2)))
}
