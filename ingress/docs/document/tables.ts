import { keyPrefixes } from '#lib/tokens.ts'
import { Role } from '#sql/account/people/members.ts'
import { limits } from '#sql/account/plans.ts'
import { canRole, type Permission, permissions } from '#tasks/account/rules/roles.ts'
import { included, type Scope, scopes } from '#tasks/account/rules/scopes.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import { nodePath } from '../../../sdk/generate/methods.ts'
import type { Operation } from '../../http/area.ts'
import { referenceUrl } from '../../http/openapi/viewer.ts'
import { standardProblems } from '../../http/problem-kinds.ts'
import { fieldLines } from './operation-markdown.ts'
import type { Reference, ReferenceEvent, ReferenceOperation } from './reference.ts'
import { type Components, shapeOf } from './shapes.ts'

/** Markdown tables for the marks `<!-- table: name -->` of pages, generated from declarations. */
export const tables: Readonly<Record<string, (reference: Reference, tools: readonly Operation[]) => string>> = {
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
  tools: (_, tools) => toolTable(tools),
}

/** Replaces the marks of a page by their tables. */
export const withTables = (markdown: string, reference: Reference, tools: readonly Operation[]): string =>
  markdown.replace(/^<!-- table: (\w+) -->$/gm, (mark, name: string) => tables[name]?.(reference, tools).trim() ?? mark)

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

/** Returns a table with the path prefixes, scope prefixes and client names of each area. */
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
  return table(['Area', 'Path prefix', 'Scopes', 'Client'], rows)
}

/** Returns the path up to its version. Below `/v1`, the result includes the resource. */
const baseOf = (path: string): string => /^(\/\w+\/v1|\/v1\/[\w-]+|\/[\w-]+)/.exec(path)?.[0] ?? path

const codes = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

const prefixMeanings: Readonly<Record<string, string>> = {
  bt_live_: 'Server key for all areas',
  bt_site_:
    'Public key for web pages and apps. It works only for operations with the scopes `bots:chat`, `guard:challenge`, `push:receipt` and `push:subscribe`.',
  bt_test_: 'Test key for all areas. Millrace records its messages and does not deliver them.',
  snd_live_: 'Server key for email',
  snd_test_: 'Test key for email. Millrace records its messages and does not deliver them.',
  mtz_live_: 'Server key for push',
}

function keyTable(): string {
  return table(
    ['Prefix', 'Kind of key'],
    keyPrefixes.map((prefix) => [`\`${prefix}\``, prefixMeanings[prefix] ?? 'Server key']),
  )
}

function roleTable(): string {
  const rows = (Object.keys(permissions) as Permission[]).map((permission) => [
    permissions[permission].words,
    ...Role.options.map((role) => (canRole(role, permission) ? 'yes' : '')),
  ])
  return table(['Permission', ...Role.options], rows)
}

function scopeTable({ operations }: Reference): string {
  const shown = (Object.keys(scopes) as Scope[]).filter((scope) => scope !== 'operator')
  const rows = shown.map((scope) => {
    const asking = operations.filter((operation) => operation.scopes.includes(scope))
    const areas = byArea(asking).map(([title, name, own]) => `[${title}](/docs/reference/${name}) (${own.length})`)
    return [`\`${scope}\``, scopes[scope], codes(included[scope] ?? []), areas.join(', ')]
  })
  return table(['Scope', 'Permission', 'Included scopes', 'Operations'], rows)
}

const standard: Readonly<Record<string, { status: number }>> = standardProblems

const isStandard = ({ code, status }: { code: string; status: number }) => standard[code]?.status === status

/** Maximum number of areas that a table lists by name. With more areas, it says "most areas". */
const fewAreas = 6

/** Returns two tables: errors of all areas, and errors of single areas. */
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
        ? 'most areas'
        : [...areas].map(([name, title]) => `[${title}](/docs/reference/${name})`).join(', '),
    ])
  return `### All areas\n\n${table(['Code', 'Status', 'Cause'], everywhere)}\n### Single areas\n\n${table(['Code', 'Status', 'Cause', 'Areas'], rows)}`
}

/** Returns the operations that are tools of the MCP server, by name. Hidden operations have no page. */
function toolTable(tools: readonly Operation[]): string {
  const rows = tools.map(({ id, route }) => [
    `\`${route.tool?.name}\``,
    route.hidden ? route.summary : `[${route.summary}](${referenceUrl(id)})`,
    codes([route.scope ?? []].flat()) || 'none',
    route.method === 'GET' || route.tool?.reads ? 'yes' : '',
    route.method === 'DELETE' || route.tool?.destructive ? 'yes' : '',
  ])
  return table(
    ['Tool', 'Effect', 'Scopes', 'Only reads', 'Destructive'],
    rows.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  )
}

const operationList = (operations: readonly ReferenceOperation[]) =>
  operations.map((one) => `- ${linked(one)}: ${one.method.summary}\n`).join('')

const operationTable = (operations: readonly ReferenceOperation[]) =>
  table(
    ['Area', 'Operations'],
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
    ['Limit', 'Meaning', 'Default of plan `free`'],
    Object.entries(limits).map(([name, { description, initial, unit }]) => [
      `\`${name}\``,
      description,
      amount(initial, unit),
    ]),
  )
}

/** Returns every event by area, each with a link to its page if the document describes it. */
function eventSections({ events }: Reference): string {
  const groups = Map.groupBy(allTypes, (type) => type.split('.')[0] ?? '')
  const sections = [...groups].map(([group, types]) => {
    const rows = types.map((type) => {
      const event = events.get(type)
      return event ? [`[\`${type}\`](${eventUrl(type)})`, event.summary] : [`\`${type}\``, '']
    })
    return `### ${group}\n\n${table(['Event', 'Sent when'], rows)}`
  })
  return sections.join('\n')
}

/** Returns the URL of an event's page: `/docs/events/video.asset.ready`. */
export const eventUrl = (type: string): string => `/docs/events/${type}`

/** Returns an event as Markdown, with its fields and a sample payload. */
export function eventMarkdown({ type, summary, schema, sample }: ReferenceEvent, components: Components): string {
  const fields = fieldLines(shapeOf(schema.properties?.data ?? schema, components))
  const payload = `\`\`\`json\n${JSON.stringify(sample, undefined, 2)}\n\`\`\``
  return `# ${type}\n\n${summary}\n\n## Fields of \`data\`\n\n${fields}\n## Sample payload\n\n${payload}\n`
}
