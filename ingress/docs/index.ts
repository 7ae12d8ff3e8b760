import { area } from '../http/area.ts'
import * as assets from './assets.ts'
import * as events from './events.ts'
import * as files from './files.ts'
import { docsFinder, docsIndex } from './finder.ts'
import * as front from './front.ts'
import { library } from './library.ts'
import * as llms from './llms.ts'
import * as packages from './packages.ts'
import * as pages from './pages.ts'
import * as reference from './reference.ts'
import * as search from './search.ts'
import * as tools from './tools.ts'

export const docs = area({
  name: 'docs',
  title: 'Documentation',
  description: 'Guides, the reference of every area, and a search over both.',
  base: '',
  services: [library, search.searchIndex, docsIndex],
  routes: { front, pages, files, events, reference, search, tools, llms, assets, packages },
  dashboard: { finders: [docsFinder] },
})
