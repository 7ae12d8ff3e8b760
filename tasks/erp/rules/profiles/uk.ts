import type { Facts } from '#sql/erp/companies.ts'
import type { Row } from '../row.ts'
import type { Profile } from './profile.ts'

const statuses: readonly [RegExp, Facts['status']][] = [
  [/^active/i, 'active'],
  [/^liquidation|winding/i, 'in_liquidation'],
  [/administration|receiver|insolvency|voluntary arrangement/i, 'bankrupt'],
  [/dissolved|removed|converted|closed/i, 'dissolved'],
]

const numbers = (most: number) => Array.from({ length: most }, (_, i) => i + 1)

/** Companies House, `BasicCompanyData` (CSV), without dissolved companies. */
export const uk: Profile = {
  register: 'Companies House',
  licence: 'Open Government Licence v3.0',
  recordUrl: 'https://find-and-update.company-information.service.gov.uk/company/{code}',
  headings: ['CompanyName', 'CompanyNumber', 'CompanyStatus'],
  records: [],
  missing: 'dissolved',
  adds: false,
  read(row) {
    const status = row.get('CompanyStatus')
    const lines = ['AddressLine1', 'AddressLine2'].map((line) => row.get(`RegAddress.${line}`))
    return {
      jurisdiction: 'gb',
      code: row.get('CompanyNumber'),
      name: row.get('CompanyName'),
      previousNames: numbers(10).map((i) => row.get(`PreviousName_${i}.CompanyName`)),
      status: statuses.find(([words]) => words.test(status))?.[1] ?? 'unknown',
      statusRaw: status,
      legalForm: { name: row.get('CompanyCategory') },
      registeredAt: row.get('IncorporationDate'),
      dissolvedAt: row.get('DissolutionDate'),
      address: {
        street: lines.filter((line) => line !== '').join(', '),
        city: row.get('RegAddress.PostTown'),
        region: row.get('RegAddress.County'),
        postalCode: row.get('RegAddress.PostCode'),
        country: 'GB',
      },
      activities: activitiesOf(row),
    }
  },
}

/**
 * For example, `62020 - Information technology consultancy activities`. The first activity is not necessarily the main
 * activity.
 */
const activitiesOf = (row: Row): Facts['activities'] =>
  numbers(4).flatMap((i) => {
    const [, code, name = null] = /^(\d{4,5})(?: - (.+))?$/.exec(row.get(`SICCode.SicText_${i}`)) ?? []
    return code === undefined ? [] : [{ scheme: 'UK SIC 2007', code, name, primary: false }]
  })
