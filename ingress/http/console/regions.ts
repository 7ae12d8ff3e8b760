import type { DatabasePool } from '#sql/db.ts'
import { type Html, html } from './html.ts'

/** A region of pages that is kept as it is on the server. Its name may be followed by words after slashes: `plots/24h/media`. */
export interface Region {
  /** How often it is read anew while somebody watches it. */
  everyMs: number
  /** What it shows with these words after its name; null when there is no such thing. */
  read(db: DatabasePool, words: readonly string[]): Promise<Html | null>
  /** Whether there may be one with these words; asked before anything is read. */
  fits?(words: readonly string[]): boolean
  /** What operators must know: shown at the top of the overview. */
  notice?: true
}

/** Regions by the first word of their names. */
export type Regions = Readonly<Record<string, Region>>

/** A region as a page names it, words and all. */
export interface NamedRegion {
  everyMs: number
  read(db: DatabasePool): Promise<Html>
}

/** The region of that name; undefined when no area has it. */
export function findRegion(regions: Regions, name: string): NamedRegion | undefined {
  const [head = '', ...words] = name.split('/')
  const found = Object.hasOwn(regions, head) ? regions[head] : undefined
  if (!found || found.fits?.(words) === false) return undefined
  const { everyMs, read } = found
  return {
    everyMs,
    read: async (db) => (await read(db, words)) ?? html`<p class="empty">There is nothing here any more.</p>`,
  }
}

/** A region of a page, as it is now; the page's script keeps it so. */
export async function showRegion(regions: Regions, db: DatabasePool, name: string): Promise<Html> {
  const found = findRegion(regions, name)
  return html`<div class="region" data-live="${name}">${found && (await found.read(db))}</div>`
}
