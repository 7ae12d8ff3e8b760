import { type Counts, type ImportProgress, latest } from '#sql/erp/imports.ts'
import { list, type Register } from '#sql/erp/registers.ts'
import { confirmLink } from '../http/console/buttons.ts'
import type { Region } from '../http/console/regions.ts'
import { dataTable } from '../http/html/data-table.ts'
import { ago, count, counted } from '../http/html/format.ts'
import { type Html, html, quiet } from '../http/html/html.ts'
import { mark, renderProgressBar } from '../http/html/marks.ts'

const most = 30

const mostFaults = 10

export const importsRegion: Region = {
  everyMs: 2_000,
  async read(db) {
    const [registers, imports] = await Promise.all([list(db), latest(db, most)])
    return html`<section aria-labelledby="registers"><h2 id="registers">Registers</h2>${
      registers.length === 0
        ? html`<p class="empty">Imported registers appear here. No companies are available yet.</p>`
        : registerTable(registers)
    }</section>
<section aria-labelledby="imports"><h2 id="imports">Imports</h2>${imports.length === 0 ? html`<p class="empty">Imports by workers appear here.</p>` : importTable(imports)}</section>`
  },
}

const registerTable = (registers: readonly Register[]): Html =>
  dataTable({ caption: 'Registers', key: (one) => `register-${one.name}` }, registers, {
    Register: (one) => one.name,
    Entries: ['number', (one) => html`${count(one.companies)} <span class="quiet">${one.what}</span>`],
    Imported: (one) => ago(one.imported_at),
    Licence: ['break', (one) => one.licence ?? quiet('–')],
  })

const importTable = (imports: readonly ImportProgress[]): Html =>
  dataTable({ caption: 'Imports, newest first', key: (one) => `import-${one.id}` }, imports, {
    File: (one) => html`${one.file_name} <span class="quiet">${one.profile}</span>`,
    Register: ['break', (one) => one.register],
    Is: ['break', (one) => stateOf(one)],
    Result: ['wide break', (one) => html`${one.counts && countsText(one.counts)}${faultsOf(one)}`],
    Created: (one) => html`${ago(one.created_at)} <span class="quiet">by ${one.actor}</span>`,
  })

function stateOf({ id, state, run_state, progress, error, file_name }: ImportProgress): Html {
  if (state === 'done') return mark('done')
  if (state === 'failed') return html`${mark('failed')} <p>${error}</p>`
  if (state === 'held')
    return html`${mark('held')} <p>${error}</p>
<p>${confirmLink('confirm-import', { import: id }, 'Import file', file_name)} ${confirmLink('refuse-import', { import: id }, 'Reject file', file_name)}</p>`
  if (run_state !== 'running') return mark(run_state ?? 'waiting')
  return html`${mark('running')} ${renderProgressBar(progress ?? 0, file_name)}`
}

const countsText = ({
  read,
  added,
  changed,
  missing,
  left_out,
  values_left_out,
}: Counts): Html => html`<p>${count(read)} read:
${count(added)} added, ${count(changed)} changed, ${count(missing)} missing${left_out > 0 && html`; ${counted(left_out, 'record')} omitted`}${values_left_out > 0 && html`; ${counted(values_left_out, 'value')} omitted`}</p>`

const faultsOf = ({ faults }: ImportProgress): Html | false =>
  faults.length > 0 &&
  html`<details><summary>Omitted records and values</summary>${faults.slice(0, mostFaults).map(({ line, issue }) => html`<p>line ${count(line)}: <code>${issue}</code></p>`)}</details>`
