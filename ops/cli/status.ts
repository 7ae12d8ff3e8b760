import { type Command, Option } from 'commander'
import * as areas from '#sql/status/areas.ts'
import * as incidents from '#sql/status/incidents.ts'
import { type Column, json, line, table, when } from './output.ts'
import { withDatabase } from './session.ts'
import { CommandError } from './usage.ts'

export function declare(program: Command): void {
  const status = program.command('status').description('show and edit the incidents of the status page')
  status
    .command('list', { isDefault: true })
    .description('list areas with problems, and incidents of the last 90 days')
    .option('--json', 'print JSON')
    .action(list)
  status
    .command('announce')
    .description('open an incident on the status page')
    .requiredOption('--title <text>', 'title, at most 200 characters')
    .requiredOption('--text <text>', 'first update: what users notice and what they can do')
    .option('--areas <names>', 'affected areas, separated by commas')
    .addOption(new Option('--kind <kind>', 'kind of incident').choices(incidents.Kind.options).default('notice'))
    .option('--json', 'print JSON')
    .action(announce)
  status
    .command('update')
    .description('add an update to an open incident')
    .argument('<incident>', 'ID of the incident')
    .requiredOption('--text <text>', 'text of the update')
    .option('--end', 'end the incident')
    .option('--json', 'print JSON')
    .action(update)
}

async function list(options: { json?: boolean }): Promise<void> {
  const [states, all] = await withDatabase(async (db) => [await areas.list(db), await incidents.list(db)] as const)
  if (options.json) return json({ areas: states, incidents: all })
  const bad = states.filter(({ state }) => state !== 'ok')
  table(bad, areaColumns, 'No area has a problem.')
  table(all, incidentColumns, 'No incident in the last 90 days.')
}

interface Announcement {
  title: string
  text: string
  areas?: string
  kind: incidents.Kind
  json?: boolean
}

async function announce({ title, text, areas: names = '', kind, json: asJson }: Announcement): Promise<void> {
  const affected = [...new Set(names.split(',').flatMap((name) => name.trim() || []))]
  const invalid = [
    ...checkText('--title', title, 200),
    ...checkText('--text', text, 2000),
    ...(await checkAreas(affected)),
  ]
  if (invalid.length > 0) throw new CommandError(invalid.join('\n'))
  const id = await withDatabase((db) =>
    db.transaction((tx) => incidents.open(tx, { areas: affected, kind, title, text, automatic: false })),
  )
  if (asJson) return json({ id })
  line(`Incident ${id} is open. End it with: millrace status update ${id} --end --text "…"`)
}

async function update(id: string, options: { text: string; end?: boolean; json?: boolean }): Promise<void> {
  const invalid = checkText('--text', options.text, 2000)
  if (!/^[0-9a-f-]{36}$/i.test(id)) invalid.push('The ID of the incident is invalid. `millrace status` lists the IDs.')
  if (invalid.length > 0) throw new CommandError(invalid.join('\n'))
  await withDatabase((db) =>
    db.transaction(async (tx) => {
      if (!(await incidents.lockOpen(tx, id)))
        throw new CommandError(`No open incident has the ID ${id}. \`millrace status\` lists the IDs.`)
      await incidents.addUpdate(tx, id, options.text)
      if (options.end) await incidents.end(tx, id)
    }),
  )
  if (options.json) return json({ id, ended: options.end ?? false })
  line(options.end ? `Incident ${id} has ended.` : `Incident ${id} has a new update.`)
}

function checkText(option: string, text: string, most: number): string[] {
  if (text.trim() === '') return [`${option} is empty.`]
  return text.length > most ? [`${option} has ${text.length} characters. It can have at most ${most}.`] : []
}

/** Loads the areas only for this check, because they are the whole ingress. */
async function checkAreas(names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const { areas: known } = await import('../../ingress/areas.ts')
  const all = known.map(({ name }) => name)
  const unknown = names.filter((name) => !all.includes(name))
  if (unknown.length === 0) return []
  return [`--areas has unknown areas: ${unknown.join(', ')}. The areas are ${all.toSorted().join(', ')}.`]
}

const areaColumns: Column<areas.AreaState>[] = [
  { heading: 'AREA', text: ({ area }) => area || 'platform' },
  { heading: 'STATE', text: ({ state }) => state },
  { heading: 'REASON', text: ({ reason }) => reason ?? '' },
  { heading: 'SINCE', right: true, text: ({ since }) => when(since) },
]

const incidentColumns: Column<incidents.Incident>[] = [
  { heading: 'ID', text: ({ id }) => id },
  { heading: 'KIND', text: ({ kind }) => kind },
  { heading: 'AREAS', text: ({ areas: names }) => names.map((name) => name || 'platform').join(',') },
  { heading: 'STARTED', right: true, text: ({ started_at }) => when(started_at) },
  { heading: 'ENDED', right: true, text: ({ ended_at }) => (ended_at ? when(ended_at) : 'open') },
  { heading: 'TITLE', text: ({ title }) => title },
]
