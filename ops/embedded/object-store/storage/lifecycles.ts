import type { Rule } from '../protocol/lifecycle.ts'
import type { Store } from './store.ts'

export function find({ ledger }: Store, bucket: string): Rule[] {
  const row = ledger.prepare('select rules from lifecycles where bucket = ?').get(bucket)
  return row ? JSON.parse(String(row.rules)) : []
}

export async function set({ ledger }: Store, bucket: string, rules: readonly Rule[]): Promise<void> {
  const statement = ledger.prepare('replace into lifecycles (bucket, rules) values (?, ?)')
  await ledger.commit(() => statement.run(bucket, JSON.stringify(rules)))
}

export function begin({ ledger }: Store, bucket: string, rules: readonly Rule[]): void {
  const statement = ledger.prepare('insert into lifecycles (bucket, rules) values (?, ?) on conflict do nothing')
  ledger.transaction(() => statement.run(bucket, JSON.stringify(rules)))
}
