import { readList, sharedProperties, statusOf } from './ee-json.ts'
import type { Profile } from './profile.ts'

const of = (name: string) => `yldandmed.${name}`

/**
 * Open data of the Estonian e-Business Register, `yldandmed` (JSON): with previous names, capital, activities and
 * websites.
 */
export const eeGeneral: Profile = {
  ...sharedProperties,
  register: 'Estonian e-Business Register',
  headings: ['ariregistri_kood', 'nimi', 'yldandmed.staatus'],
  missing: 'dissolved',
  adds: false,
  read(row) {
    const form = row.get(of('oiguslik_vorm'))
    if (form === 'FIE') return null
    const now = (path: string) => readList(row, of(path)).find((get) => get('lopp_kpv') === '')
    const [address, capital] = [now('aadressid'), now('kapitalid')]
    const parts = (address?.('ehak_nimetus') ?? '').split(',').map((part) => part.trim())
    const site = readList(row, of('sidevahendid')).find((get) => get('liik') === 'WWW' && get('lopp_kpv') === '')
    const activities = readList(row, of('teatatud_tegevusalad')).filter((get) => get('lopp_kpv') === '')
    return {
      jurisdiction: 'ee',
      code: row.get('ariregistri_kood'),
      name: row.get('nimi'),
      previousNames: readList(row, of('arinimed'))
        .filter((get) => get('lopp_kpv') !== '')
        .map((get) => get('sisu')),
      status: statusOf(row.get(of('staatus'))),
      statusRaw: row.get(of('staatus_tekstina')) || row.get(of('staatus')),
      legalForm: { code: form, name: row.get(of('oiguslik_vorm_tekstina')) },
      registeredAt: row.get(of('esmaregistreerimise_kpv')),
      dissolvedAt: row.get(of('kustutamise_kpv')),
      address: {
        street: address?.('tanav_maja_korter') ?? '',
        // Ordered from small to large: district, town, county.
        city: parts.at(parts.length > 1 ? -2 : 0) ?? '',
        region: parts.length > 1 ? (parts.at(-1) ?? '') : '',
        postalCode: address?.('postiindeks') ?? '',
        country: 'EE',
      },
      capital: { amount: capital?.('kapitali_suurus') ?? '', currency: capital?.('kapitali_valuuta') ?? '' },
      activities: activities.flatMap((get) => {
        const code = get('nace_kood') || get('emtak_kood')
        const scheme = get('nace_kood') === '' ? get('emtak_versioon_tekstina') || 'EMTAK' : 'NACE'
        return code === ''
          ? []
          : [{ scheme, code, name: get('emtak_tekstina') || null, primary: isMain(get('on_pohitegevusala')) }]
      }),
      website: site?.('sisu') ?? '',
    }
  },
}

const isMain = (text: string): boolean => text === 'true' || text === '1'
