import { sharedProperties, statusOf } from './ee-json.ts'
import type { Profile } from './profile.ts'

/** Open data of the Estonian e-Business Register, `lihtandmed` (CSV, UTF-8, `;`), without deleted companies. */
export const ee: Profile = {
  ...sharedProperties,
  register: 'Estonian e-Business Register',
  headings: ['nimi', 'ariregistri_kood', 'ettevotja_oiguslik_vorm', 'ettevotja_staatus'],
  missing: 'dissolved',
  adds: false,
  read(row) {
    const form = row.get('ettevotja_oiguslik_vorm')
    if (/^(FIE|füüsilisest isikust)/i.test(form)) return null
    const parts = row
      .get('asukoha_ehak_tekstina')
      .split(',')
      .map((part) => part.trim())
    const region = parts.length > 1 ? (parts.at(-1) as string) : ''
    return {
      jurisdiction: 'ee',
      code: row.get('ariregistri_kood'),
      name: row.get('nimi'),
      status: statusOf(row.get('ettevotja_staatus')),
      statusRaw: row.get('ettevotja_staatus_tekstina') || row.get('ettevotja_staatus'),
      legalForm: { name: form },
      vatNumber: row.get('kmkr_nr'),
      registeredAt: row.get('ettevotja_esmakande_kpv'),
      address: {
        street: row.get('asukoht_ettevotja_aadressis') || row.get('ettevotja_aadress'),
        // Ordered from small to large: district, town, county.
        city: parts.at(parts.length > 1 ? -2 : 0) ?? '',
        region,
        postalCode: row.get('indeks_ettevotja_aadressis'),
        country: 'EE',
      },
    }
  },
}
