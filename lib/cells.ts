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
  /** The ingress, as other cells reach it. */
  url: http.refine((url) => new URL(url).pathname === '/', 'must be a scheme and a host alone'),
  /** Used by operators' commands alone. */
  database_url: postgres.optional(),
  /** The bucket, for operators' commands alone. */
  s3: Store.optional(),
  /** Host names that lead to this cell, as HAProxy's map has them. */
  hosts: z.array(z.hostname()).default([]),
  /** No organisation is placed here unless it is named. */
  full: z.boolean().default(false),
})

const File = z.strictObject({ cells: z.record(z.string(), Cell) })

/** The faults of names, told as the others are. */
const faultsOfNames = (value: unknown): string[] => {
  const { data } = z.object({ cells: z.record(z.string(), z.unknown()) }).safeParse(value)
  return Object.keys(data?.cells ?? {}).flatMap((name) => {
    const { error } = cellName.safeParse(name)
    return error ? error.issues.map(({ message }) => `  cells.${name}: its name ${message}`) : []
  })
}

/** A whole Millrace beside others. */
export type Cell = z.infer<typeof Cell>

/** All cells, as one of them knows them. */
export interface Cells {
  /** The name of this one. */
  own: string
  byName: ReadonlyMap<string, Cell>
}

/** Parses the text of a cells file; throws one error that names every field at fault, and shows no value. */
export function parseCells(own: string, given: string): Cells {
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    throw new Error('CELLS_FILE is not JSON.')
  }
  const read = File.safeParse(value)
  const issues = read.error?.issues ?? []
  const faults = [
    ...faultsOfNames(value),
    ...issues.map(({ path, message }) => `  ${path.join('.') || 'file'}: ${message}`),
  ]
  if (!read.success || faults.length > 0) {
    throw new Error(`CELLS_FILE has faults:\n${faults.join('\n')}`)
  }
  const { cells } = read.data
  if (!Object.hasOwn(cells, own)) throw new Error(`CELLS_FILE: cells does not name this one, CELL=${own}.`)
  const hosts = Object.values(cells).flatMap((cell) => cell.hosts)
  const twice = hosts.filter((host, i) => hosts.indexOf(host) !== i)
  if (twice.length > 0)
    throw new Error(`CELLS_FILE: ${[...new Set(twice)].join(', ')} is the host of more than one cell.`)
  return { own, byName: new Map(Object.entries(cells)) }
}

/** Reads a cells file; one that others than its owner may read is refused, as it may have secrets. */
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
  if ((mode & 0o077) !== 0) throw new Error(`CELLS_FILE: ${path} has secrets, and others may read it: chmod 600.`)
  return text
}

/** The cells that this process knows; undefined where there is one Millrace alone. Throws a sentence for a file with a fault. */
export function configuredCells(): Cells | undefined {
  const { CELL, CELLS_FILE } = config
  if (CELL === '' && CELLS_FILE === undefined) return undefined
  if (CELL === '') throw new Error('CELLS_FILE is set, and CELL does not say which of its cells this is.')
  return CELLS_FILE === undefined ? undefined : readCells(CELL, CELLS_FILE)
}
