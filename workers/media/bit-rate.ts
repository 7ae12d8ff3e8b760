/** What a player fetches at once: its bits and how long they last. */
export interface Piece {
  bits: number
  seconds: number
}

/**
 * Largest bit rate of any run of neighbouring pieces that lasts 0.5 to 1.5 times the target duration (RFC 8216 4.1), so that a last piece
 * of one frame, which has a rate of its own, says nothing; never below the mean. In bits per second.
 */
export function peakBitRate(pieces: readonly Piece[], target: number): number {
  let peak = meanBitRate(pieces)
  for (let from = 0; from < pieces.length; from++) {
    let [bits, seconds] = [0, 0]
    for (let to = from; to < pieces.length; to++) {
      const piece = pieces[to] as Piece
      bits += piece.bits
      seconds += piece.seconds
      if (seconds > 1.5 * target) break
      if (seconds >= 0.5 * target) peak = Math.max(peak, bits / seconds)
    }
  }
  return Math.ceil(peak)
}

/** All bits over all seconds. */
export function meanBitRate(pieces: readonly Piece[]): number {
  const bits = pieces.reduce((sum, piece) => sum + piece.bits, 0)
  const seconds = pieces.reduce((sum, piece) => sum + piece.seconds, 0)
  return Math.ceil(bits / seconds)
}
