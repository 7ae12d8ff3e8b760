import type { Ledger } from './ledger.ts'

/** Adds a reference to each blob. Call it within a transaction. */
export function retain(ledger: Ledger, uses: readonly { readonly blob: string }[]): void {
  const statement = ledger.prepare('update blobs set refs = refs + 1 where id = ?')
  for (const { blob } of uses) statement.run(blob)
}

export function release(ledger: Ledger, query: string, ...parameters: (string | number)[]): string[] {
  return ledger
    .prepare(`update blobs set refs = refs - 1 where id in (${query}) returning id, refs`)
    .all(...parameters)
    .filter(({ refs }) => refs === 0)
    .map(({ id }) => String(id))
}
