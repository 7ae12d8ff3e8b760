/** The thread in which large reports are read. */
export { readReport as work } from '#tasks/email/rules/reports/report.ts'
