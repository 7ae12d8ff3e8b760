import { hash } from 'node:crypto'
import { toStorableText } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import type { Counts } from '#sql/erp/imports.ts'
import * as officers from '#sql/erp/officers.ts'
import * as registers from '#sql/erp/registers.ts'
import { demandEnough, exchangeSettings, lockRegister } from '#sql/erp/staging.ts'
import { cleanText, readDate } from './check-entry.ts'
import { readCode } from './codes.ts'
import { ImportError } from './import-error.ts'
import { type OfficerProfileName, officerProfiles } from './profiles/index.ts'
import type { OfficerEntry, OfficerProfile } from './profiles/profile.ts'
import { readRecords } from './read-records.ts'
import { batch, leastPercent, type Replacement, Tally, withImportErrors } from './replacement.ts'
import type { Row } from './row.ts'

const mostOfOne = 500

const digestLength = 32

export async function replaceOfficers(db: Db, replacing: Replacement<OfficerProfileName>): Promise<Counts> {
  const { importId, options, own, finish } = replacing
  const profile = officerProfiles[replacing.profile]
  const register: registers.RegisterFacts = {
    name: replacing.register ?? profile.register,
    licence: options.licence ?? profile.licence,
    record_url: options.record_url ?? profile.recordUrl,
    what: 'officers',
  }
  await officers.discard(db, importId)
  const { staged, tally } = await stage(db, profile, replacing)
  if (staged === 0) throw new ImportError(`The file has no valid officer.${tally.first}`)
  const { partial, anyway, least_percent = leastPercent } = options
  return await withImportErrors(
    own(async (tx) => {
      await exchangeSettings(tx)
      const { companies, isFirst } = await lockRegister(tx, importId, register)
      const { rows, read } = await officers.countStaged(tx, importId)
      if (rows !== staged) throw new Error(`Of ${staged} officers that were read, ${rows} were stored.`)
      if (!partial && !anyway) demandEnough(read, companies, least_percent, 'officers')
      const { added, missing } = await officers.exchange(tx, importId, register.name, { partial })
      const now = partial ? await officers.countForRegister(tx, register.name) : read
      await registers.recordImport(tx, register, { importId, companies: now })
      const counts = tally.counts({ read, added, changed: 0, missing })
      await finish?.(tx, { counts, faults: tally.faults, isFirst })
      return counts
    }),
    'officers',
  )
}

async function stage(
  db: Db,
  profile: OfficerProfile,
  { importId, options, bytes, signal }: Replacement<OfficerProfileName>,
): Promise<{ staged: number; tally: Tally }> {
  const tally = new Tally(options)
  let staged = 0
  let read: officers.StagedOfficer[] = []
  const flush = async () => {
    signal?.throwIfAborted()
    if (read.length > 0) await officers.stage(db, read)
    staged += read.length
    read = []
  }
  for await (const row of readRecords(bytes, profile)) {
    const { code, found, issues } = readRow(profile, row)
    tally.record(row.line, code !== null, issues)
    if (code === null) continue
    const about = { import_id: importId, jurisdiction: profile.jurisdiction, code }
    read.push(...found.flatMap((one) => officerOf(one) ?? []).map((officer) => ({ ...about, ...officer })))
    if (read.length >= batch) await flush()
  }
  await flush()
  return { staged, tally }
}

/** Returns the company code and officers of a record. A record without a code is omitted. */
function readRow(
  profile: OfficerProfile,
  row: Row,
): { code: string | null; found: readonly OfficerEntry[]; issues: string[] } {
  if (row.fault !== undefined) return { code: null, found: [], issues: [row.fault] }
  const { code: given, officers: found } = profile.read(row)
  const code = readCode(profile.jurisdiction, given)
  const issues =
    code === null ? [`invalid code of jurisdiction ${profile.jurisdiction}: ${toStorableText(given, 60)}`] : []
  if (found.length > mostOfOne) issues.push(`only ${mostOfOne} of its officers are imported: code ${code}`)
  return { code, found: found.slice(0, mostOfOne), issues }
}

function officerOf(entry: OfficerEntry) {
  const name = cleanText(entry.name, 500)
  if (name === null) return null
  const facts = {
    kind: entry.kind,
    name,
    role_code: cleanText(entry.roleCode),
    role: cleanText(entry.role),
    since: readDate(entry.since),
    until: readDate(entry.until),
  }
  return { ...facts, digest: hash('sha256', JSON.stringify(facts), 'hex').slice(0, digestLength) }
}
