import { Later } from '#lib/errors.ts'
import { getSourceFault, type SourceFault } from './source-error.ts'

/** One read of a source: an area gives what to do with its content, and where a failure is recorded. */
interface SourceRead<T> {
  /** Fetches the source, parses it and replaces what is stored, in one transaction. */
  read(): Promise<T>
  fail(fault: SourceFault): Promise<unknown>
  /** Time for which an unavailable server is retried, and delay between attempts. Default: no retries. */
  retry?: { requestedAt: Date; forMs: number; pauseMs: number }
}

/**
 * Reads a source. If its server is unavailable, retries for a while. Otherwise records the failure and returns its
 * message. Rethrows errors of Millrace.
 */
export async function readSource<T>({ read, fail, retry }: SourceRead<T>): Promise<T | { error: string }> {
  try {
    return await read()
  } catch (error) {
    const fault = getSourceFault(error)
    if (fault.passing && retry && Date.now() - retry.requestedAt.getTime() < retry.forMs)
      throw new Later(retry.pauseMs, fault.message)
    await fail(fault)
    return { error: fault.message }
  }
}
