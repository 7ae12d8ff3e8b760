import type { CatalogTable, Column } from '../../ops/trials/bench/depth/catalog.ts'
import { type ColumnValue, owner, rowId } from '../../ops/trials/bench/depth/rows.ts'
import type { Schema } from './extremes.ts'

/** Characters of texts without a field in any request of the area. */
const shortText = 300

/** Texts with a required form. Others can be any text. */
const formed =
  /(_id|_key|slug|handle|email|address|host|hostname|domain|currency|code|jurisdiction|channels|languages)$/

const text = (characters: number) => `repeat('x', ${characters})`

/** An object of `names` fields with the value `value`. */
const object = (names: number, value: string) =>
  `(select jsonb_object_agg('name' || n, ${value}) from generate_series(1, ${names}) as n)`

/** A list of `items` values. */
const list = (items: number, value: string) => `(select jsonb_agg(${value}) from generate_series(1, ${items}) as n)`

const messageText = `jsonb_build_object('title', ${text(1_000)}, 'body', ${text(4_000)})`
/** The longest text of a claim, with a word for searches. */
const claimText = `'word ' || ${text(3_995)}`
const step = `jsonb_build_object('type', 'channel', 'channel', 'whatsapp', 'template', jsonb_build_object('name', 'x', 'language', 'en',
  'variables', ${list(20, text(500))}))`

/** Maximum values of structured columns, and the values that the rows of a list depend on. */
const largest: Record<string, string> = {
  'account.audit.before': object(40, text(300)),
  'account.audit.after': object(40, text(300)),
  'account.log_streams.sources': `array['audit', 'events', 'requests']`,
  'bots.actions.parameters': `jsonb_build_object('type', 'object', 'required', '[]'::jsonb, 'properties',
    ${object(20, `jsonb_build_object('type', 'string', 'description', ${text(150)})`)})`,
  'bots.actions.triggers': `array_fill(${text(200)}, array[10])`,
  'bots.messages.metadata': object(1, text(16_000)),
  'email.contacts.attributes': object(20, text(190)),
  'email.messages.metadata': object(20, text(190)),
  'email.received.headers': `'[]'`,
  'erp.relations.lei': `'v2'`,
  'erp.relations.register': `'v2'`,
  'files.objects.product_key': `case when i % 2 = 0 then 'ai' else 'v' || i end`,
  'files.objects.tenant_id': `case when i % 2 = 0 then 'files' else 'v' || i end`,
  'moving.imports.parts': `array['templates', 'suppressions', 'contacts', 'devices', 'assets']`,
  'notify.events.data': object(50, text(2_000)),
  'notify.texts.is_current': 'true',
  'notify.people.data': object(50, text(2_000)),
  'notify.workflows.steps': list(20, step),
  'push.templates.locales': object(100, messageText),
  'push.templates.variables': `array_fill(${text(64)}, array[200])`,
  'push.messages.content': object(1, messageText),
  'email.templates.variables': `array_fill(${text(64)}, array[200])`,
  'webhooks.events.data': object(1, text(16_000)),
  'whatsapp.messages.content': object(1, text(4_000)),
  'whatsapp.templates.components': list(10, `jsonb_build_object('type', 'BODY', 'text', ${text(1_024)})`),
  'wiki.article_versions.article_id': `'${rowId(owner)}'`,
  'wiki.article_versions.number': 'i',
  'wiki.claims.qualifiers': list(
    20,
    `jsonb_build_object('property', 'x', 'value', jsonb_build_object('type', 'string', 'content', ${text(4_000)}))`,
  ),
  'wiki.claims.value': `jsonb_build_object('type', 'string', 'content', ${claimText})`,
  'wiki.entities.labels': object(100, `'word ' || ${text(395)}`),
  'wiki.entities.descriptions': object(100, text(2_000)),
  'wiki.entities.aliases': object(40, `jsonb_build_array(${Array(10).fill(text(400)).join(', ')})`),
  'wiki.entities.external_ids': object(100, text(400)),
  'wiki.snapshots.source_id': `'${rowId(owner)}'`,
}

/**
 * Returns a function for rows of maximum size: a text has the length of the longest field with its name in any request
 * of its area.
 */
export function largestValues(fields: ReadonlyMap<string, number>): ColumnValue {
  return ({ name: table }: CatalogTable, { name, type, values, refers }: Column) => {
    const known = largest[`${table}.${name}`]
    if (known !== undefined) return known
    if (values || refers) return undefined
    // This ID selects the lists of one person.
    if (type === 'text' && name === 'user_id') return `'${rowId(owner)}'`
    if (formed.test(name)) return undefined
    const characters = fields.get(`${table.split('.')[0]}.${name}`) ?? shortText
    if (type === 'text') return `'v' || i || ${text(characters - 10)}`
    if (type === 'text[]') return `array_fill(${text(40)}, array[50])`
    return undefined
  }
}

/** Returns the maximum length of each text in the requests of each area, as `area.field`. */
export function fieldLengths(
  operations: readonly { id: string; body: Schema | undefined }[],
  resolve: (schema: Schema) => Schema,
): Map<string, number> {
  const lengths = new Map<string, number>()
  const note = (field: string, given: Schema): void => {
    const { maxLength = 0, anyOf = [] } = resolve(given)
    lengths.set(field, Math.max(lengths.get(field) ?? shortText, maxLength))
    for (const one of anyOf) note(field, one)
  }
  const walk = (area: string, schema: Schema, depth: number): void => {
    const { properties = {}, anyOf = [], oneOf = [], allOf = [], items } = resolve(schema)
    if (depth > 8) return
    for (const one of [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])]) walk(area, one, depth + 1)
    for (const [name, property] of Object.entries(properties)) {
      note(`${area}.${name}`, property)
      walk(area, property, depth + 1)
    }
  }
  for (const { id, body } of operations) if (body) walk(id.split('.')[0] ?? '', body, 0)
  return lengths
}
