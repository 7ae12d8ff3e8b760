import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Cell } from '#lib/cells.ts'
import { requireVariable } from '#lib/config.ts'
import { Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { Storage } from '#lib/storage/storage.ts'
import { holdMove } from '#sql/account/move/lock.ts'
import * as moves from '#sql/account/move/moves.ts'
import { readMovedTables } from '#sql/account/move/tables.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { abortMove, beginMove } from '#tasks/account/rules/move/begin.ts'
import { findHindrances } from '#tasks/account/rules/move/checks.ts'
import { findLeft } from '#tasks/account/rules/move/left.ts'
import { MoveStoppedError, moveOrganisation } from '#tasks/account/rules/move/move.ts'
import { type Moving, type Side, stayingTables } from '#tasks/account/rules/move/plan.ts'
import { useSameBucket } from '#tasks/account/rules/move/stores.ts'
import { listUnderWay } from '#tasks/account/rules/move/under-way.ts'
import { readCells } from '../cells.ts'
import { findOrg } from '../filters.ts'
import { json, line, number, table, when } from '../output.ts'
import { actor, databaseUrl, withDatabase } from '../session.ts'
import { CommandError, OptionErrors, UsageError } from '../usage.ts'

export function declare(command: Command): void {
  command
    .command('move')
    .description(
      'move a running organisation to another cell, pausing it for a few seconds; run again to continue an interrupted move',
    )
    .argument('<org>', 'organisation ID or name')
    .requiredOption('--to <cell>', 'cell name from CELLS_FILE')
    .option('--abort', 'cancel the current move and delete the copied rows')
    .option('--wait', 'wait until its broadcasts, rooms and calls have ended')
    .option(
      '--pause <seconds>',
      'maximum duration of the last comparison in seconds, about the duration of the pause',
      '10',
    )
    .option(
      '--same-secret',
      'confirm that the other cell has the same SIGNING_SECRET, if it has no encrypted value to compare',
    )
    .option('--json', 'print JSON')
    .action(runMove)
  command
    .command('moves')
    .description('list moves of organisations to and from this cell, newest first')
    .option('--json', 'print JSON')
    .action(runList)
}

interface Options {
  to: string
  abort?: boolean
  wait?: boolean
  pause: string
  sameSecret?: boolean
  json?: boolean
}

/**
 * Time in milliseconds that an ingress caches a key, plus the time for a query. Workers read their controls more often.
 */
const heedMs = 3_500

/** Time in seconds that workers have to finish running jobs during the pause. */
const handSeconds = 30

async function runMove(name: string, options: Options): Promise<void> {
  const tell = (text: string) => (options.json ? undefined : line(text))
  const early = new OptionErrors()
  const mostSeconds = early.read('--pause', options.pause, readSeconds) ?? 10
  early.demandNone()
  const rows = await withSides(options.to, async (source, target) => {
    const faults = new OptionErrors()
    const orgId = (await faults.look('org', name, (text) => findOrg(source.db, text))) ?? ''
    faults.demandNone()
    return await holdMove(source.db, orgId, async () => {
      const moving = await prepare(orgId, source, target, options, tell)
      if (options.abort) return await abortMove(moving)
      return await moveOrganisation(moving, { actor: actor(), mostSeconds, handSeconds, heedMs })
    })
  }).catch((error) => {
    throw error instanceof MoveStoppedError || error instanceof Problem ? new CommandError(error.message) : error
  })
  if (options.json) return json({ rows: rows ?? null })
  if (!rows) return
  table(
    Object.entries(rows),
    [
      { heading: 'TABLE', text: ([table]) => table },
      { heading: 'ROWS', right: true, text: ([, count]) => number(count) },
    ],
    'The organisation has no rows.',
  )
}

function readSeconds(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 3_600) return seconds
  throw new UsageError(`"${text}" is not a number of seconds from 1 to 3600`)
}

async function prepare(
  orgId: string,
  source: Side,
  target: Side,
  { to, abort, wait, sameSecret }: Options,
  tell: Moving['tell'],
): Promise<Moving> {
  const open = await moves.findOpen(source.db, orgId)
  if (open && ['incoming', 'aborting'].includes(open.state))
    throw new CommandError(`The organisation is moving here from cell ${open.cell}. Run the command there.`)
  if (open && open.cell !== to)
    throw new CommandError(`The organisation is already moving to cell ${open.cell}. Cancel that move with --abort.`)
  const tables = await readMovedTables(source.db, stayingTables)
  if (open) return { move: open, source, target, tables, tell }
  const left = await findLeft(source, target, orgId)
  if (abort) {
    if (left) return { move: left, source, target, tables, tell }
    throw new CommandError('The organisation is not being moved.')
  }
  if (left?.state === 'aborting')
    throw new CommandError(`Cell ${to} still has rows from a cancelled move. Delete them with --abort.`)
  const shared = await useSameBucket(source, target)
  const move = { id: left?.id ?? newId(), org_id: orgId, objects: shared ? ('shared' as const) : ('copied' as const) }
  const moving = { move, source, target, tables, tell }
  const hindrances = await findHindrances(moving, {
    secret: requireVariable('SIGNING_SECRET'),
    sameSecret: sameSecret === true,
  })
  if (hindrances.length > 0) throw new CommandError(`The organisation cannot be moved: ${hindrances.join('; ')}.`)
  await demandQuiet(moving, wait === true)
  await beginMove(moving, actor())
  return moving
}

const lookEveryMs = 1_000

async function demandQuiet(moving: Moving, wait: boolean): Promise<void> {
  for (let said = ''; ; ) {
    const live = await listUnderWay(moving)
    if (live.length === 0) return
    const text = `it has active ${live.join(', ')}`
    if (!wait) throw new CommandError(`The organisation cannot be moved: ${text}. Add --wait to wait until they end.`)
    if (text !== said) moving.tell(text)
    said = text
    await pause(lookEveryMs)
  }
}

async function withSides<T>(to: string, work: (source: Side, target: Side) => Promise<T>): Promise<T> {
  const cells = readCells()
  const cell = cells.byName.get(to)
  if (!cell || to === cells.own) {
    const others = [...cells.byName.keys()].filter((name) => name !== cells.own)
    throw new UsageError(`--to: unknown cell "${to}"; the other cells are ${others.join(', ') || 'none'}`)
  }
  if (!cell.database_url) throw new CommandError(`CELLS_FILE: cells.${to}.database_url is not set.`)
  const own = cells.byName.get(cells.own)?.s3
  if ((cell.s3 === undefined) !== (own === undefined))
    throw new CommandError(
      `CELLS_FILE: set s3 for both ${cells.own} and ${to}, or for neither if they share one bucket.`,
    )
  const silent = (error: Error) => {
    throw new CommandError(`The database of cell ${to} is not responding: ${error.message}`)
  }
  const pools: DatabasePool[] = []
  const open = async (url: string) => {
    const pool = await openPool(url, 12, 3_600_000, 3_600_000)
    pools.push(pool)
    return pool
  }
  try {
    return await work(
      { name: cells.own, db: await open(await databaseUrl()), storage: storageOf(own) },
      { name: to, db: await open(cell.database_url).catch(silent), storage: storageOf(cell.s3) },
    )
  } finally {
    for (const pool of pools) await pool.end()
  }
}

const storageOf = (store: Cell['s3']): Storage | undefined =>
  store &&
  new Storage({
    endpoint: store.endpoint,
    publicEndpoint: store.endpoint,
    region: store.region,
    bucket: store.bucket,
    accessKey: store.access_key,
    secretKey: store.secret_key,
  })

async function runList(options: { json?: boolean }): Promise<void> {
  const found = await withDatabase((db) => moves.list(db))
  if (options.json) return json(found)
  table(
    found,
    [
      { heading: 'ORGANISATION', text: ({ org_id }) => org_id },
      {
        heading: 'CELL',
        text: ({ cell, state }) =>
          ['incoming', 'arrived', 'aborting'].includes(state) ? `from ${cell}` : `to ${cell}`,
      },
      { heading: 'STATE', text: ({ state }) => state },
      { heading: 'PASS', right: true, text: ({ pass }) => String(pass) },
      { heading: 'BEGUN', right: true, text: ({ started_at }) => when(started_at) },
      { heading: 'ERROR', text: ({ error }) => error ?? '' },
    ],
    'No moves.',
  )
}
