import type { RelationKind } from '#sql/erp/relations.ts'
import type { RelationProfile } from './profile.ts'

const kinds: Readonly<Record<string, RelationKind>> = {
  DIRECT_ACCOUNTING_CONSOLIDATION_PARENT: 'direct_parent',
  ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT: 'ultimate_parent',
}

/** GLEIF golden copy, level 2: reporting exceptions (repex, CSV or XML). */
export const gleifExceptions: RelationProfile = {
  register: 'GLEIF reporting exceptions',
  licence: 'CC0 1.0',
  recordUrl: 'https://search.gleif.org/#/record/{lei}',
  headings: ['LEI'],
  records: ['exceptions'],
  element: 'Exception',
  read(row) {
    const kind = kinds[row.get('Exception.Category') || row.get('ExceptionCategory')]
    if (kind === undefined) return null
    const reason = row.get('Exception.Reason.1') || row.get('ExceptionReason.1')
    return { lei: row.get('LEI'), kind, reason: reason.toLowerCase(), status: 'active', since: '', until: '' }
  },
}
