import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Cell, type Cells, getConfiguredCells } from '#lib/cells.ts'
import { config } from '#lib/config.ts'
import { describe } from '#lib/errors.ts'
import { type Load, measureLoad } from '#sql/account/cell-load.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { buildHaproxyMaps } from './haproxy-maps.ts'
import { type Column, green, json, line, number, rate, red, table } from './output.ts'
import { CommandError, UsageError } from './usage.ts'

export function declare(program: Command): void {
  const command = program.command('cells').description('show the cells: health, organisations and load')
  command
    .command('list', { isDefault: true })
    .description('list every cell in CELLS_FILE, with the state of its ingress and its database')
    .option('--json', 'print JSON')
    .action(runList)
  command
    .command('map')
    .description('write the routing files of HAProxy: maps of keys, URLs and hosts, and a backend for each cell')
    .argument('<folder>', 'folder of ops/deploy/haproxy/cells.cfg, such as /etc/haproxy/cells')
    .option('--json', 'print JSON')
    .action(runMap)
}

/** Returns the cells of CELLS_FILE. Throws `CommandError` if there are none. */
export function readCells(): Cells {
  let known: Cells | undefined
  try {
    known = getConfiguredCells()
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
  if (known) return known
  throw new CommandError(
    `This installation has no other cells: ${config.CELL ? 'CELLS_FILE is' : 'CELL and CELLS_FILE are'} not set. See ops/deploy/CELLS.md.`,
  )
}

/** Returns a cell by its name. Throws `UsageError` with all names if the cell does not exist. */
export function findCell({ byName }: Cells, name: string): Cell {
  const found = byName.get(name)
  if (found) return found
  throw new UsageError(`unknown cell "${name}"; the cells are ${[...byName.keys()].join(', ')}`)
}

/** Runs a command on the database of a cell. Rejects with `CommandError` if CELLS_FILE does not contain its URL. */
export async function withCell<T>(
  name: string,
  { database_url }: Cell,
  work: (db: DatabasePool) => Promise<T>,
): Promise<T> {
  if (database_url === undefined) throw new CommandError(`CELLS_FILE has no database_url for cell ${name}.`)
  const db = await openPool(database_url, 2)
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}

export interface CellState {
  cell: string
  url: string
  own: boolean
  full: boolean
  /**
   * State that the cell's ingress reports: `ok`, or the unavailable parts. `silent` if the ingress is not responding.
   */
  health: string
  /** `undefined` if the database is not responding. */
  load: Load | undefined
  fault: string | undefined
}

const patience = 3_000

/**
 * Returns the state of every cell. All cells are queried in parallel, so that a cell that is not responding does not
 * delay the others.
 */
export const readCellStates = async (known: Cells): Promise<CellState[]> =>
  await Promise.all(
    [...known.byName].map(async ([name, cell]) => {
      const [health, measured] = await Promise.all([readCellHealth(cell), loadOf(name, cell)])
      return { cell: name, url: cell.url, own: name === known.own, full: cell.full, health, ...measured }
    }),
  )

/**
 * Returns the state that a cell's ingress reports: `ok`, the unavailable parts, or `silent` if there is no response.
 */
export async function readCellHealth({ url }: Cell): Promise<string> {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(patience) })
    if (answer.ok) return 'ok'
    const { error } = (await answer.json()) as { error?: { details?: Record<string, string> } }
    const away = Object.entries(error?.details ?? {}).flatMap(([part, state]) => (state === 'away' ? [part] : []))
    return away.length > 0 ? `without ${away.join(', ')}` : `returns ${answer.status}`
  } catch {
    return 'silent'
  }
}

async function loadOf(name: string, cell: Cell): Promise<Pick<CellState, 'load' | 'fault'>> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('the database is not responding')), patience)
  const asked = withCell(name, cell, measureLoad)
  asked.catch(() => {})
  try {
    return { load: await Promise.race([asked, late.promise]), fault: undefined }
  } catch (error) {
    return { load: undefined, fault: error instanceof CommandError ? error.message : describe(error) }
  } finally {
    clearTimeout(timer)
  }
}

async function runList(options: { json?: boolean }): Promise<void> {
  const all = await readCellStates(readCells())
  if (options.json) json(all)
  else table(all, columns, 'No cells are configured.')
  if (all.some(({ health, fault }) => health !== 'ok' || fault !== undefined)) process.exitCode = 1
  // Open connections to a frozen server must not keep the process alive.
  if (all.some(({ fault }) => fault !== undefined)) process.stdout.write('', () => process.exit())
}

const of =
  (read: (load: Load) => string) =>
  ({ load }: CellState) =>
    load ? read(load) : '-'

const columns: Column<CellState>[] = [
  { heading: 'CELL', text: ({ cell, own }) => (own ? `${cell} (this)` : cell) },
  { heading: 'INGRESS', text: ({ url }) => url },
  { heading: 'HEALTH', text: ({ health }) => (health === 'ok' ? green(health) : red(health)) },
  { heading: 'ORGANISATIONS', right: true, text: of(({ orgs }) => number(orgs)) },
  { heading: 'REQUESTS/S', right: true, text: of(({ requests_per_second }) => rate(requests_per_second)) },
  { heading: 'JOBS WAITING', right: true, text: of(({ waiting }) => number(waiting)) },
  { heading: 'DATABASE', right: true, text: of(({ bytes }) => `${number(Math.round(bytes / 2 ** 20))} MiB`) },
  { heading: '', text: ({ full, fault }) => fault ?? (full ? 'full' : '') },
]

async function runMap(folder: string, options: { json?: boolean }): Promise<void> {
  const maps = buildHaproxyMaps(readCells())
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(maps)) {
    const path = join(folder, name)
    // A starting HAProxy reads the whole old file or the whole new file.
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  }
  if (options.json) return json({ folder, files: Object.keys(maps) })
  line(
    `${folder}: ${Object.keys(maps).join(', ')}. HAProxy reads these files when it reloads: systemctl reload haproxy.`,
  )
}
