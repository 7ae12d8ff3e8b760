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
import { redactUrl } from '#tasks/erp/rules/source-url.ts'
import { type Column, duration, json, line, short, table, when } from './output.ts'
import { registerOptions } from './register-options.ts'
import { actor, withDatabase } from './session.ts'
import { OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('erp').description('list, add, fetch, pause and remove register sources')
  command
    .command('list', { isDefault: true })
    .description('list sources and their status')
    .option('--json', 'print JSON')
    .action(runList)
  const more = (text: string, before: string[] = []) => [...before, text]
  registerOptions(command.command('add'))
    .description('add or change a source; its companies are kept until its next file is imported')
    .argument('<name>', 'name: lower-case letters, digits, - and _')
    .requiredOption('--profile <profile>', `format of its file: ${profileNames.join(', ')}`)
    .option(
      '--url <url>',
      'https URL of the file; {month} is replaced by a month such as 2026-01; default: the URL of the register',
    )
    .option('--every <hours>', 'interval between checks in hours')
    .option(
      '--least-percent <percent>',
      'minimum number of companies in a file, in percent of the existing ones; smaller files need your confirmation (default: 50)',
    )
    .option('--most-mb <mb>', 'maximum size of its file in MiB (default: 4096)')
    .option('--most-rows <rows>', 'maximum number of records in its file (default: 20000000)')
    .option('--records <path>', 'path of the records in a JSON file, such as data.items')
    .option(
      '--map <field=column>',
      'column for a field (generic profile), repeatable; field==text sets a fixed value',
      more,
    )
    .option('--status <word=status>', 'status for a term of the register (generic profile), repeatable', more)
    .option('--partial', 'treat its file as partial: do not mark missing companies')
    .option('--json', 'print JSON')
    .action(runAdd)
  const onSource = [
    ['fetch', 'fetch a source immediately, in a worker of the `web` pool', fetchNow, 'is being fetched'],
    ['pause', 'stop scheduled fetches of a source', pausing(true), 'is paused'],
    ['resume', 'resume scheduled fetches of a source', pausing(false), 'is fetched on schedule again'],
    ['remove', 'remove a source; its companies are kept', removeSource, 'is removed'],
  ] as const
  for (const [verb, about, act, done] of onSource) declareVerb(command, { verb, about, of: 'name', act, done })
  const onImport = [
    [
      'confirm',
      'import a file that is waiting for confirmation, even if it removes many companies',
      confirmImport,
      'is being imported',
    ],
    [
      'refuse',
      'reject a file that is waiting for confirmation; existing companies are kept',
      refuseImport,
      'is rejected',
    ],
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
      of === 'name' ? 'source name (see `millrace erp`)' : 'import ID (see the console or `millrace erp`)',
    )
    .option('--json', 'print JSON')
    .action(async (named: string, options: { json?: boolean }) => {
      if (of === 'import' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(named))
        throw new UsageError(`import: ${named} is not an import ID`)
      const result = await withDatabase((db) => act(db, named, actor()))
      if (result === null || result === false)
        throw new UsageError(
          of === 'name' ? `Source ${named} does not exist.` : `No import ${named} is waiting for confirmation.`,
        )
      if (options.json) json({ [of]: named, done: verb })
      else line(`${named} ${done}.`)
    })
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = (await withDatabase(sources.list)).map((one) => ({ ...one, url: redactUrl(one.url) }))
  if (options.json) return json(found)
  table(found, columns, 'No sources. Add one with `millrace erp add`.')
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
  const faults = new OptionErrors()
  const source = readSource({ ...given, name }, (option, issue) => faults.add(option, issue))
  faults.demandNone()
  if (source === null) return
  const kept = await withDatabase((db) => putSource(db, source, actor()))
  if (asJson) json({ ...kept, url: redactUrl(kept.url) })
  else
    line(
      `Source ${name} is saved. Its file will be fetched within a minute, or once fewer than two other fetches are running.`,
    )
}
