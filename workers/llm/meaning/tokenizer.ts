/** Pieces of words with their log probability. The position in the list is the ID of the token. */
export type Vocabulary = readonly (readonly [piece: string, logProbability: number])[]

/** Number of pieces at the start of the vocabulary that never occur in a text. */
const reserved = 6
const unknown = 0
/** Log probability of an unknown character, lower than that of each piece. */
const unknownLogProbability = -100
const wordStart = '▁'

/**
 * Creates a tokenizer: SentencePiece with a unigram model. It selects the most probable pieces of a text (Viterbi). The
 * time is linear in the text, because pieces are short.
 */
export function createTokenizer(vocabulary: Vocabulary): (text: string) => number[] {
  const ids = new Map(vocabulary.slice(reserved).map(([piece], i) => [piece, i + reserved]))
  const longest = Math.max(...vocabulary.map(([piece]) => [...piece].length))

  return (text) => {
    const characters = [...`${wordStart}${normalise(text)}`]
    const count = characters.length
    const best = new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY)
    const starts = new Int32Array(count + 1)
    const tokens = new Int32Array(count + 1)
    best[0] = 0
    const offer = (start: number, end: number, token: number, logProbability: number) => {
      const total = (best[start] as number) + logProbability
      if (total <= (best[end] as number)) return
      best[end] = total
      starts[end] = start
      tokens[end] = token
    }
    for (let start = 0; start < count; start++) {
      offer(start, start + 1, unknown, unknownLogProbability)
      let piece = ''
      for (let end = start + 1; end <= Math.min(count, start + longest); end++) {
        piece += characters[end - 1]
        const id = ids.get(piece)
        if (id !== undefined) offer(start, end, id, vocabulary[id]?.[1] ?? 0)
      }
    }
    return listTokens(starts, tokens)
  }
}

const normalise = (text: string): string => text.toWellFormed().normalize('NFKC').replace(/\s/gu, wordStart)

/** Reads the tokens of the best path backwards. Consecutive unknown characters are one token. */
function listTokens(starts: Int32Array, tokens: Int32Array): number[] {
  const found: number[] = []
  for (let end = starts.length - 1; end > 0; end = starts[end] as number) {
    const token = tokens[end] as number
    if (token !== unknown || found.at(-1) !== unknown) found.push(token)
  }
  return found.reverse()
}
