export { readMail as work } from './read-mail.ts'
