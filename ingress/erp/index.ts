import { area } from '../http/area.ts'
import * as companies from './companies.ts'
import * as importPages from './import-pages.ts'
import { importsRegion } from './imports-region.ts'
import * as registers from './registers.ts'
import { sourcesRegion } from './sources-region.ts'

/**
 * Companies as their registers know them. Words used here:
 *   register      who numbers companies, and whose file is imported
 *   jurisdiction  the country, or a part of one, whose law a company is under
 *   code          the number its register gave it
 *   source        where a register's file is fetched by schedule
 *   officer       who acts for a company
 */
export const erp = area({
  name: 'erp',
  title: 'Company registry',
  description: 'Companies by code, VAT number, LEI and name.',
  base: '/v1/erp',
  platform: true,
  routes: { companies, registers },
  console: {
    sections: [importPages.companiesSection],
    pages: { importPages },
    regions: { 'erp-sources': sourcesRegion, 'erp-imports': importsRegion },
  },
})
