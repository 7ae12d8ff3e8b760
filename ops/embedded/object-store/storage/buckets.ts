import type { Store } from './store.ts'

export function openBuckets({ ledger }: Store, names: readonly string[]): Map<string, number> {
  return ledger.transaction(() => {
    const insert = ledger.prepare('insert into buckets (name, created) values (?, ?) on conflict do nothing')
    const find = ledger.prepare('select created from buckets where name = ?')
    return new Map(
      names.toSorted().map((name) => {
        insert.run(name, Date.now())
        return [name, Number(find.get(name)?.created)] as const
      }),
    )
  })
}
