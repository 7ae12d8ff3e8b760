/** The thread in which large bodies are made. */
export { buildBody as work } from './body.ts'
