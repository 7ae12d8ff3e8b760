export { buildBody as work } from './body.ts'
