import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { cellName } from './cell-name.ts'
import { http, postgres, text } from './config/values.ts'
import { config } from './config.ts'

const Store = z.strictObject({
  endpoint: http,
  region: text.default('us-east-1'),
  bucket: text,
  access_key: text,
  secret_key: text,
})

const Cell = z.strictObject({
  url: http.refine((url) => new URL(url).pathname === '/', 'must be only a scheme and a host'),
  database_url: postgres.optional(),
  s3: Store.optional(),
  hosts: z.array(z.hostname()).default([]),
  full: z.boolean().default(false),
})

const File = z.strictObject({ cells: z.record(z.string(), Cell) })

const faultsOfNames = (value: unknown): string[] => {
  const { data } = z.object({ cells: z.record(z.string(), z.unknown()) }).safeParse(value)
  return Object.keys(data?.cells ?? {}).flatMap((name) => {
    const { error } = cellName.safeParse(name)
    return error ? error.issues.map(({ message }) => `  cells.${name}: the name ${message}`) : []
  })
}

export type Cell = z.infer<typeof Cell>

export interface Cells {
  own: string
  byName: ReadonlyMap<string, Cell>
}

export function parseCells(own: string, given: string): Cells {
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    throw new Error('CELLS_FILE must contain valid JSON.')
  }
  const read = File.safeParse(value)
  const issues = read.error?.issues ?? []
  const faults = [
    ...faultsOfNames(value),
    ...issues.map(({ path, message }) => `  ${path.join('.') || 'file'}: ${message}`),
  ]
  if (!read.success || faults.length > 0) {
    throw new Error(`CELLS_FILE has errors:\n${faults.join('\n')}`)
  }
  const { cells } = read.data
  if (!Object.hasOwn(cells, own)) throw new Error(`CELLS_FILE: this cell is missing in the file, CELL=${own}.`)
  const hosts = Object.values(cells).flatMap((cell) => cell.hosts)
  const twice = hosts.filter((host, i) => hosts.indexOf(host) !== i)
  if (twice.length > 0)
    throw new Error(`CELLS_FILE: ${[...new Set(twice)].join(', ')} is assigned to more than one cell.`)
  return { own, byName: new Map(Object.entries(cells)) }
}

/** Reads a cells file. Throws if other users can read the file, because it can contain secrets. */
export function readCells(own: string, path: string): Cells {
  return parseCells(own, readOwn(path))
}

function readOwn(path: string): string {
  let mode: number
  let text: string
  try {
    mode = statSync(path).mode
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`CELLS_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  if ((mode & 0o077) !== 0)
    throw new Error(`CELLS_FILE: ${path} contains secrets and other users can read it. Run chmod 600.`)
  return text
}

/** Returns the configured cells, or undefined if there is only one Millrace. Throws if the file has an error. */
export function getConfiguredCells(): Cells | undefined {
  const { CELL, CELLS_FILE } = config
  if (CELL === '' && CELLS_FILE === undefined) return undefined
  if (CELL === '') throw new Error('CELLS_FILE is set, but CELL is not. Set CELL to the name of this cell.')
  return CELLS_FILE === undefined ? undefined : readCells(CELL, CELLS_FILE)
}
