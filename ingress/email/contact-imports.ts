import { z } from 'zod'
import { originalFormIfDifferent, parseAddress } from '#lib/email-address.ts'
import { badRequest, type Fault } from '#lib/errors.ts'
import { Int4 } from '#lib/input-types.ts'
import { mapInTurns } from '#lib/turns.ts'
import { UserId } from '#lib/user-id.ts'
import type { Db } from '#sql/db.ts'
import * as details from '#sql/email/contacts/details.ts'
import * as events from '#sql/email/contacts/events.ts'
import * as contacts from '#sql/email/contacts.ts'
import { checkText } from '../http/request/json.ts'
import { route } from '../http/route.ts'
import { readContactsCsv } from './contacts/csv.ts'
import { maxMappings } from './contacts/csv-columns.ts'
import { maxImport } from './contacts/csv-thread.ts'
import { Attributes, ContactName, sortTags, Tags } from './contacts/fields.ts'
import { assertContactRoom, isSandbox, sandboxLimit } from './messages/sandbox.ts'

const maxErrors = 100

const Given = z.strictObject({
  email: z.string().describe('Email address. An invalid contact is listed in `errors`.'),
  line: Int4.min(1).optional().describe('Line number to use in `errors`. Default: position in the list.'),
  name: z.string().optional(),
  attributes: z.record(z.string(), z.unknown()).optional().describe('Added to the attributes of an existing contact'),
  tags: z.array(z.string()).max(1_000).optional().describe('Added to the tags of an existing contact'),
  user_id: z.string().optional().describe('Your own ID for the person. Links the contact to `/v1/people/{user_id}`.'),
})

export const create = route({
  method: 'POST',
  path: '/contacts/import',
  summary: 'Import contacts',
  description:
    'New contacts are `unconfirmed`. Use `reconfirm` to ask them to confirm. Accepts JSON or a CSV file (`content-type: text/csv`). A CSV file needs an `email` column, or other columns mapped with `map`. Existing contacts keep their state, and the imported values are added. An invalid line does not affect other lines.',
  scope: 'email:manage',
  testKeys: 'sandbox',
  limit: { perMinute: 60, by: 'org' },
  bodyLimit: 4 * 1024 * 1024,
  itemsApart: 'contacts',
  alsoTakes: { 'text/csv': readContactsCsv },
  query: z.object({
    map: z
      .array(z.string().max(300))
      .max(maxMappings)
      .optional()
      .describe(
        'For CSV files: maps one column to a field per parameter. For example, `Full name:name`, `Groups:tags`, `City:attributes.city` or `Orders:attributes.orders:number`.',
      ),
  }),
  body: z.strictObject({ contacts: z.array(Given).min(1).max(maxImport) }),
  status: 200,
  reply: z
    .object({
      imported: z.int(),
      existing: z.int().describe('Contacts that existed before or appear earlier in the list'),
      invalid: z.int(),
      errors: z.array(z.object({ line: z.int(), issue: z.string() })).describe(`The first ${maxErrors} invalid lines`),
    })
    .meta({ id: 'email.Import' }),
  problems: [sandboxLimit],
  example: { body: { contacts: [{ email: 'ann@example.net', name: 'Ann Lee' }, { email: 'bob@example.net' }] } },
  // The contacts are read in parts, because reading ten thousand contacts takes a while.
  async prepare({ body, query, header }) {
    if (query.map && !header('content-type')?.toLowerCase().startsWith('text/csv')) {
      throw badRequest([{ field: 'query.map', issue: 'is only for CSV files' }])
    }
    return await mapInTurns(body.contacts, readContact)
  },
  async handle({ prepared: read, org, key, db }) {
    const errors = read.flatMap((one) => ('issue' in one ? [one] : []))
    const sound = read.flatMap((one) => ('issue' in one ? [] : [one]))
    const { added, unkept } = await db.transaction((tx) => add(tx, org.id, sound, isSandbox(key)))
    // The contact is stored, but without the details that exceed the limit.
    const full = sound.flatMap(({ email, line }) => (unkept.has(email) ? [{ line, issue: tooMuch }] : []))
    return {
      imported: added,
      existing: sound.length - added,
      invalid: errors.length,
      errors: [...errors, ...full].sort((a, b) => a.line - b.line).slice(0, maxErrors),
    }
  },
})

const tooMuch = `would have more than ${details.detailLimits.bytes} bytes of attributes, or ${details.detailLimits.tags} tags. The contact keeps its old values.`

type GivenContact = z.output<typeof Given>

type ReadContact = { email: string; written: string | null; line: number } & z.output<typeof Said>

const Said = z.object({
  name: ContactName.optional(),
  attributes: Attributes.optional(),
  tags: Tags.optional(),
  user_id: UserId.optional(),
})

function readContact({ email, line, ...said }: GivenContact, i: number): ReadContact | { line: number; issue: string } {
  const at = line ?? i + 1
  const faults: Fault[] = []
  checkText({ email, ...said }, '', faults)
  if (faults[0]) return { line: at, issue: `${faults[0].field.slice(1)} ${faults[0].issue}` }
  const address = parseAddress(email.trim())
  if (typeof address === 'string') return { line: at, issue: address }
  const { data, error } = Said.safeParse(said)
  if (data) return { email: address.address, written: originalFormIfDifferent(address.written), line: at, ...data }
  const [issue] = error.issues
  return { line: at, issue: `${issue?.path.join('.')}: ${issue?.message}` }
}

/** Adds contacts and details. Returns the contacts whose details exceeded a limit. */
async function add(tx: Db, orgId: string, read: readonly ReadContact[], inSandbox: boolean) {
  const said = saidOf(read)
  if (inSandbox)
    await assertContactRoom(
      tx,
      orgId,
      said.map(({ email }) => email),
    )
  const ids = await contacts.insertUnconfirmed(tx, orgId, said, inSandbox)
  const about = { org_id: orgId, kind: 'imported' as const, source: 'import' as const, message_id: null, detail: null }
  await events.insertMany(
    tx,
    ids.map((contact_id) => ({ ...about, contact_id })),
    inSandbox,
  )
  // True if all contacts are new, because those were inserted with their details.
  const isDone = ids.length === said.length && said.every(({ isDetailed }) => !isDetailed)
  return { added: ids.length, unkept: new Set(isDone ? [] : await details.addMany(tx, orgId, said, inSandbox)) }
}

/** Merges all lines with the same email address, because one statement can update each row only once. */
function saidOf(read: readonly ReadContact[]): details.ImportedDetails[] {
  // The entries are changed in place, because all lines can have the same email address.
  const said = new Map<string, Omit<details.ImportedDetails, 'email' | 'tags'> & { tags: Set<string> }>()
  for (const { email, written, name, attributes, tags, user_id } of read) {
    const nothing = {
      written: null,
      isDetailed: false,
      name: null,
      user_id: null,
      attributes: {},
      tags: new Set<string>(),
    }
    const known = said.get(email) ?? nothing
    said.set(email, known)
    known.written = written
    known.name = name ?? known.name
    known.user_id = user_id ?? known.user_id
    Object.assign(known.attributes, attributes)
    for (const tag of tags ?? []) known.tags.add(tag)
    known.isDetailed ||= [name, attributes, tags, user_id].some((value) => value !== undefined)
  }
  return [...said].map(([email, { tags, ...known }]) => ({ email, ...known, tags: sortTags([...tags]) }))
}
