import { keyPrefixes } from '#lib/tokens.ts'
import { Role } from '#sql/account/members.ts'
import { limits } from '#sql/account/plans.ts'
import { may, type Permission, permissions } from '#tasks/account/rules/roles.ts'
import { included, type Scope, scopes } from '#tasks/account/rules/scopes.ts'
import { eventTypes } from '#tasks/webhooks/rules/event-types.ts'
import { nodePath } from '../../../sdk/generate/methods.ts'
import { referenceUrl } from '../../http/openapi/viewer.ts'
import { standardProblems } from '../../http/problem-kinds.ts'
import { fieldLines } from './operation-markdown.ts'
import type { Reference, ReferenceEvent, ReferenceOperation } from './reference.ts'
import { type Components, shapeOf } from './shapes.ts'

/** Tables that pages ask for by `<!-- table: name -->`, made of what the code declares, as Markdown. */
export const tables: Readonly<Record<string, (reference: Reference) => string>> = {
  areas: areaTable,
  keys: keyTable,
  key_operations: ({ operations }) => operationList(operations.filter(({ id }) => id.startsWith('account.keys.'))),
  roles: roleTable,
  scopes: scopeTable,
  problems: problemTables,
  lists: ({ operations }) => operationTable(operations.filter(({ method }) => method.paged)),
  idempotent: ({ operations }) => operationTable(operations.filter(({ method }) => method.idempotent)),
  limits: limitTable,
  events: eventSections,
}

/** A page's Markdown with its tables in place of their marks. */
export const withTables = (markdown: string, reference: Reference): string =>
  markdown.replace(/^<!-- table: (\w+) -->$/gm, (mark, name: string) => tables[name]?.(reference).trim() ?? mark)

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |\n`
const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  row(heads) + row(heads.map(() => '---')) + rows.map(row).join('')

const linked = ({ id, method }: ReferenceOperation) => `[\`${method.verb} ${method.path}\`](${referenceUrl(id)})`

const byArea = (
  operations: readonly ReferenceOperation[],
): [title: string, name: string, own: ReferenceOperation[]][] =>
  [...new Map(operations.map(({ area }) => [area.name, area.title]))].map(([name, title]) => [
    title,
    name,
    operations.filter(({ area }) => area.name === name),
  ])

/** What each area is called: where its paths begin, what its scopes begin with, and its name in the clients. */
function areaTable({ operations }: Reference): string {
  const rows = byArea(operations).map(([title, name, own]) => {
    const bases = [...new Set(own.map(({ method }) => baseOf(method.path)))]
    const asked = [...new Set(own.flatMap((one) => one.scopes.map((scope) => scope.split(':')[0] ?? '')))]
    const client = [...new Set(own.map(({ id }) => nodePath(id)[0] ?? ''))]
    return [
      `[${title}](/docs/reference/${name})`,
      codes(bases),
      codes(asked.map((scope) => (scope === 'operator' ? scope : `${scope}:…`))) || 'none',
      codes(client.map((one) => `client.${one}`)),
    ]
  })
  return table(['area', 'paths begin with', 'scopes', 'in the clients'], rows)
}

/** The parts of a path up to its version and, below `/v1`, the resource. */
const baseOf = (path: string): string => /^(\/\w+\/v1|\/v1\/[\w-]+|\/[\w-]+)/.exec(path)?.[0] ?? path

const codes = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

const prefixMeanings: Readonly<Record<string, string>> = {
  bt_live_: 'a server key, of any area',
  bt_site_:
    'a public key: it may stand in a page or app, and may call what asks for `bots:chat`, `guard:challenge`, `push:receipt` or `push:subscribe`',
  bt_test_: 'a test key, of any area: what it does is recorded and reaches nobody',
  snd_live_: 'a server key for mail',
  snd_test_: 'a test key for mail: what it sends is recorded and never delivered',
  mtz_live_: 'a server key for push',
}

function keyTable(): string {
  return table(
    ['a key begins with', 'and is'],
    keyPrefixes.map((prefix) => [`\`${prefix}\``, prefixMeanings[prefix] ?? 'a server key']),
  )
}

/** What members may do, and which roles may. */
function roleTable(): string {
  const rows = (Object.keys(permissions) as Permission[]).map((permission) => [
    permissions[permission].words,
    ...Role.options.map((role) => (may(role, permission) ? 'yes' : '')),
  ])
  return table(['may', ...Role.options], rows)
}

function scopeTable({ operations }: Reference): string {
  const shown = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== 'operator')
  const rows = shown.map((scope) => {
    const asking = operations.filter((operation) => operation.scopes.includes(scope))
    const areas = byArea(asking).map(([title, name, own]) => `[${title}](/docs/reference/${name}) (${own.length})`)
    return [`\`${scope}\``, scopes[scope], codes(included[scope] ?? []), areas.join(', ')]
  })
  return table(['scope', 'lets a key', 'includes', 'operations that ask for it'], rows)
}

const standard: Readonly<Record<string, { status: number }>> = standardProblems

const isStandard = ({ code, status }: { code: string; status: number }) => standard[code]?.status === status

/** More areas than these are not named one by one. */
const fewAreas = 6

/** Every problem by its code: those that mean the same everywhere, then those of areas. */
function problemTables({ operations }: Reference): string {
  const everywhere = Object.entries(standardProblems).map(([code, { status, when }]) => [
    `\`${code}\``,
    String(status),
    when,
  ])
  const own = new Map<string, { code: string; status: number; when: string; areas: Map<string, string> }>()
  for (const { area, problems } of operations) {
    for (const { code, status, when } of problems.filter((one) => !isStandard(one))) {
      const key = `${code} ${status} ${when}`
      const known = own.get(key) ?? { code, status, when, areas: new Map() }
      known.areas.set(area.name, area.title)
      own.set(key, known)
    }
  }
  const rows = [...own.values()]
    .sort((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, status, when, areas }) => [
      `\`${code}\``,
      String(status),
      when,
      areas.size > fewAreas
        ? 'most'
        : [...areas].map(([name, title]) => `[${title}](/docs/reference/${name})`).join(', '),
    ])
  return `### Of every area\n\n${table(['code', 'status', 'when'], everywhere)}\n### Of single areas\n\n${table(['code', 'status', 'when', 'areas'], rows)}`
}

const operationList = (operations: readonly ReferenceOperation[]) =>
  operations.map((one) => `- ${linked(one)}: ${one.method.summary}\n`).join('')

const operationTable = (operations: readonly ReferenceOperation[]) =>
  table(
    ['area', 'operations'],
    byArea(operations).map(([title, , own]) => [title, own.map(linked).join(', ')]),
  )

const sizes: [number, string][] = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
]

function amount(value: number, unit: string): string {
  const [size, name] = (unit === 'bytes' && sizes.find(([one]) => value >= one)) || [1, unit]
  return `${(value / size).toLocaleString('en-US')} ${name}`
}

function limitTable(): string {
  return table(
    ['limit', 'what is counted', 'of plan `free` at first'],
    Object.entries(limits).map(([name, { description, initial, unit }]) => [
      `\`${name}\``,
      description,
      amount(initial, unit),
    ]),
  )
}

/** Returns every event by area, each with a link to its page if the document describes it. */
function eventSections({ events }: Reference): string {
  const listed = Object.values(eventTypes).flatMap(({ types }) => types as readonly string[])
  const all = [...new Set([...listed, ...events.keys()])]
  const groups = Map.groupBy(all, (type) => type.split('.')[0] ?? '')
  const sections = [...groups].map(([group, types]) => {
    const rows = types.map((type) => {
      const event = events.get(type)
      return event ? [`[\`${type}\`](${eventUrl(type)})`, event.summary] : [`\`${type}\``, '']
    })
    return `### ${group}\n\n${table(['Event', 'Sent when'], rows)}`
  })
  return sections.join('\n')
}

/** Returns the page of an event: `/docs/events/video.asset.ready`. */
export const eventUrl = (type: string): string => `/docs/events/${type}`

/** Returns an event as Markdown, with its fields and a sample payload. */
export function eventMarkdown({ type, summary, schema, sample }: ReferenceEvent, components: Components): string {
  const fields = fieldLines(shapeOf(schema.properties?.data ?? schema, components))
  const payload = `\`\`\`json\n${JSON.stringify(sample, undefined, 2)}\n\`\`\``
  return `# ${type}\n\n${summary}\n\n## Fields of \`data\`\n\n${fields}\n## Sample payload\n\n${payload}\n`
}
