import type { Profile } from './profile.ts'

const statuses = { ACTIVE: 'active', INACTIVE: 'dissolved' } as const

/**
 * GLEIF golden copy, level 1 (lei2, LEI-CDF 3.1, CSV, JSON or XML). If the company belongs to another register, only its LEI
 * is added.
 */
export const gleif: Profile = {
  register: 'GLEIF',
  licence: 'CC0 1.0',
  recordUrl: 'https://search.gleif.org/#/record/{lei}',
  headings: ['LEI', 'Entity.LegalName', 'Entity.LegalAddress.Country', 'Entity.EntityStatus'],
  records: ['records'],
  element: 'LEIRecord',
  missing: 'unknown',
  adds: true,
  read(row) {
    if (row.get('Entity.EntityCategory') === 'SOLE_PROPRIETOR') return null
    const raw = row.get('Entity.EntityStatus')
    const country = row.get('Entity.LegalAddress.Country')
    const elf = row.get('Entity.LegalForm.EntityLegalFormCode')
    const names = [1, 2, 3, 4, 5].map((i) => `Entity.OtherEntityNames.OtherEntityName.${i}`)
    const created = row.get('Entity.EntityCreationDate').slice(0, 10)
    return {
      // US-DE is a subdivision with its own registers.
      jurisdiction: (row.get('Entity.LegalJurisdiction') || country).toLowerCase(),
      code: row.get('Entity.RegistrationAuthority.RegistrationAuthorityEntityID') || row.get('LEI'),
      name: row.get('Entity.LegalName'),
      previousNames: names.flatMap((heading) =>
        row.get(`${heading}.type`) === 'PREVIOUS_LEGAL_NAME' ? row.get(heading) : [],
      ),
      status: statuses[raw as keyof typeof statuses] ?? 'unknown',
      statusRaw: raw,
      legalForm: { elf: /^(8888|9999)$/.test(elf) ? '' : elf, name: row.get('Entity.LegalForm.OtherLegalForm') },
      lei: row.get('LEI'),
      registeredAt: created,
      dissolvedAt:
        raw === 'INACTIVE' ? row.get('Entity.LegalEntityEvents.LegalEntityEvent.1.EffectiveDate').slice(0, 10) : '',
      address: {
        street: row.get('Entity.LegalAddress.FirstAddressLine'),
        city: row.get('Entity.LegalAddress.City'),
        region: row.get('Entity.LegalAddress.Region'),
        postalCode: row.get('Entity.LegalAddress.PostalCode'),
        country,
      },
    }
  },
}
