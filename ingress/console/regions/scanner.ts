import type { DatabasePool } from '#sql/db.ts'
import { scannerState } from '#tasks/files/scanner-state.ts'
import { type Html, html } from '../html.ts'

/** What operators must know of the malware scanner; nothing while all is well. */
export async function scanner(db: DatabasePool): Promise<Html> {
  const { notice } = await scannerState(db)
  return html`${notice && html`<p class="notice">${notice}</p>`}`
}
