import { access, constants } from 'node:fs/promises'
import type { Command } from 'commander'
import * as feeds from '#sql/trust/feeds.ts'
import { SourceError } from '#tasks/sources/rules/source-error.ts'
import { importFile } from '#tasks/trust/rules/import-file.ts'
import { importNow } from '#tasks/trust/rules/import-now.ts'
import { categories, safeBrowsing, urlhaus } from '#tasks/trust/rules/known-feeds.ts'
import { redactUrl } from '#tasks/trust/rules/shown-url.ts'
import { type Column, duration, json, line, number, short, table, when } from './output.ts'
import { actor, withDatabase } from './session.ts'
import { CommandError, OptionErrors, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('trust').description('list, add, import and remove threat feeds')
  command
    .command('list', { isDefault: true })
    .description('list feeds and their age')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('add')
    .description('add or change a feed; its entries are kept until the next import')
    .argument('<name>', 'name: lower-case letters, digits, - and _')
    .option(
      '--kind <kind>',
      'kind of feed: list (URLs, hosts, or a hosts file, one per line), urlhaus or safe_browsing',
      'list',
    )
    .option('--url <url>', 'URL of the feed; without it, the feed is imported only from files')
    .option('--category <category>', `category of the entries of a list: ${categories.join(', ')}`, 'malware')
    .option('--every <minutes>', 'interval between fetches in minutes', '60')
    .option('--stale-after <hours>', 'age in hours after which the feed is outdated', '24')
    .option('--json', 'print JSON')
    .action(runAdd)
  command
    .command('import')
    .description('import a feed from a file or, by default, from its URL; runs in a worker of the `web` pool')
    .argument('<name>', 'feed name (see `millrace trust`)')
    .option('--file <path>', 'path of a copy of the feed, plain or gzip')
    .option('--force', 'import even if more than half of its entries would be removed')
    .option('--json', 'print JSON')
    .action(runImport)
  command
    .command('remove')
    .description('remove a feed and its entries')
    .argument('<name>', 'feed name (see `millrace trust`)')
    .option('--json', 'print JSON')
    .action(runRemove)
}

async function runList(options: { json?: boolean }): Promise<void> {
  const found = (await withDatabase(feeds.list)).map((feed) => ({ ...feed, url: feed.url && redactUrl(feed.url) }))
  if (options.json) return json(found)
  table(found, columns, 'No feeds. Add one with `millrace trust add`.')
}

const columns: Column<feeds.Feed>[] = [
  { heading: 'NAME', text: ({ name }) => name },
  { heading: 'KIND', text: ({ kind }) => kind },
  { heading: 'ENTRIES', right: true, text: ({ entries }) => number(entries) },
  { heading: 'CURRENT', right: true, text: ({ checked_at }) => (checked_at === null ? 'never' : when(checked_at)) },
  { heading: 'STALE AFTER', right: true, text: ({ stale_after_seconds }) => duration(stale_after_seconds) },
  { heading: 'NEXT', right: true, text: ({ url, next_at }) => (url && next_at ? when(next_at) : 'from files') },
  { heading: 'ERROR', text: ({ error }) => short(error ?? '', 80) },
]

interface AddOptions {
  kind: string
  url?: string
  category: string
  every: string
  staleAfter: string
  json?: boolean
}

async function runAdd(name: string, options: AddOptions): Promise<void> {
  const faults = new OptionErrors()
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(name))
    faults.add('name', 'must be 1 to 40 lower-case letters, digits, - and _')
  const kind = feeds.table.Row.shape.kind.safeParse(options.kind)
  if (!kind.success) faults.add('--kind', 'must be list, urlhaus or safe_browsing')
  const known = { urlhaus, safe_browsing: safeBrowsing, list: undefined }[kind.data ?? 'list']
  const url = options.url ?? known?.url ?? null
  if (url !== null && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    faults.add('--url', 'must be an http:// or https:// URL')
  if (!(categories as readonly string[]).includes(options.category)) faults.add('--category', categories.join(', '))
  const every = faults.read('--every', options.every, (text) => whole(text, 5, 10_080)) ?? 60
  const staleAfter = faults.read('--stale-after', options.staleAfter, (text) => whole(text, 1, 8_760)) ?? 24
  faults.demandNone()
  const facts = { every_seconds: every * 60, stale_after_seconds: staleAfter * 3600, category: options.category }
  const feed = await withDatabase((db) => feeds.put(db, { name, kind: kind.data ?? 'list', url, ...facts }))
  if (options.json) json({ ...feed, url: feed.url && redactUrl(feed.url) })
  else
    line(
      `${name} is saved${url === null ? '; import it from a file with `millrace trust import`' : ', and is fetched within a minute'}.`,
    )
}

function whole(text: string, least: number, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Error(`must be a whole number from ${least} to ${most}`)
  return value
}

async function runImport(name: string, options: { file?: string; force?: boolean; json?: boolean }): Promise<void> {
  await withDatabase(async (db) => {
    const feed = await feeds.findByName(db, name)
    if (feed === null) throw new UsageError(`Feed ${name} does not exist.`)
    const anyway = options.force === true
    if (options.file === undefined) {
      const run = await importNow(db, name, { actor: actor(), anyway })
      if (run === null) throw new UsageError(`${name} has no URL. Use --file.`)
      return options.json
        ? json({ name, run })
        : line(`${name} is being imported. \`millrace trust\` shows the result.`)
    }
    if (feed.kind === 'safe_browsing') throw new UsageError('Lists of Safe Browsing cannot be imported from files.')
    await access(options.file, constants.R_OK).catch(() => {
      throw new UsageError(`Cannot read ${options.file}.`)
    })
    const { entries, leftOut } = await importFile(db, feed, options.file, anyway).catch((error) => {
      throw error instanceof SourceError ? new CommandError(error.message) : error
    })
    if (options.json) json({ name, entries, left_out: leftOut })
    else line(`${name} has ${number(entries)} entries; ${number(leftOut)} lines were skipped.`)
  })
}

async function runRemove(name: string, options: { json?: boolean }): Promise<void> {
  const removed = await withDatabase((db) => feeds.remove(db, name))
  if (!removed) throw new UsageError(`Feed ${name} does not exist.`)
  if (options.json) json({ name, removed })
  else line(`${name} is removed.`)
}
