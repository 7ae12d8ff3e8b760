import type { RelationKind } from '#sql/erp/relations.ts'
import type { RelationProfile } from './profile.ts'

/** Kinds by the `RelationshipType` of RR-CDF 2.1. */
const kinds: Readonly<Record<string, RelationKind>> = {
  IS_DIRECTLY_CONSOLIDATED_BY: 'direct_parent',
  IS_ULTIMATELY_CONSOLIDATED_BY: 'ultimate_parent',
  IS_INTERNATIONAL_BRANCH_OF: 'head_office',
  'IS_FUND-MANAGED_BY': 'fund_manager',
  IS_SUBFUND_OF: 'umbrella_fund',
  IS_FEEDER_TO: 'master_fund',
}

const mostPeriods = 5

/** GLEIF golden copy, level 2: relationship records (rr, RR-CDF 2.1, CSV or XML). */
export const gleifRelations: RelationProfile = {
  register: 'GLEIF relationships',
  licence: 'CC0 1.0',
  recordUrl: 'https://search.gleif.org/#/record/{lei}',
  headings: ['Relationship.StartNode.NodeID', 'Relationship.EndNode.NodeID', 'Relationship.RelationshipType'],
  records: ['relations'],
  element: 'RelationshipRecord',
  read(row) {
    const kind = kinds[row.get('Relationship.RelationshipType')]
    if (kind === undefined) return null
    const periods = Array.from({ length: mostPeriods }, (_, i) => {
      const csv = `Relationship.Period.${i + 1}`
      const xml = `Relationship.RelationshipPeriods.RelationshipPeriod.${i + 1}`
      return {
        type: row.get(`${csv}.periodType`) || row.get(`${xml}.PeriodType`),
        since: row.get(`${csv}.startDate`) || row.get(`${xml}.StartDate`),
        until: row.get(`${csv}.endDate`) || row.get(`${xml}.EndDate`),
      }
    })
    const { since, until } = periods.find(({ type }) => type === 'RELATIONSHIP_PERIOD') ?? { since: '', until: '' }
    return {
      lei: row.get('Relationship.StartNode.NodeID'),
      kind,
      parentLei: row.get('Relationship.EndNode.NodeID'),
      status: row.get('Relationship.RelationshipStatus') === 'INACTIVE' ? 'inactive' : 'active',
      since: since.slice(0, 10),
      until: until.slice(0, 10),
    }
  },
}
