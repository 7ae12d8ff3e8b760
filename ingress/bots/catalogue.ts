import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { Variable } from '#sql/bots/versions.ts'

const File = z.strictObject({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  language: z.string(),
  system_prompt: z.string(),
  greeting: z.string(),
  fallback: z.string(),
  starter_questions: z.array(z.string()),
  variables: z.array(Variable),
})

export type Template = z.infer<typeof File> & { key: string; version: number }

const folder = new URL('./templates/', import.meta.url)

/** Versions of all templates, newest first, by template key. They are read from `templates/<key>.<version>.json`. */
const all: ReadonlyMap<string, readonly Template[]> = Map.groupBy(
  readdirSync(folder)
    .map(read)
    .sort((a, b) => (a.key === b.key ? b.version - a.version : a.key < b.key ? -1 : 1)),
  ({ key }) => key,
)

function read(file: string): Template {
  const [, key, version] = /^([a-z0-9-]+)\.(\d+)\.json$/.exec(file) ?? []
  if (!key) throw new Error(`ingress/bots/templates/${file}: the name must be <key>.<version>.json.`)
  return { ...File.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))), key, version: Number(version) }
}

export function findTemplate(key: string, version?: number): Template | undefined {
  const versions = all.get(key)
  return version === undefined ? versions?.[0] : versions?.find((one) => one.version === version)
}

export const listTemplateVersions = (key: string): number[] => (all.get(key) ?? []).map(({ version }) => version)

export const newestTemplates = (): Template[] => [...all.values()].flatMap(([newest]) => newest ?? [])
