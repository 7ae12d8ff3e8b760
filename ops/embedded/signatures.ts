import { createHash } from 'node:crypto'
import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { probe } from '../../workers/scan/versions.ts'

/** EICAR test file. It is split, so that scanners do not report this source file. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

const hex = (text: string) => Buffer.from(text).toString('hex')

/** Test files that every installation recognises, in ClamAV’s extended format: name, any type, at the start, bytes. */
const tests = [`Eicar-Test-Signature:0:0:${hex(eicar)}`]

/** ClamAV’s test file: MD5, size and name. */
const testHashes = ['aa15bcf478d165efd2065190eb473bcb:544:ClamAV-Test-File']

const ours = /^(millrace\..*|freshclam\.dat|.*\.(tmp|new))$/

const published = /^(main|daily|bytecode)\.c[vl]d$/

export async function listOtherSignatures(dir: string): Promise<{ name: string; state: string }[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && !ours.test(entry.name)).map(({ name }) => name)
  return await Promise.all(
    names.sort().map(async (name) => {
      const { size, mtimeMs, ino } = await stat(join(dir, name))
      return { name, state: `${name} ${size} ${mtimeMs} ${ino}` }
    }),
  )
}

export async function hasClamavSignatures(dir: string): Promise<boolean> {
  const names = await readdir(dir).catch((): string[] => [])
  return names.some((name) => published.test(name))
}

/**
 * Writes the local signatures, with a probe signature that contains the version: a hash of itself and of all files
 * except ClamAV’s.
 */
export async function writeSignatures(dir: string): Promise<void> {
  const hash = createHash('sha256').update(tests.join('\n')).update(testHashes.join('\n'))
  const further = (await listOtherSignatures(dir)).filter(({ name }) => !published.test(name))
  for (const { name } of further) hash.update(name).update(await readFile(join(dir, name)))
  const version = `Millrace.Set.${hash.digest('hex').slice(0, 12)}:0:0:${hex(probe)}`
  await replace(join(dir, 'millrace.hdb'), testHashes)
  await replace(join(dir, 'millrace.ndb'), [...tests, version])
}

async function replace(path: string, lines: string[]): Promise<void> {
  await writeFile(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
