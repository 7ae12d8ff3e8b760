/** Issuer identification numbers (IIN) of licences by country and state or province, as AAMVA assigns them. */
const numbers = {
  USA: {
    AL: '636033',
    AK: '636059',
    AS: '604427',
    AZ: '636026',
    AR: '636021',
    CA: '636014',
    CO: '636020',
    CT: '636006',
    DE: '636011',
    DC: '636043',
    FL: '636010',
    GA: '636055',
    GU: '636019',
    HI: '636047',
    ID: '636050',
    IL: '636035',
    IN: '636037',
    IA: '636018',
    KS: '636022',
    KY: '636046',
    LA: '636007',
    ME: '636041',
    MD: '636003',
    MA: '636002',
    MI: '636032',
    MN: '636038',
    MS: '636051',
    MO: '636030',
    MP: '604430',
    MT: '636008',
    NE: '636054',
    NV: '636049',
    NH: '636039',
    NJ: '636036',
    NM: '636009',
    NY: '636001',
    NC: '636004',
    ND: '636034',
    OH: '636023',
    OK: '636058',
    OR: '636029',
    PA: '636025',
    PR: '604431',
    RI: '636052',
    SC: '636005',
    SD: '636042',
    TN: '636053',
    TX: '636015',
    UT: '636040',
    VI: '636062',
    VT: '636024',
    VA: '636000',
    WA: '636045',
    WV: '636061',
    WI: '636031',
    WY: '636060',
  },
  CAN: {
    AB: '604432',
    BC: '636028',
    MB: '636048',
    NB: '636017',
    NL: '636016',
    NS: '636013',
    NU: '604433',
    ON: '636012',
    PE: '604426',
    QC: '604428',
    SK: '636044',
    YT: '604429',
  },
} as const

export interface Issuer {
  country: 'USA' | 'CAN'
  /** Two letters of the state or province. */
  subdivision: string
}

const byNumber = new Map<string, Issuer>(
  Object.entries(numbers).flatMap(([country, all]) =>
    Object.entries(all).map(
      ([subdivision, iin]) => [iin, { country: country as Issuer['country'], subdivision }] as const,
    ),
  ),
)

export const findIssuer = (iin: string): Issuer | null => byNumber.get(iin) ?? null
