import type { DatabasePool } from '#sql/db.ts'
import { type Html, html } from '../html/html.ts'

export interface Region {
  everyMs: number
  read(db: DatabasePool, words: readonly string[]): Promise<Html | null>
  fits?(words: readonly string[]): boolean
  notice?: true
}

export type Regions = Readonly<Record<string, Region>>

export interface NamedRegion {
  everyMs: number
  read(db: DatabasePool): Promise<Html>
}

export function findRegion(regions: Regions, name: string): NamedRegion | undefined {
  const [head = '', ...words] = name.split('/')
  const found = Object.hasOwn(regions, head) ? regions[head] : undefined
  if (!found || found.fits?.(words) === false) return undefined
  const { everyMs, read } = found
  return {
    everyMs,
    read: async (db) => (await read(db, words)) ?? html`<p class="empty">This item no longer exists.</p>`,
  }
}

export async function showRegion(regions: Regions, db: DatabasePool, name: string): Promise<Html> {
  const found = findRegion(regions, name)
  return html`<div class="region" data-live="${name}">${found && (await found.read(db))}</div>`
}
