import { readList, sharedProperties } from './ee-json.ts'
import type { OfficerProfile } from './profile.ts'

/** Open data of the Estonian e-Business Register, `kaardile_kantud_isikud` (JSON): people on registry cards. */
export const eeOfficers: OfficerProfile = {
  ...sharedProperties,
  register: 'Estonian e-Business Register: officers',
  jurisdiction: 'ee',
  headings: ['ariregistri_kood', 'kaardile_kantud_isikud'],
  read: (row) => ({
    code: row.get('ariregistri_kood'),
    officers: readList(row, 'kaardile_kantud_isikud').map((get) => ({
      kind: get('isiku_tyyp') === 'J' ? 'organisation' : 'person',
      name: [get('eesnimi'), get('nimi_arinimi')].filter((part) => part !== '').join(' '),
      roleCode: get('isiku_roll'),
      role: get('isiku_roll_tekstina'),
      since: get('algus_kpv'),
      until: get('lopp_kpv'),
    })),
  }),
}
