/** The thread in which mail that came in is read. */
export { readMail as work } from './read-mail.ts'
