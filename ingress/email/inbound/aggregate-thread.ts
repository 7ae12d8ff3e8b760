export { readAggregate as work } from '#tasks/email/rules/aggregate/read-aggregate.ts'
