import { area } from '../http/area.ts'
import * as catalogue from './catalogue.ts'

/** What the API is: the catalogue of its operations and the machine-readable contract. */
export const account = area({
  name: 'account',
  title: 'Catalogue',
  description: 'What this API offers, for people and machines.',
  base: '/v1',
  platform: true,
  routes: { catalogue },
})
