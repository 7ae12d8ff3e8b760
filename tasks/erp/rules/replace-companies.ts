import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type { Counts, Fault, Options } from '#sql/erp/imports.ts'
import type { RegisterFacts } from '#sql/erp/registers.ts'
import * as staging from '#sql/erp/staging.ts'
import { checkEntry } from './check-entry.ts'
import { ImportError } from './import-error.ts'
import { type ProfileName, profiles } from './profiles/index.ts'
import { readCsv } from './read-csv.ts'

/** Companies that one statement writes. */
const batch = 2_000

/** Faults that are kept to be shown. */
const mostFaults = 50

/** A register's file, and how it is read. */
export interface Replacement {
  importId: string
  profile: ProfileName
  /** The register's name, if it is not the profile's. */
  register?: string
  options: Options
  bytes: AsyncIterable<Buffer>
  signal?: AbortSignal
  /** Does state writes while the attempt owns its job. */
  own<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Is done in the transaction in which the file takes effect. */
  finish?(tx: Db, counts: Counts, faults: readonly Fault[]): Promise<void>
}

/**
 * Puts what a file has in place of its register: it is staged in batches and then exchanged at once, so that whoever searches
 * sees the old companies or the new ones, and the old ones when this is killed. Throws `ImportError`.
 */
export async function replaceCompanies(db: Db, replacing: Replacement): Promise<Counts> {
  const { importId, options, own, finish } = replacing
  const profile = profiles[replacing.profile]
  const register: RegisterFacts = {
    name: replacing.register ?? profile.register,
    licence: options.licence ?? profile.licence,
    record_url: options.record_url ?? profile.recordUrl,
  }
  await staging.discard(db, importId)
  const { staged, leftOut, valuesLeftOut, faults } = await stage(db, replacing)
  if (staged === 0) throw new ImportError(`It has no company that can be taken.${firstOf(faults)}`)
  try {
    return await own(async (tx) => {
      const { missing, adds } = profile
      const { partial, anyway } = options
      const exchange = { importId, register, staged, missing: partial ? null : missing, adds, anyway }
      const effect = await staging.exchange(tx, exchange)
      const counts = { ...effect, left_out: leftOut, values_left_out: valuesLeftOut }
      await finish?.(tx, counts, faults)
      return counts
    })
  } catch (error) {
    if (error instanceof staging.ImportRefusal) throw new ImportError(`${error.message} The old companies stay.`)
    throw error
  }
}

const firstOf = ([first]: readonly Fault[]) => (first ? ` Line ${first.line}: ${first.issue}.` : '')

async function stage(db: Db, { importId, profile: name, options, bytes, signal }: Replacement) {
  const profile = profiles[name]
  const faults: Fault[] = []
  let [staged, leftOut, valuesLeftOut] = [0, 0, 0]
  let read: staging.StagedCompany[] = []
  const flush = async () => {
    signal?.throwIfAborted()
    if (read.length > 0) await staging.add(db, read)
    staged += read.length
    read = []
  }
  for await (const row of readCsv(bytes, profile.headings)) {
    const entry = profile.read(row, options.jurisdiction)
    const { facts, issues } = entry ? checkEntry(entry, profile.adds) : { facts: null, issues: [] }
    for (const issue of issues) if (faults.length < mostFaults) faults.push({ line: row.line, issue })
    if (facts === null) leftOut++
    else {
      valuesLeftOut += issues.length
      if (read.push({ ...facts, import_id: importId, line: row.line, id: newId() }) >= batch) await flush()
    }
  }
  await flush()
  return { staged, leftOut, valuesLeftOut, faults }
}
