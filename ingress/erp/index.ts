import { area } from '../http/area.ts'

/** Companies as their registers know them. */
export const erp = area({
  name: 'erp',
  title: 'Company registry',
  description: 'Companies by code, VAT number, LEI and name.',
  base: '/v1/erp',
  platform: true,
  routes: {},
})
