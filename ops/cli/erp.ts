import type { Command } from 'commander'
import type { DatabasePool } from '#sql/db.ts'
import * as sources from '#sql/erp/sources.ts'
import { profileNames } from '#tasks/erp/rules/profiles/index.ts'
import {
  confirmImport,
  fetchNow,
  pauseSource,
  putSource,
  refuseImport,
  removeSource,
} from '#tasks/erp/rules/source-controls.ts'
import { type GivenSource, readSource } from '#tasks/erp/rules/source-facts.ts'
import { shownUrl } from '#tasks/erp/rules/source-url.ts'
import { type Column, duration, json, line, short, table, when } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { Faults, Usage } from './usage.ts'

/** `millrace erp`: where files of registers are fetched by schedule. */
export function declare(program: Command): void {
  const command = program.command('erp').description('list the sources of registers, add, fetch, pause or remove one')
  command
    .command('list', { isDefault: true })
    .description('sources, and how each is')
    .option('--json', 'for programs')
    .action(runList)
  const more = (text: string, before: string[] = []) => [...before, text]
  command
    .command('add')
    .description('add a source, or change one; what it has brought stays until its next file')
    .argument('<name>', 'small letters, digits, - and _')
    .requiredOption('--profile <profile>', `how its file is read: ${profileNames.join(', ')}`)
    .option('--url <url>', 'https://…, {month} stands for 2026-01; the register’s own unless said')
    .option('--register <name>', 'the register’s name, if it is not the profile’s')
    .option('--jurisdiction <country>', 'of entries that do not say theirs (generic): ee, gb, us-de')
    .option('--licence <text>', 'what is said of the data’s licence')
    .option('--record-url <url>', 'a company’s page in the register, with {code} in place of its code')
    .option('--every <hours>', 'hours between two looks')
    .option('--least-percent <percent>', 'a file with less of what was there is held until you say (50)')
    .option('--most-mb <mb>', 'MiB that its file may have (4096)')
    .option('--most-rows <rows>', 'records that its file may have (20000000)')
    .option('--records <path>', 'where the records of a JSON file lie, such as data.items')
    .option('--map <field=column>', 'the column of a value (generic), again for each; field==text is that text', more)
    .option('--status <word=status>', 'our status by the register’s word (generic), again for each', more)
    .option('--partial', 'its file is a part of the register: companies that are not in it are not marked')
    .option('--json', 'for programs')
    .action(runAdd)
  const onSource = [
    ['fetch', 'fetch a source now, by a worker of pool web', fetchNow, 'is being fetched'],
    ['pause', 'fetch a source by schedule no more', pausing(true), 'is paused'],
    ['resume', 'fetch a source by schedule again', pausing(false), 'is fetched by schedule again'],
    ['remove', 'remove a source; what it has brought stays', removeSource, 'is removed'],
  ] as const
  for (const [verb, about, act, done] of onSource) declareVerb(command, { verb, about, of: 'name', act, done })
  const onImport = [
    ['confirm', 'have a file take effect that is held, whatever would go', confirmImport, 'is being imported'],
    ['refuse', 'leave a file that is held: what is known stays', refuseImport, 'is refused'],
  ] as const
  for (const [verb, about, act, done] of onImport) declareVerb(command, { verb, about, of: 'import', act, done })
}

interface Verb {
  verb: string
  about: string
  of: 'name' | 'import'
  act(db: DatabasePool, named: string, actor: string): Promise<string | boolean | null>
  done: string
}

const pausing = (paused: boolean) => (db: DatabasePool, name: string, by: string) =>
  pauseSource(db, name, { paused, actor: by })

function declareVerb(command: Command, { verb, about, of, act, done }: Verb): void {
  command
    .command(verb)
    .description(about)
    .argument(
      `<${of}>`,
      of === 'name' ? 'as `millrace erp` names it' : 'the id that the console and `millrace erp` tell',
    )
    .option('--json', 'for programs')
    .action(async (named: string, options: { json?: boolean }) => {
      if (of === 'import' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named))
        throw new Usage(`import: ${named} is not an import ID`)
      const result = await withDatabase((db) => act(db, named, actor()))
      if (result === null || result === false)
        throw new Usage(of === 'name' ? `There is no source ${named}.` : `No import ${named} is held.`)
      if (options.json) json({ [of]: named, done: verb })
      else line(`${named} ${done}.`)
    })
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = (await withDatabase(sources.list)).map((one) => ({ ...one, url: shownUrl(one.url) }))
  if (options.json) return json(found)
  table(found, columns, 'There is no source; `millrace erp add` adds one.')
}

const columns: Column<sources.Source>[] = [
  { heading: 'NAME', text: ({ name }) => name },
  { heading: 'PROFILE', text: ({ profile }) => profile },
  { heading: 'REGISTER', text: ({ register }) => short(register, 40) },
  { heading: 'EVERY', right: true, text: ({ every_seconds }) => duration(every_seconds) },
  { heading: 'LOOKED AT', right: true, text: ({ checked_at }) => (checked_at === null ? 'never' : when(checked_at)) },
  { heading: 'NEXT', right: true, text: ({ paused, next_at }) => (paused ? 'paused' : when(next_at)) },
  { heading: 'LAST IMPORT', text: ({ import_id }) => import_id ?? '' },
  { heading: 'ERROR', text: ({ error }) => short(error ?? '', 80) },
]

async function runAdd(name: string, { json: asJson, ...given }: Omit<GivenSource, 'name'> & { json?: boolean }) {
  const faults = new Faults()
  const source = readSource({ ...given, name }, (option, issue) => faults.add(option, issue))
  faults.demandNone()
  if (source === null) return
  const kept = await withDatabase((db) => putSource(db, source, actor()))
  if (asJson) json({ ...kept, url: shownUrl(kept.url) })
  else line(`${name} is a source, and is fetched within a minute, or once fewer than two others are.`)
}
