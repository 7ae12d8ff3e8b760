import { readLei } from '#tasks/erp/rules/codes.ts'

/** An LEI that its check digits make one. */
export function lei(text: string): string {
  const found = Array.from({ length: 100 }, (_, i) => `${text}${String(i).padStart(2, '0')}`).find(readLei)
  if (!found) throw new Error(`${text} makes no LEI.`)
  return found
}

const line = (values: readonly string[]) => values.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')

/** The first line of BasicCompanyData, with the spaces that it has before some of its headings. */
export const ukHeader = `CompanyName, CompanyNumber,RegAddress.CareOf,RegAddress.POBox,RegAddress.AddressLine1, RegAddress.AddressLine2,RegAddress.PostTown,RegAddress.County,RegAddress.Country,RegAddress.PostCode,CompanyCategory,CompanyStatus,CountryOfOrigin,DissolutionDate,IncorporationDate,Accounts.AccountRefDay,Accounts.AccountRefMonth,Accounts.NextDueDate,Accounts.LastMadeUpDate,Accounts.AccountCategory,Returns.NextDueDate,Returns.LastMadeUpDate,Mortgages.NumMortCharges,Mortgages.NumMortOutstanding,Mortgages.NumMortPartSatisfied,Mortgages.NumMortSatisfied,SICCode.SicText_1,SICCode.SicText_2,SICCode.SicText_3,SICCode.SicText_4,LimitedPartnerships.NumGenPartners,LimitedPartnerships.NumLimPartners,URI,PreviousName_1.CONDATE, PreviousName_1.CompanyName`

/** A made-up line of it. */
export const ukLine = (name: string, code: string, status = 'Active'): string =>
  line([
    ...[name, code, '', '', '1 MADE UP ROAD', '', 'LEEDS', '', 'ENGLAND', 'LS1 1AA', 'Private Limited Company', status],
    ...['United Kingdom', '', '02/03/1999', '31', '3', '31/12/2026', '', 'DORMANT', '', '', '0', '0', '0', '0'],
    ...['62020 - Information technology consultancy activities', '', '', '', '0', '0'],
    ...[`http://business.data.gov.uk/id/company/${code}`, '', ''],
  ])

/** A golden copy of level 1 as CSV (LEI-CDF 3.1), of made-up companies. */
export function gleifCsv(companies: readonly { lei: string; name: string; code: string }[]): string {
  const header = [
    ...['LEI', 'Entity.LegalName', 'Entity.LegalName.xmllang', 'Entity.OtherEntityNames.OtherEntityName.1'],
    ...['Entity.OtherEntityNames.OtherEntityName.1.xmllang', 'Entity.OtherEntityNames.OtherEntityName.1.type'],
    ...['Entity.LegalAddress.FirstAddressLine', 'Entity.LegalAddress.City', 'Entity.LegalAddress.Region'],
    ...['Entity.LegalAddress.Country', 'Entity.LegalAddress.PostalCode'],
    'Entity.RegistrationAuthority.RegistrationAuthorityID',
    'Entity.RegistrationAuthority.RegistrationAuthorityEntityID',
    ...['Entity.LegalJurisdiction', 'Entity.EntityCategory', 'Entity.LegalForm.EntityLegalFormCode'],
    ...['Entity.LegalForm.OtherLegalForm', 'Entity.EntityStatus', 'Entity.EntityCreationDate'],
    ...['Registration.LastUpdateDate', 'Registration.RegistrationStatus'],
  ]
  const lines = companies.map(({ lei, name, code }) => [
    ...[lei, name, 'fr', 'Ancien Nom', 'fr', 'PREVIOUS_LEGAL_NAME', '1 Rue', 'Paris', 'FR-IDF', 'FR', '75001'],
    ...[
      'RA000189',
      code,
      'FR',
      'GENERAL',
      '6CHY',
      '',
      'ACTIVE',
      '2001-02-03T00:00:00Z',
      '2026-01-01T00:00:00Z',
      'ISSUED',
    ],
  ])
  return `${[header, ...lines].map(line).join('\n')}\n`
}

/** The same as JSON, as its keeper makes it of XML. */
export const gleifJson = (companies: readonly { lei: string; name: string; code: string }[]): string =>
  JSON.stringify({
    records: companies.map(({ lei, name, code }) => ({
      LEI: { $: lei },
      Entity: {
        LegalName: { '@xml:lang': 'fr', $: name },
        OtherEntityNames: { OtherEntityName: [{ '@type': 'PREVIOUS_LEGAL_NAME', $: 'Ancien Nom' }] },
        LegalAddress: {
          FirstAddressLine: { $: '1 Rue' },
          City: { $: 'Paris' },
          Country: { $: 'FR' },
          PostalCode: { $: '75001' },
        },
        RegistrationAuthority: {
          RegistrationAuthorityID: { $: 'RA000189' },
          RegistrationAuthorityEntityID: { $: code },
        },
        LegalJurisdiction: { $: 'FR' },
        EntityCategory: { $: 'GENERAL' },
        LegalForm: { EntityLegalFormCode: { $: '6CHY' } },
        EntityStatus: { $: 'ACTIVE' },
        EntityCreationDate: { $: '2001-02-03T00:00:00Z' },
      },
      Registration: { RegistrationStatus: { $: 'ISSUED' } },
    })),
  })

/** The Estonian register's general data, of one made-up company, and of a sole trader. */
export const eeGeneral = JSON.stringify(
  [
    {
      ariregistri_kood: 12417834,
      nimi: 'Näidis "Õmblus" OÜ',
      yldandmed: {
        esmaregistreerimise_kpv: '29.01.2013',
        kustutamise_kpv: null,
        staatus: 'R',
        staatus_tekstina: 'Registrisse kantud',
        oiguslik_vorm: 'OÜ',
        oiguslik_vorm_tekstina: 'Osaühing',
        arinimed: [
          { sisu: 'Endine [nimi] OÜ', algus_kpv: '29.01.2013', lopp_kpv: '01.02.2014' },
          { sisu: 'Näidis "Õmblus" OÜ', algus_kpv: '01.02.2014', lopp_kpv: null },
        ],
        aadressid: [
          {
            riik: 'EST',
            ehak_nimetus: 'Kesklinna linnaosa, Tallinn, Harju maakond',
            tanav_maja_korter: 'Tänav 1',
            postiindeks: '10115',
            lopp_kpv: null,
          },
        ],
        kapitalid: [{ kapitali_suurus: '2500.00', kapitali_valuuta: 'EUR', lopp_kpv: null }],
        sidevahendid: [{ liik: 'WWW', sisu: 'https://naidis.example/', lopp_kpv: null }],
        teatatud_tegevusalad: [
          {
            emtak_kood: '14131',
            emtak_tekstina: 'Rõivaste õmblemine',
            nace_kood: '14.13',
            on_pohitegevusala: true,
            lopp_kpv: null,
          },
        ],
      },
    },
    {
      ariregistri_kood: 11283219,
      nimi: 'Mari Maasikas FIE',
      yldandmed: { staatus: 'R', oiguslik_vorm: 'FIE', oiguslik_vorm_tekstina: 'Füüsilisest isikust ettevõtja' },
    },
  ],
  null,
  4,
)

/** Who is on the registry cards: a member of the board, a procurator that is a company, and one that has left. */
export const eeOfficers = (role = 'Juhatuse liige'): string =>
  JSON.stringify([
    {
      ariregistri_kood: 12417834,
      nimi: 'Näidis "Õmblus" OÜ',
      kaardile_kantud_isikud: [
        {
          isiku_tyyp: 'F',
          isiku_roll: 'JUHL',
          isiku_roll_tekstina: role,
          eesnimi: 'Mari',
          nimi_arinimi: 'Mägi',
          isikukood_hash: 'x',
          email: 'mari@naidis.example',
          algus_kpv: '01.02.2014',
          lopp_kpv: null,
        },
        {
          isiku_tyyp: 'J',
          isiku_roll: 'PROK',
          isiku_roll_tekstina: 'Prokurist',
          eesnimi: null,
          nimi_arinimi: 'Haldus OÜ',
          algus_kpv: '2020-03-04',
          lopp_kpv: '2030-01-01',
        },
      ],
    },
    { ariregistri_kood: 12417835, nimi: 'Vale Kood OÜ', kaardile_kantud_isikud: [] },
  ])
