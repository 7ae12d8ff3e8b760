import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type { Counts } from '#sql/erp/imports.ts'
import type { RegisterFacts } from '#sql/erp/registers.ts'
import * as staging from '#sql/erp/staging.ts'
import { checkEntry } from './check-entry.ts'
import { ImportError } from './import-error.ts'
import { type CompanyProfileName, companyProfiles } from './profiles/index.ts'
import type { Profile } from './profiles/profile.ts'
import { readRecords } from './read-records.ts'
import { batch, leastPercent, type Replacement, Tally, withImportErrors } from './replacement.ts'
import { mapRow } from './row.ts'

/**
 * Replaces a register: stages rows in batches and exchanges them in one transaction, so that searches see either the
 * old or the new companies. Throws `ImportError`.
 */
export async function replaceCompanies(db: Db, replacing: Replacement<CompanyProfileName>): Promise<Counts> {
  const { importId, options, own, finish } = replacing
  const profile: Profile = companyProfiles[replacing.profile]
  const register: RegisterFacts = {
    name: replacing.register ?? profile.register,
    licence: options.licence ?? profile.licence,
    record_url: options.record_url ?? profile.recordUrl,
    what: 'companies',
  }
  await staging.discard(db, importId)
  const { staged, tally } = await stage(db, profile, replacing)
  if (staged === 0) throw new ImportError(`The file has no valid company.${tally.first}`)
  const { missing, adds } = profile
  const { partial, anyway, least_percent = leastPercent } = options
  const exchange = { importId, register, staged, missing: partial ? null : missing, adds, anyway }
  return await withImportErrors(
    own(async (tx) => {
      const { isFirst, ...effect } = await staging.exchange(tx, { ...exchange, leastPercent: least_percent })
      const counts = tally.counts(effect)
      await finish?.(tx, { counts, faults: tally.faults, isFirst })
      return counts
    }),
    'companies',
  )
}

async function stage(
  db: Db,
  profile: Profile,
  { importId, options, bytes, signal }: Replacement<CompanyProfileName>,
): Promise<{ staged: number; tally: Tally }> {
  const tally = new Tally(options)
  let staged = 0
  let read: staging.StagedCompany[] = []
  const flush = async () => {
    signal?.throwIfAborted()
    if (read.length > 0) await staging.add(db, read)
    staged += read.length
    read = []
  }
  for await (const row of readRecords(bytes, shapeOf(profile, options))) {
    const { facts, issues } = checked(profile, options.mapping ? mapRow(row, options.mapping) : row, options)
    tally.record(row.line, facts !== null, issues)
    if (facts && read.push({ ...facts, import_id: importId, line: row.line, id: newId() }) >= batch) await flush()
  }
  await flush()
  return { staged, tally }
}

type Options = Replacement<CompanyProfileName>['options']

/** Returns the shape of the file. With a mapping, the mapped columns are required. */
function shapeOf({ headings, records, element }: Profile, { mapping, records: path }: Options) {
  const column = (heading: string) => (mapping ? (mapping[heading] ?? heading) : heading)
  return {
    headings: headings.map(column).filter((heading) => !heading.startsWith('=')),
    records: path === undefined ? records : path.split('.'),
    element,
  }
}

function checked(profile: Profile, row: Parameters<Profile['read']>[0], options: Options) {
  if (row.fault !== undefined) return { facts: null, issues: [row.fault] }
  const entry = profile.read(row, options)
  return entry ? checkEntry(entry, profile.adds) : { facts: null, issues: [] }
}
