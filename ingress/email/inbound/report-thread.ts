/** The thread in which large reports are read. */
export { readReport as work } from './report.ts'
