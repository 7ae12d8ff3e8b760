/** What places texts by their meaning: vectors of texts that mean the like are near one another. */
export interface Embedder {
  /** Its model: vectors of two models are never compared. */
  readonly model: string
  /**
   * The vectors of texts, in their order, for an organisation; undefined where there is none to be had of them (one is too long).
   * Throws where another try may help; with `withinMs`, one that takes longer is a failure, and is not tried again here.
   */
  embed(
    texts: readonly string[],
    orgId: string,
    signal: AbortSignal,
    withinMs?: number,
  ): Promise<Float32Array[] | undefined>
}
