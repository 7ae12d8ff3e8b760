export { readMessage as work } from './read-message.ts'
