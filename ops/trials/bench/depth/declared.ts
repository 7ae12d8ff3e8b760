import { readdir } from 'node:fs/promises'
import type { z } from 'zod'
import { getTableLabel, type Table } from '#sql/table.ts'

const folder = new URL('../../../../sql/', import.meta.url)

export async function readRowSchemas(): Promise<ReadonlyMap<string, z.ZodObject>> {
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /^[a-z]+\/[^/]+\.ts$/.test(path))
  const modules: object[] = await Promise.all(paths.map((path) => import(new URL(path, folder).href)))
  const tables = modules.flatMap((module) => Object.values(module).filter(isTable))
  return new Map(tables.map((table) => [getTableLabel(table), table.Row]))
}

const isTable = (value: unknown): value is Table<z.ZodObject> =>
  typeof value === 'object' && value !== null && 'insertMany' in value && 'retentions' in value
