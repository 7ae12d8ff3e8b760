import { area } from '../http/area.ts'
import * as companies from './companies.ts'
import * as reconcilerPages from './dashboard/reconcilers.ts'
import * as registryPages from './dashboard/registry.ts'
import { section } from './dashboard/section.ts'
import * as watchPages from './dashboard/watches.ts'
import * as importPages from './import-pages.ts'
import { importsRegion } from './imports-region.ts'
import * as matches from './matches.ts'
import * as reconcile from './reconcile.ts'
import * as reconcilePreview from './reconcile-preview.ts'
import * as reconcilers from './reconcilers.ts'
import * as registers from './registers.ts'
import * as relations from './relations.ts'
import { sourcesRegion } from './sources-region.ts'
import * as watches from './watches.ts'

/**
 * Companies from public registers. Terms:
 * - register: numbers companies; Millrace imports its file
 * - jurisdiction: country, or a part of one, whose law applies to a company
 * - code: number that the register gave the company
 * - source: register file that is fetched on a schedule
 * - officer: person who acts for a company
 */
export const erp = area({
  name: 'erp',
  title: 'Company registry',
  description: 'Companies by code, VAT number, LEI and name.',
  base: '/v1/erp',
  platform: true,
  routes: { companies, matches, relations, reconcilers, registers, watches },
  pages: { reconcile, reconcilePreview },
  dashboard: { sections: [section], pages: { watchPages, reconcilerPages, registryPages } },
  console: {
    sections: [importPages.companiesSection],
    pages: { importPages },
    regions: { 'erp-sources': sourcesRegion, 'erp-imports': importsRegion },
  },
})
