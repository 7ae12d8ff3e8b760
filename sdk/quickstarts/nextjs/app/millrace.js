import { Millrace } from 'millrace'

export const millrace = new Millrace() // Reads MILLRACE_BASE_URL and MILLRACE_API_KEY.
export const user = 'ann' // Use the ID of the signed-in user, from your session.
