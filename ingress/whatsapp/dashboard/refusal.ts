import { conflict, Problem } from '#lib/errors.ts'

/**
 * Waits for a call of the API. If WhatsApp does not respond or the platform has no number, the form shows the message
 * instead of an error page.
 */
export async function keepForm<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || error.status < 500) throw error
    throw conflict(error.message)
  }
}
