export { readReport as work } from '#tasks/email/rules/reports/report.ts'
