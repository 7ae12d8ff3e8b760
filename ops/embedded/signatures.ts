import { createHash } from 'node:crypto'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { probe } from '../../workers/scan/versions.ts'

/** The name of the local set in the folder of signatures. */
const localSet = 'millrace.ndb'

/** The EICAR test file, in halves so that no scanner takes this one for it. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

const hex = (text: string) => Buffer.from(text).toString('hex')

/** Test files that every installation recognises, in ClamAV's extended format: name, any type, at the begin, bytes. */
const tests = [`Eicar-Test-Signature:0:0:${hex(eicar)}`]

/** The test file of ClamAV itself: MD5, size and name. */
const testHashes = ['aa15bcf478d165efd2065190eb473bcb:544:ClamAV-Test-File']

/**
 * Writes the local set, with a signature of the probe by which it tells its version: a hash of itself and of all further
 * signatures that somebody put into the folder. What ClamAV publishes has versions of its own.
 */
export async function writeSignatures(dir: string): Promise<void> {
  const own = [localSet, 'millrace.hdb']
  const others = (await readdir(dir)).filter(
    (name) => !own.includes(name) && /\.(ndb|ldb|hdb|hsb|mdb|yara?)$/.test(name),
  )
  const hash = createHash('sha256').update(tests.join('\n')).update(testHashes.join('\n'))
  for (const name of others.sort()) hash.update(name).update(await readFile(join(dir, name)))
  const version = `Millrace.Set.${hash.digest('hex').slice(0, 12)}:0:0:${hex(probe)}`
  await replace(join(dir, 'millrace.hdb'), testHashes)
  await replace(join(dir, localSet), [...tests, version])
}

async function replace(path: string, lines: string[]): Promise<void> {
  // A name that clamd does not load.
  await writeFile(`${path}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
