import { setImmediate as nextTurn } from 'node:timers/promises'
import { Address } from '#lib/email-address.ts'
import type { Provider } from '#sql/moving/imports.ts'
import type { NewRow } from '#sql/moving/rows.ts'
import type { Given } from './providers/source.ts'
import { prepareTemplate } from './templates/prepare-template.ts'

export type PreparedRow = Omit<NewRow, 'import_id' | 'org_id' | 'number'>

const cut = (text: string, most: number): string => text.trim().slice(0, most).toWellFormed() || '?'

const rowOf = (part: PreparedRow['part'], id: string, label: string): PreparedRow => ({
  part,
  external_id: cut(id, 500),
  label: cut(label, 300),
  user_id: null,
  item: null,
  outcome: null,
  reason: null,
  issues: [],
})

const invalid = (row: PreparedRow, reason: string): PreparedRow => ({ ...row, outcome: 'invalid', reason })

/** Duration of work in milliseconds before other work of the process runs. */
const turnMs = 5

/** Checks what a provider returned. Objects that cannot be stored are invalid, with the reason. */
export async function prepareRows(
  orgId: string,
  provider: Provider,
  given: readonly Given[],
  signal?: AbortSignal,
): Promise<PreparedRow[]> {
  const rows: PreparedRow[] = []
  let ends = performance.now() + turnMs
  for (const one of given) {
    signal?.throwIfAborted()
    rows.push(await prepareRow(orgId, provider, one))
    if (performance.now() < ends) continue
    await nextTurn()
    ends = performance.now() + turnMs
  }
  return rows
}

async function prepareRow(orgId: string, provider: Provider, given: Given): Promise<PreparedRow> {
  const row = rowOf(given.part, given.id, given.label)
  if ('fault' in given) return invalid(row, given.fault)
  if (given.part === 'assets') return { ...row, item: { ...given.item } }
  if (given.part === 'templates') {
    const { template, issues } = await prepareTemplate(orgId, provider, given.item)
    if (issues.length === 0) return { ...row, item: { ...template } }
    return {
      ...invalid(row, 'Some tags have no equivalent. Change them at the provider, or create the template here.'),
      issues,
    }
  }
  const address = Address.safeParse(given.item.email.trim())
  if (!address.success) return invalid(row, `The address ${address.error.issues[0]?.message ?? 'is invalid'}.`)
  return { ...row, label: address.data, item: { ...given.item, email: given.item.email.trim() } }
}
