import { readFile } from 'node:fs/promises'

/** Returns the end of a migration, from the last statement that starts with `start`. */
export async function readMigrationFrom(file: string, start: string): Promise<string> {
  const text = await readFile(new URL(`../../sql/migrations/${file}.sql`, import.meta.url), 'utf8')
  return text.slice(text.lastIndexOf(`\n${start}`))
}
