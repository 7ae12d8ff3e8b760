import { scannerState } from '#tasks/files/rules/scanner-state.ts'
import type { Region } from '../http/console/regions.ts'
import { html } from '../http/html/html.ts'

export const scannerNotice: Region = {
  everyMs: 15_000,
  notice: true,
  async read(db) {
    const { notice } = await scannerState(db)
    return html`${notice && html`<p class="notice">${notice}</p>`}`
  },
}
