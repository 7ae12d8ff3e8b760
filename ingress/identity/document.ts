import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as checks from '#sql/identity/checks.ts'
import * as readings from '#sql/identity/readings.ts'
import { readDocument } from '#tasks/identity/read-document.ts'
import { showsDocument } from '#tasks/identity/rules/catalogue.ts'
import { isExpired } from '#tasks/identity/rules/document-told.ts'
import { ageOn } from '#tasks/identity/rules/mrz/dates.ts'
import { isSound } from '#tasks/identity/rules/mrz/parse.ts'
import { readAgain as readAnew } from '#tasks/identity/rules/request-reading.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { idp_sub, toApiSubject, toStoredSubject } from './subject.ts'

const requirement = z
  .string()
  .max(100)
  .refine(showsDocument, 'must be a requirement in the catalogue with the type `document` or `face`')
  .default('identity.document')
  .describe('Key of a requirement of type `document` or `face`')

const about = z.object({ idp_sub, requirement })

const IdentityDocument = z
  .object({
    requirement: z.string(),
    subject: z.string().nullable().describe('`null` for the organisation itself'),
    object_id: Id.describe('ID of the image in the files area'),
    status: readings.Reading.shape.status.describe(
      '`waiting`: not read yet. `unread`: nothing could be read, see `reason`.',
    ),
    reason: readings.UnreadReason.nullable(),
    facts: readings.DocumentFacts.nullable(),
    age: z.int().nullable().describe('Current age in full years'),
    expired: z.boolean().nullable(),
    checks: z
      .array(readings.DocumentCheck)
      .describe('Check digits of the fields and of all fields together, and whether both dates are valid'),
    sound: z
      .boolean()
      .describe(
        '`true` if all checks pass. It shows that the lines were read correctly, not that the document is genuine.',
      ),
    shared_with: z
      .array(z.string())
      .describe('Up to 100 other subjects of your organisation that submitted the same document'),
    requested_at: Instant,
    read_at: Instant.nullable(),
  })
  .meta({ id: 'identity.Document' })

export async function loadDocument(
  db: DatabasePool,
  check: checks.Check,
): Promise<z.input<typeof IdentityDocument> | null> {
  const reading = check.object_id === null ? null : await readings.find(db, check.org_id, check.object_id)
  if (reading === null) return null
  const { object_id, status, reason, facts, checks: held, requested_at, read_at } = reading
  return {
    requirement: check.requirement,
    subject: toApiSubject(check.subject),
    object_id,
    status,
    reason,
    facts,
    age: facts?.birth_date ? ageOn(facts.birth_date, new Date()) : null,
    expired: isExpired(reading),
    checks: held ?? [],
    sound: held !== null && isSound({ checks: held }),
    shared_with: [...(await readings.listSharers(db, reading, check.subject))],
    requested_at,
    read_at,
  }
}

export const read = route({
  method: 'GET',
  path: '/document',
  summary: 'Read the data of a document',
  description:
    'Returns the machine-readable lines (ICAO 9303: TD1, TD2, TD3) and their checks. The data helps a person decide, but is not a decision.',
  scope: 'identity:verify',
  beyondContract: true,
  query: about,
  status: 200,
  reply: IdentityDocument,
  problems: ['not_found'],
  async handle({ query, org, db }) {
    const check = await checkOf(db, org.id, query)
    return await mustFind(loadDocument(db, check), 'document')
  },
})

export const readAgain = route({
  method: 'POST',
  path: '/document/read',
  summary: 'Read a document again',
  description: 'Use it, for example, after a document reader was installed.',
  scope: 'identity:verify',
  beyondContract: true,
  limit: { perMinute: 60, by: 'org' },
  enqueues: readDocument,
  body: z.strictObject({ idp_sub, requirement }),
  status: 202,
  reply: IdentityDocument,
  problems: ['not_found', problem(409, 'document_missing', 'The document was deleted or quarantined.')],
  async handle({ body, org, db }) {
    const check = await checkOf(db, org.id, body)
    const { object_id: objectId, scan_status, subject } = check
    if (objectId === null || scan_status !== 'clean')
      throw conflict('The image was deleted or did not pass the malware scan.', 'document_missing')
    await db.transaction((tx) => readAnew(tx, { orgId: org.id, objectId, subject }))
    return await mustFind(loadDocument(db, check), 'document')
  },
})

async function checkOf(db: DatabasePool, orgId: string, asked: z.output<typeof about>): Promise<checks.ScannedCheck> {
  const all = await checks.list(db, orgId, toStoredSubject(asked.idp_sub))
  return await mustFind(
    Promise.resolve(all.find(({ requirement }) => requirement === asked.requirement) ?? null),
    'document',
  )
}
