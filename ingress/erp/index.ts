import { area } from '../http/area.ts'
import * as companies from './companies.ts'
import * as importPages from './import-pages.ts'
import { importsRegion } from './imports-region.ts'

/**
 * Companies as their registers know them. Words used here:
 *   register      who numbers companies, and whose file is imported
 *   jurisdiction  the country, or a part of one, whose law a company is under
 *   code          the number its register gave it
 */
export const erp = area({
  name: 'erp',
  title: 'Company registry',
  description: 'Companies by code, VAT number, LEI and name.',
  base: '/v1/erp',
  platform: true,
  routes: { companies },
  console: {
    sections: [importPages.companiesSection],
    pages: { importPages },
    regions: { 'erp-imports': importsRegion },
  },
})
