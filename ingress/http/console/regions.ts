import type { DatabasePool } from '#sql/db.ts'
import { type Html, html } from './html.ts'

/**
 * A region of pages that is updated from the server. Its name can have further words after slashes: `plots/24h/media`.
 */
export interface Region {
  /** Interval in milliseconds between readings while a page shows it. */
  everyMs: number
  /** Returns the content for the words after the name, or null if there is no such region. */
  read(db: DatabasePool, words: readonly string[]): Promise<Html | null>
  /** True if the words are valid. Called before anything is read. */
  fits?(words: readonly string[]): boolean
  /** Shows the region at the top of the overview. */
  notice?: true
}

/** Regions by the first word of their names. */
export type Regions = Readonly<Record<string, Region>>

/** A region with the complete name that a page uses. */
export interface NamedRegion {
  everyMs: number
  read(db: DatabasePool): Promise<Html>
}

/** Returns the region with this name, or undefined if no area has it. */
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

/** Renders a region in its current state. The page’s JavaScript keeps it up to date. */
export async function showRegion(regions: Regions, db: DatabasePool, name: string): Promise<Html> {
  const found = findRegion(regions, name)
  return html`<div class="region" data-live="${name}">${found && (await found.read(db))}</div>`
}
