import { hash } from 'node:crypto'
import { toStorableText } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import type { Counts } from '#sql/erp/imports.ts'
import * as registers from '#sql/erp/registers.ts'
import * as relations from '#sql/erp/relations.ts'
import { demandEnough, exchangeSettings, lockRegister } from '#sql/erp/staging.ts'
import { cleanText, readDate } from './check-entry.ts'
import { readLei } from './codes.ts'
import { ImportError } from './import-error.ts'
import { type RelationProfileName, relationProfiles } from './profiles/index.ts'
import type { RelationEntry, RelationProfile } from './profiles/profile.ts'
import { readRecords } from './read-records.ts'
import { batch, leastPercent, type Replacement, Tally, withImportErrors } from './replacement.ts'
import type { Row } from './row.ts'

const digestLength = 32

/** Replaces the relations of a register, in one transaction. Throws `ImportError`. */
export async function replaceRelations(db: Db, replacing: Replacement<RelationProfileName>): Promise<Counts> {
  const { importId, options, own, finish } = replacing
  const profile = relationProfiles[replacing.profile]
  const register: registers.RegisterFacts = {
    name: replacing.register ?? profile.register,
    licence: options.licence ?? profile.licence,
    record_url: options.record_url ?? profile.recordUrl,
    what: 'relations',
  }
  await relations.discard(db, importId)
  const { staged, tally } = await stage(db, profile, replacing)
  if (staged === 0) throw new ImportError(`The file has no valid relation.${tally.first}`)
  const { partial, anyway, least_percent = leastPercent } = options
  return await withImportErrors(
    own(async (tx) => {
      await exchangeSettings(tx)
      const { companies: before, isFirst } = await lockRegister(tx, importId, register)
      const { rows, read } = await relations.countStaged(tx, importId)
      if (rows !== staged) throw new Error(`Of ${staged} relations that were read, ${rows} were stored.`)
      if (!partial && !anyway) demandEnough(read, before, least_percent, 'relations')
      const { added, missing } = await relations.exchange(tx, importId, register.name, { partial })
      const now = partial ? await relations.countForRegister(tx, register.name) : read
      await registers.recordImport(tx, register, { importId, companies: now })
      const counts = tally.counts({ read, added, changed: 0, missing })
      await finish?.(tx, { counts, faults: tally.faults, isFirst })
      return counts
    }),
    'relations',
  )
}

async function stage(
  db: Db,
  profile: RelationProfile,
  { importId, options, bytes, signal }: Replacement<RelationProfileName>,
): Promise<{ staged: number; tally: Tally }> {
  const tally = new Tally(options)
  let staged = 0
  let read: relations.StagedRelation[] = []
  const flush = async () => {
    signal?.throwIfAborted()
    if (read.length > 0) await relations.stage(db, read)
    staged += read.length
    read = []
  }
  for await (const row of readRecords(bytes, profile)) {
    const { facts, issues } = readRow(profile, row)
    tally.record(row.line, facts !== null, issues)
    if (facts && read.push({ ...facts, import_id: importId }) >= batch) await flush()
  }
  await flush()
  return { staged, tally }
}

type Facts = Omit<relations.StagedRelation, 'import_id'>

function readRow(profile: RelationProfile, row: Row): { facts: Facts | null; issues: string[] } {
  if (row.fault !== undefined) return { facts: null, issues: [row.fault] }
  const entry = profile.read(row)
  if (entry === null) return { facts: null, issues: [] }
  const issues = listIssues(entry)
  return { facts: issues.length > 0 ? null : factsOf(entry), issues }
}

function listIssues({ lei, parentLei, reason }: RelationEntry): string[] {
  const named = (text: string) => toStorableText(text, 60)
  const issues = readLei(lei) === null ? [`invalid LEI: ${named(lei)}`] : []
  if (parentLei !== undefined && readLei(parentLei) === null) issues.push(`invalid LEI: ${named(parentLei)}`)
  if (parentLei === undefined && !reason) issues.push(`reason is missing: LEI ${named(lei)}`)
  return issues
}

function factsOf({ lei, kind, parentLei, reason, status, since, until }: RelationEntry): Facts {
  const facts = {
    lei: readLei(lei) ?? '',
    kind,
    parent_lei: parentLei === undefined ? null : readLei(parentLei),
    reason: parentLei === undefined ? cleanText(reason) : null,
    status,
    since: readDate(since),
    until: readDate(until),
  }
  return { ...facts, digest: hash('sha256', JSON.stringify(facts), 'hex').slice(0, digestLength) }
}
