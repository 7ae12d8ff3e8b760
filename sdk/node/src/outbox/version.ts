import { MillraceError } from '../errors.ts'
import { codeOf, type OutboxPool, within } from './database.ts'
import { schemaVersion } from './sql/tables.ts'

/** Throws if the outbox is not installed in the database, or has another version. */
export async function checkSchema(pool: OutboxPool): Promise<void> {
  const version = await readVersion(pool)
  if (version === undefined)
    throw new MillraceError('The database has no outbox. Run `millrace-outbox install --database URL`.')
  if (version < schemaVersion)
    throw new MillraceError(
      `The outbox has version ${version}, but this package needs ${schemaVersion}. Run \`millrace-outbox upgrade --database URL\`.`,
    )
  if (version > schemaVersion)
    throw new MillraceError(
      `The outbox has version ${version}, but this package knows only ${schemaVersion}. Use a newer millrace package.`,
    )
}

/** Returns the version of the installed schema, or undefined if there is none. */
export async function readVersion(pool: OutboxPool): Promise<number | undefined> {
  try {
    const { rows } = await within(pool.query({ text: 'select version from millrace.installation' }))
    return rows[0]?.version
  } catch (error) {
    // 3F000: no such schema. 42P01: no such table.
    if (['3F000', '42P01'].includes(codeOf(error))) return undefined
    throw error
  }
}
