/** Why a file could not be imported, in a sentence for operators. */
export class ImportError extends Error {
  override name = 'ImportError'
}
