import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Rank } from '#sql/wiki/claims.ts'
import { parseWithFaults } from '../http/request/issues.ts'
import { checkText, parseJson } from '../http/request/json.ts'
import { nameFields, textFields } from './article-fields.ts'
import { Property, Qualifiers, Quote, Value } from './claim-fields.ts'
import { EntityForm } from './entities.ts'
import { SourceUri } from './source-url.ts'

export const [mostCharacters, mostClaims, mostReferences] = [1_000_000, 100, 2_000]

/** Maximum number of entities of all claims. Each claim has a subject, a value and qualifiers. */
const mostEntities = mostClaims * 22

/** Maximum number of URLs of all references. Each URL is fetched. */
export const mostSources = 200

const fence = '---'

function requireUniqueIds(given: readonly { id: string }[], context: z.RefinementCtx): void {
  const ids = new Set<string>()
  for (const [i, { id }] of given.entries()) {
    if (ids.has(id))
      context.addIssue({
        code: 'custom',
        path: [i, 'id'],
        message: 'must be unique, but an earlier entry has the same ID',
      })
    ids.add(id)
  }
}

const hasFewReferences = (claims: readonly { references: readonly unknown[] }[]): boolean =>
  claims.reduce((count, { references }) => count + references.length, 0) <= mostReferences

const Front = z.strictObject({
  title: textFields.title,
  slug: nameFields.slug.optional(),
  language: nameFields.language.default('en'),
  summary: textFields.summary.default(''),
  tags: textFields.tags.default([]),
  entities: z
    .array(EntityForm.extend({ id: Id }))
    .max(mostEntities)
    .superRefine(requireUniqueIds)
    .default([]),
  claims: z
    .array(
      z.strictObject({
        id: Id.describe('ID that the text cites'),
        entity_id: Id.describe('One of `entities`, or an entity of your organisation'),
        property: Property,
        value: Value,
        qualifiers: Qualifiers.default([]),
        rank: Rank.exclude(['deprecated']).default('normal'),
        references: z
          .array(
            z.strictObject({
              uri: SourceUri,
              title: z.string().trim().min(1).max(500).nullish(),
              publisher: z.string().trim().min(1).max(500).nullish(),
              quote: Quote,
              locator: z.string().trim().min(1).max(200).nullish(),
              page: z.int().nullish(),
              captured_at: z.string().max(40).nullish(),
              sha256: z.string().max(64).nullish(),
            }),
          )
          .max(mostReferences)
          .default([]),
      }),
    )
    .max(mostClaims)
    .superRefine(requireUniqueIds)
    .refine(hasFewReferences, `must have at most ${mostReferences} references in total`)
    .default([]),
})

/** An article as one file. It has a JSON header (which is also YAML) between lines of `---`, followed by Markdown. */
export interface WikiDocument {
  front: z.output<typeof Front>
  body: string
}

export const formatDocument = (front: z.input<typeof Front>, body: string): string =>
  `${fence}\n${JSON.stringify(front, null, 2)}\n${fence}\n\n${body}`

const Cited = z
  .object({
    claims: z.array(
      z
        .object({ references: z.array(z.object({ uri: z.string() }).nullish().catch(null)) })
        .nullish()
        .catch(null),
    ),
  })
  .catch({ claims: [] })

/** Throws 400 if a document has too many URLs. Called before each URL is checked. */
function requireFewSources(front: unknown): void {
  const { claims } = Cited.parse(front)
  const uris = new Set(claims.flatMap((claim) => claim?.references.map((one) => one?.uri) ?? []))
  if (uris.size > mostSources)
    throw badRequest([{ field: 'body.document.claims', issue: `must cite at most ${mostSources} different URLs` }])
}

/** Parses a document. Throws 400 with every fault. */
export function parseDocument(text: string): WikiDocument {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const end = lines.indexOf(fence, 1)
  if (lines[0]?.trim() !== fence || end === -1) {
    throw badRequest([
      { field: 'body.document', issue: `must start with a ${fence} line, followed by JSON and a ${fence} line` },
    ])
  }
  const front = parsed(lines.slice(1, end).join('\n'))
  const body = lines
    .slice(end + 1)
    .join('\n')
    .replace(/^\n/, '')
  requireFewSources(front)
  const faults: Fault[] = []
  const checked = parseWithFaults(Front, front, 'body.document', faults)
  parseWithFaults(textFields.body, body, 'body.document.text', faults)
  // No depth check is needed, because the schema limits the depth.
  if (faults.length === 0) checkText(checked, 'body.document', faults)
  if (faults.length > 0) throw badRequest(faults)
  return { front: checked as WikiDocument['front'], body }
}

/** Limits of a document's JSON. Its longest list is the list of entities. */
const bounds = { values: 100_000, elements: mostEntities + 1 }

function parsed(text: string): unknown {
  try {
    return parseJson(text, bounds)
  } catch (error) {
    if (error instanceof Problem && Array.isArray(error.details)) throw badRequest(error.details.map(inDocument))
    throw badRequest([{ field: 'body.document', issue: 'must have a JSON header before its text, as in an export' }])
  }
}

const inDocument = ({ field, issue }: Fault): Fault => ({ field: field.replace(/^body/, 'body.document'), issue })
